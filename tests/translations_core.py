"""What core says to people, read from its source: every text and every f-string, as a template.

``f"{count} call{'s' if count > 1 else ''} failed"`` is two templates, "{count} call failed" and
"{count} calls failed". The window finds out by them what a sentence was made of (``gui.composed``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tests.source_tree import files, name_of, tree

SILENT = (
    "core/cli/",  # the command line speaks English, like what a script reads from it
    "core/usage.py",
    "core/desktop/",
    "core/mcp/",
    "core/report/",  # a report is read by others, too
    "core/engine/compact_tool.py",  # what follows is written into transcripts, or is asked of a model
    "core/strategies/hybrid/lines.py",
    "core/strategies/hybrid/report.py",
    "core/strategies/hybrid/texts.py",
    "core/strategies/outline.py",
    "core/strategies/preset/activity.py",
    "core/strategies/tiered/texts.py",
    "core/summarize/earlier.py",
    "core/summarize/flatten.py",
    "core/summarize/library.py",
    "core/summarize/lines.py",
    "core/summarize/model.py",
    "core/summarize/offline.py",
    "core/summarize/record.py",
    "core/summarize/slots.py",
    "core/probes/absent.py",
    "core/probes/asking.py",
    "core/probes/judge.py",
    "core/probes/questions.py",
    "core/density/patches.py",  # what others write, by which it is known
    "core/density/shell",
    "core/density/tool_kinds.py",
    "core/facts/",
    "core/icontent.py",
    "core/pairs.py",
    "core/export/markdown.py",
    "core/export/claude_lines.py",
    "core/export/command_line.py",
    "core/export/redact.py",
    "core/strategies/preset/toml.py",
    "core/view/palette.py",
)
"""Beginnings of the files whose texts the window does not show as its own."""

_NO_TEXTS = {
    *("phrase", "tr", "plural", "quoted", "compile", "search", "match", "fullmatch", "sub", "findall"),
    *("startswith", "endswith", "removeprefix", "removesuffix", "replace", "split", "partition", "getLogger"),
}
"""Functions whose arguments are found elsewhere, or are looked for and not said."""
_SENTENCE = "sentence"
"""``spans.sentence``, whose parts make one text."""
_MOST = 12
"""Readings of one f-string; one with more of them is taken with its choices as names."""
_FOREIGN = re.compile(
    r"\n|\\|[|•→\]]$|^[<*`\[>]|</|\(\?|\*\*|[\U0001F000-\U0001FFFF✏•]|\] ?\.{3}$|^[A-Z0-9]{6}\b|^[A-Z ]+$"
    r"|^-[- ]|^# |section \d|characters left out"
)
"""Marks of markup, code and patterns."""
_OTHERS = (
    *("foldline ", "pip ", "import ", "Ran `", "ion spec", "REQ-", "LLM ", "none noted", "The draft:"),
    *("{write}", "{mark}", "(no out", "(command c", "(This list", "(last {", "Failed to parse"),
    *(
        "Write the",
        "Now write",
        "Here are several",
        "Think in private",
        "Replaces ",
        "Lists what",
        "Tells how",
    ),
    *(
        "Texts and summaries too",
        "Index of the",
        "First message, from",
        "Last message.",
        "What has to be known",
    ),
    *("use_curator", "The conversation up", "The conversation has", "Understood", "Got it."),
    *("The whole transcript", "Open tasks. Keep", "Above all keep"),
)
"""How texts begin that a model is asked or that become part of a result, and references to documents."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_HOLE = re.compile(r"\{[^{}]*\}")


def composed() -> Iterator[str]:
    """The templates of all of core, in the order of its files."""
    for path in files("core"):
        if not name_of(path).startswith(SILENT):
            yield from of_file(path)


def of_file(path: Path) -> Iterator[str]:
    """The templates of one file."""
    taken: set[int] = set()
    for node in ast.walk(tree(path)):
        if id(node) in taken or isinstance(node, ast.Expr) or _is_elsewhere(node):
            _take(node, taken)
        elif isinstance(node, ast.JoinedStr | ast.Constant | ast.BinOp) or _is_sentence(node):
            yield from filter(_is_said, map(str.strip, _readings(node, taken)))


def _is_elsewhere(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) in _NO_TEXTS and not _is_sentence(node)


def _is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) == _SENTENCE


def _called(node: ast.Call) -> str:
    return _named(node.func)


def _take(node: ast.AST, taken: set[int]) -> None:
    """Texts directly in it are no texts of their own; calls among the arguments are."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant | ast.JoinedStr | ast.FormattedValue | ast.Expr):
            taken.add(id(child))


def _readings(node: ast.AST, taken: set[int]) -> list[str]:
    """What a text can read, each choice between texts made; other values as ``{names}``."""
    found = _parts(node, taken)
    whole = [[""]] if found is None else found
    count = 1
    for choices in whole:
        count *= len(choices)
    if count > _MOST:
        whole = [choices if len(choices) == 1 else ["{choice}"] for choices in whole]
    return [_numbered("".join(parts)) for parts in product(*whole)]


def _parts(node: ast.AST, taken: set[int]) -> list[list[str]] | None:
    """The parts of a text with what each may read; None for what is no text."""
    if isinstance(node, ast.Constant):
        return [[node.value]] if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        taken.update(id(one) for one in node.values)
        return [part for one in node.values for part in _parts(one, taken) or []]
    if isinstance(node, ast.FormattedValue):
        return [_value(node.value, taken)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        both = _parts(node.left, taken), _parts(node.right, taken)
        if both == (None, None):
            return None
        taken.update((id(node.left), id(node.right)))
        sides = zip((node.left, node.right), both, strict=True)
        return [part for side, parts in sides for part in parts or [_value(side, taken)]]
    if isinstance(node, ast.Call) and _is_sentence(node):
        taken.update(id(one) for one in node.args)
        return [part for one in node.args for part in _parts(one, taken) or [_value(one, taken)]]
    return None


def _value(node: ast.AST, taken: set[int]) -> list[str]:
    """What a value may read in a text: one of two texts, or anything, by a name."""
    return _choices(node, taken) or [f"{{{_named(node)}}}"]


def _choices(node: ast.AST, taken: set[int]) -> list[str]:
    """What ``a if … else b`` may read where one of both is a text; nothing where neither is."""
    if not isinstance(node, ast.IfExp):
        return []
    found = []
    for one in (node.body, node.orelse):
        parts = _parts(one, taken)
        taken.add(id(one))
        found += [f"{{{_named(one)}}}"] if parts is None else ["".join(p) for p in product(*parts)]
    return found if any("{" not in one or _WORD.search(_HOLE.sub("", one)) for one in found) else []


def _named(node: ast.AST) -> str:
    """A name for the place of a value."""
    if isinstance(node, ast.Name):
        return node.id.strip("_").lower() or "value"
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_").lower()
    if isinstance(node, ast.Call):
        inner = (
            node.args[0]
            if len(node.args) == 1 and _named(node.func) in {"len", "str", "sum", "max"}
            else None
        )
        return _named(inner if inner is not None else node.func)
    if isinstance(node, ast.Subscript | ast.Starred | ast.Await):
        return _named(node.value)
    return "value"


def _numbered(text: str) -> str:
    """Of several places with one name the second gets a 2, and so on."""
    counts: dict[str, int] = {}

    def name(found: re.Match[str]) -> str:
        inner = found[0][1:-1]
        counts[inner] = counts.get(inner, 0) + 1
        return f"{{{inner}{counts[inner] if counts[inner] > 1 else ''}}}"

    return _HOLE.sub(name, text)


def _is_said(text: str) -> bool:
    """Words of ours: with a blank and a word that is not just a name."""
    literal = _HOLE.sub("", text)
    is_ours = not text.startswith(_OTHERS) and not _FOREIGN.search(text)
    return " " in text and bool(_WORD.search(literal)) and is_ours
