"""What is told as done though nothing says that it was: ``python -m tests.studies.refused_edits``.

Outputs of five tools that refuse a change, in six languages: fifteen reasons a language, each in the
six forms in which tools answer. A change counts as told if ``facts`` has the file as changed, or if a
result of an offline strategy says that the file was written, edited, created, modified or deleted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from core.api import compact, facts
from core.common.json_value import Json
from core.facts.model import FactKind

REASONS = {
    "en": """The change was turned down by the reviewer
Writing is switched off in this workspace
The hook guard-migrations blocked the call
Nothing was written: this is a rehearsal
You are not permitted to touch this path
The text to replace does not occur in the file
The file is locked by another process
The disk is full
The operation timed out before it began
The person pressed Escape
A policy of the organisation forbids it
The branch is protected
The approval was not given
The sandbox is read-only
The file was changed on disk meanwhile; read it again""",
    "de": """Die Änderung wurde vom Prüfer abgelehnt
Schreiben ist in diesem Arbeitsbereich abgeschaltet
Der Hook guard-migrations hat den Aufruf gesperrt
Nichts wurde geschrieben: das ist eine Probe
Zugriff verweigert
Der zu ersetzende Text steht nicht in der Datei
Die Datei ist von einem anderen Prozess gesperrt
Kein Speicherplatz mehr auf dem Gerät
Die Zeit lief ab, bevor es begann
Die Person hat Escape gedrückt
Eine Richtlinie der Firma verbietet es
Der Zweig ist geschützt
Die Freigabe wurde nicht erteilt
Die Sandbox ist schreibgeschützt
Die Datei wurde inzwischen geändert; lies sie neu""",
    "fr": """La modification a été refusée par le relecteur
L'écriture est désactivée dans cet espace
Le hook guard-migrations a bloqué l'appel
Rien n'a été écrit : c'est un essai
Permission refusée
Le texte à remplacer est introuvable dans le fichier
Le fichier est verrouillé par un autre processus
Il n'y a plus de place sur le disque
Le délai a expiré avant le début
La personne a appuyé sur Échap
Une règle de l'entreprise l'interdit
La branche est protégée
L'accord n'a pas été donné
Le bac à sable est en lecture seule
Le fichier a changé entre-temps ; relisez-le""",
    "es": """El revisor rechazó el cambio
La escritura está desactivada en este espacio
El hook guard-migrations bloqueó la llamada
No se escribió nada: es un ensayo
Permiso denegado
El texto que se quiere reemplazar no está en el archivo
El archivo está bloqueado por otro proceso
No queda espacio en el disco
El tiempo se agotó antes de empezar
La persona pulsó Escape
Una norma de la empresa lo prohíbe
La rama está protegida
No se dio la aprobación
El entorno aislado es de solo lectura
El archivo cambió mientras tanto; léalo de nuevo""",
    "zh": """审核者拒绝了此更改
此工作区已关闭写入
钩子 guard-migrations 阻止了调用
没有写入任何内容:这是演练
权限被拒绝
文件中找不到要替换的文本
文件被另一个进程锁定
磁盘已满
开始之前已超时
用户按下了 Esc
公司规定禁止这样做
该分支受保护
未获得批准
沙盒是只读的
文件在此期间已被更改,请重新读取""",
    "ja": """レビュー担当者が変更を却下しました
このワークスペースでは書き込みが無効です
フック guard-migrations が呼び出しを止めました
何も書き込まれていません。これは予行です
アクセスが拒否されました
置き換える文字列がファイルに見つかりません
ファイルは別のプロセスにロックされています
ディスクの空きがありません
開始前にタイムアウトしました
利用者が Escape を押しました
会社の規則で禁止されています
このブランチは保護されています
承認が得られませんでした
サンドボックスは読み取り専用です
その間にファイルが変わりました。もう一度読んでください""",
}
FORMS = (
    "{reason}.",
    "[{reason}]\n  0: a line of the file\n  1: another line",
    "note: {reason}",
    "guard> {reason}!\nSee the manual for the rules of this place.",
    "⛔ {reason}",
    '{{"message": "{reason}", "attempt": 1}}',
)
TOOLS = ("edit_file", "write_file", "str_replace_editor", "apply_patch", "bash")
STRATEGIES = (
    "one-shot",
    "hybrid",
    "cline-basic",
    "codex-local",
    "pi",
    "stub-and-retrieve",
)
_TOLD = re.compile(
    r"(?i)\b(?:written|wrote|edited|created|modified|changed|deleted|updated)\b"
)
_HONEST = re.compile(r"(?i)change asked for|changes asked for|not recorded|that failed")
_PER_SESSION = 15


def outputs(language: str, forms: Sequence[str] = FORMS) -> list[str]:
    """Return the refusals of a language, each reason in each form."""
    reasons = REASONS[language].split("\n")
    return [form.format(reason=reason) for reason, form in product(reasons, forms)]


def arguments(tool: str, path: str) -> dict[str, Json]:
    """Return the arguments of a call that asks for a change of a file."""
    match tool:
        case "edit_file":
            return {"file_path": path, "old_string": "a", "new_string": "b"}
        case "write_file":
            return {"file_path": path, "content": "x = 1\n"}
        case "str_replace_editor":
            return {
                "command": "str_replace",
                "path": path,
                "old_str": "a",
                "new_str": "b",
            }
        case "apply_patch":
            patch = (
                f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"
            )
            return {"input": patch}
        case _:
            return {"command": f"sed -i s/a/b/ {path}"}


def session(tool: str, answers: Sequence[str]) -> list[dict[str, Json]]:
    """Return a chat in which a tool gives these answers, each about a file of its own."""
    messages: list[dict[str, Json]] = [
        {"role": "user", "content": "Change the files, please."}
    ]
    for number, answer in enumerate(answers):
        call = {"name": tool, "arguments": json.dumps(arguments(tool, path_of(number)))}
        calls: list[Json] = [{"id": f"c{number}", "type": "function", "function": call}]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages.append(
            {"role": "tool", "tool_call_id": f"c{number}", "content": answer}
        )
    messages.append({"role": "assistant", "content": "That is all that I tried. " * 40})
    messages.append({"role": "user", "content": "What is next?"})
    return messages


def path_of(number: int) -> str:
    return f"/srv/plum/src/part_{number}.py"


def told_as_done(
    tool: str, answers: Sequence[str], strategies: Sequence[str]
) -> Iterator[str]:
    """Yield the answers whose change is told as done, with who tells it."""
    messages = session(tool, answers)
    changed = {fact.text for fact in facts(messages).of_kind(FactKind.FILE_CHANGED)}
    results = {"facts": [f"{path} changed" for path in changed]}
    for name in strategies:
        found = compact(messages, strategy=name, limit=4_000)
        known = {json.dumps(one, sort_keys=True) for one in messages}
        new = [
            one
            for one in found.messages
            if json.dumps(one, sort_keys=True) not in known
        ]
        results[name] = [line for one in new for line in _lines(one)]
    for teller, lines in results.items():
        for number, answer in enumerate(answers):
            name = f"part_{number}.py"
            if any(_tells(line, name) for line in lines):
                yield f"{teller} · {tool} · {answer!r}"


def _lines(message: dict[str, Json]) -> list[str]:
    content = message.get("content")
    return content.splitlines() if isinstance(content, str) else []


def _tells(line: str, name: str) -> bool:
    said = line.partition("«")[0]  # what follows is what the tool said
    return name in said and _TOLD.search(said) is not None and not _HONEST.search(said)


def main() -> None:
    counts: Counter[str] = Counter()
    for language, tool in product(REASONS, TOOLS):
        said = outputs(language)
        for start in range(0, len(said), _PER_SESSION):
            answers = said[start : start + _PER_SESSION]
            found = list(told_as_done(tool, answers, STRATEGIES))
            counts[f"{language} outputs"] += len(answers)
            counts[f"{language} told as done"] += len(found)
            print(*found, sep="\n", end="\n" if found else "")
    for language in REASONS:
        count = counts[f"{language} outputs"]
        print(
            f"{language}: {counts[f'{language} told as done']} of {count} outputs told as done"
        )


if __name__ == "__main__":
    main()
