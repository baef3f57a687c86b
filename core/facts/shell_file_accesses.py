"""Files that a shell command certainly reads and writes. A wrong answer would prune messages that
must stay, so any doubt yields nothing: a read piped through another program, a write whose failure
the exit code does not show, a path with variables. Unknown programs are ignored unless they could
change the working folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.facts.shell_parser import ShellPipeline, SimpleCommand, UnclearCommandError, parse_shell
from core.transcript.tool_kinds import FileOperation

END_OF_FILE = 1 << 60
_MAX_CACHED = 2000  # most characters of a cached command; longer ones contain texts
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_SCRIPT = re.compile(r"-[a-z]*c")
_KEYWORD_LIST = """
. ! [[ alias bg builtin case command coproc declare do done elif else esac eval exec exit export fg fi for
function if in popd pushd return select shift source then time trap unset until wait while
"""
_SHELL_KEYWORDS = frozenset(_KEYWORD_LIST.split())
_FOLDER_CHANGE = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd|popd)(?=$|[\s;&|)}])")
_RANGE = re.compile(r"(\d+)(?:,(\d+|\$))?p")
_COUNT = re.compile(r"-n?(\d+)|--lines=(\d+)")
_FROM = re.compile(r"\+(\d+)")


@dataclass(frozen=True, slots=True)
class ShellFileUse:
    """A use of one file by a command. ``path`` may be relative. ``lines`` are inclusive, from 1;
    None: the whole file, or unknown."""

    path: str
    operation: FileOperation
    lines: tuple[int, int] | None = None


def shell_file_uses(command: str | Sequence[str]) -> tuple[ShellFileUse, ...]:
    """Return the reads of a command or list of arguments if it only reads, else its writes and
    edits."""
    if isinstance(command, str) and len(command) <= _MAX_CACHED:
        return _cached(command)
    return _uncached(command)


def _uncached(command: str | Sequence[str]) -> tuple[ShellFileUse, ...]:
    try:
        return _uses(_pipelines(command))
    except UnclearCommandError:
        return ()


_cached = lru_cache(maxsize=4096)(_uncached)


def changes_folder(command: str) -> bool:
    return bool(_FOLDER_CHANGE.search(command))


def _pipelines(command: str | Sequence[str]) -> tuple[ShellPipeline, ...]:
    """Return the pipelines of a command; for a shell with a script, those of the script."""
    if isinstance(command, str):
        pipelines = parse_shell(command)
    else:
        pipelines = (ShellPipeline([SimpleCommand(list(command))]),) if command else ()
    if len(pipelines) == 1 and len(pipelines[0].programs) == 1:
        words, program = pipelines[0].programs[0].words, pipelines[0].programs[0]
        is_shell = bool(words) and words[0].rsplit("/", 1)[-1] in _SHELLS
        is_script = is_shell and len(words) == 3 and _SCRIPT.fullmatch(words[1]) is not None
        if is_script and not program.redirections and program.document is None:
            return parse_shell(words[2])
    return pipelines


def _uses(lines: Sequence[ShellPipeline]) -> tuple[ShellFileUse, ...]:
    reads: list[ShellFileUse] = []
    changes: list[ShellFileUse] = []
    strict = bool(lines) and _stops_at_errors(lines[0])
    folder, is_known = "", True
    for index, line in enumerate(lines):
        words = line.programs[0].words
        if words and words[0] in _SHELL_KEYWORDS:
            raise UnclearCommandError
        if words[:1] == ["cd"]:
            folder = _folder_after(folder, line, strict=strict)
            continue
        uses = _pipeline_uses(line)
        if uses is None:
            is_known = False
            uses = [
                ShellFileUse(path, FileOperation.EDIT)
                for program in line.programs
                for _, path in program.redirections
                if _is_file(path)
            ]
        is_certain = strict or all(
            later.operator in ("&&", "") or later is lines[-1] for later in lines[index:]
        )
        for use in uses:
            resolved = replace(use, path=_join(folder, use.path))
            if use.operation is FileOperation.READ:
                reads.append(resolved)
            else:
                changes.append(
                    resolved if is_certain else replace(resolved, operation=FileOperation.EDIT)
                )
    if changes:
        return tuple(changes)
    return tuple(reads) if is_known else ()


def _stops_at_errors(line: ShellPipeline) -> bool:
    """Return True for ``set -e`` and the like: the exit code then covers every step."""
    words = line.programs[0].words
    return (
        len(line.programs) == 1
        and words[:1] == ["set"]
        and any(word.startswith("-") and "e" in word for word in words[1:])
    )


def _folder_after(folder: str, line: ShellPipeline, *, strict: bool) -> str:
    """Return the folder after ``cd``; raise UnclearCommandError if its failure would not stop the
    command."""
    words = line.programs[0].words
    certain = len(line.programs) == 1 and (line.operator in ("&&", "") or strict)
    if len(words) != 2 or words[1].startswith("-") or not certain:
        raise UnclearCommandError
    return _join(folder, words[1])


def _join(folder: str, path: str) -> str:
    return path if path.startswith("/") or not folder else f"{folder}/{path}"


def _is_file(path: str) -> bool:
    return bool(path) and not path.startswith(("/dev/", "/proc/", "-", "&"))


def _pipeline_uses(line: ShellPipeline) -> list[ShellFileUse] | None:
    if len(line.programs) > 2 or any(not program.words for program in line.programs[1:]):
        return None
    first = line.programs[0]
    if len(line.programs) == 2:
        return _piped(first, line.programs[1])
    if first.words[:1] == ["tee"] and all(path == "/dev/null" for _, path in first.redirections):
        return _tee(first) if first.document is not None else None
    if first.redirections:
        return _redirected(first)
    if first.words[:1] == ["apply_patch"]:
        return _patch(first)
    reader = _PROGRAMS.get(first.words[0]) if first.words else None
    return reader(first) if reader is not None else None


def _piped(first: SimpleCommand, second: SimpleCommand) -> list[ShellFileUse] | None:
    """Return the file whose lines the second program shows, or the files that ``tee`` writes."""
    if first.redirections or second.redirections or second.document is not None:
        return None
    if second.words[0] == "tee":
        return _tee(second) if _is_literal(first) else None
    reader = {"cat": _cat, "nl": _nl}.get(first.words[0] if first.words else "")
    whole_file_reads = reader(first) if reader is not None else None
    if (
        not whole_file_reads
        or len(whole_file_reads) != 1
        or second.words[0] not in ("head", "tail", "sed")
    ):
        return None
    lines = _PROGRAMS[second.words[0]](SimpleCommand([*second.words, whole_file_reads[0].path]))
    is_one_read = lines is not None and len(lines) == 1 and lines[0].operation is FileOperation.READ
    return lines if is_one_read else None


def _redirected(program: SimpleCommand) -> list[ShellFileUse] | None:
    """Return the file to which a redirection writes: a whole write with ``>``, an edit with
    ``>>``."""
    operator, path = program.redirections[0]
    if len(program.redirections) != 1 or not _is_file(path):
        return None
    is_whole_write = operator == ">" and _is_literal(program)
    return [ShellFileUse(path, FileOperation.WRITE if is_whole_write else FileOperation.EDIT)]


def _is_literal(program: SimpleCommand) -> bool:
    """Return True if the output of a program is a text in the command itself."""
    name = program.words[0] if program.words else ""
    if program.document is not None:
        return program.words == ["cat"]
    return name in ("echo", "printf", ":", "true", "")


def _patch(program: SimpleCommand) -> list[ShellFileUse] | None:
    text = program.document if program.document is not None else "\n".join(program.words[1:2])
    return [ShellFileUse(path, operation) for path, operation in patched_files(text)] or None


def _files(
    words: Sequence[str], operation: FileOperation, lines: tuple[int, int] | None = None
) -> list[ShellFileUse] | None:
    if not words or not all(map(_is_file, words)):
        return None
    return [ShellFileUse(word, operation, lines) for word in words]


def _cat(program: SimpleCommand) -> list[ShellFileUse] | None:
    if program.document is not None:
        return None
    flags = [word for word in program.words[1:] if word.startswith("-")]
    if any(not re.fullmatch(r"-[AbeEntTuv]+", flag) for flag in flags):
        return None
    return _files([word for word in program.words[1:] if word not in flags], FileOperation.READ)


def _nl(program: SimpleCommand) -> list[ShellFileUse] | None:
    words = [word for word in program.words[1:] if not re.fullmatch(r"-b ?[at]|-w ?\d+|-s.", word)]
    return _files(words, FileOperation.READ)


def _head(program: SimpleCommand) -> list[ShellFileUse] | None:
    count, words = _counted(program.words[1:])
    return None if count is None else _files(words, FileOperation.READ, (1, int(count or 10)))


def _tail(program: SimpleCommand) -> list[ShellFileUse] | None:
    """Return the files of ``tail``; line numbers are known only for ``-n +N``."""
    words = program.words[1:]
    begins = _FROM.fullmatch(words[1]) if words[:1] == ["-n"] and len(words) > 1 else None
    if begins:
        return _files(words[2:], FileOperation.READ, (max(1, int(begins[1])), END_OF_FILE))
    count, words = _counted(words)
    return None if count is None else _files(words, FileOperation.READ)


def _counted(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the line count of the options ("" for none, None if unclear), and the files."""
    rest = list(words)
    if not rest or not rest[0].startswith("-"):
        return "", rest
    if rest[0] == "-n" and len(rest) > 1 and rest[1].isdecimal():
        return rest[1], rest[2:]
    match = _COUNT.fullmatch(rest[0])
    return (match[1] or match[2], rest[1:]) if match else (None, [])


def _sed(program: SimpleCommand) -> list[ShellFileUse] | None:
    """Return files shown by ``sed -n 'A,Bp'`` or edited by ``sed -i``."""
    words = program.words[1:]
    if any(re.fullmatch(r"-[nErsz]*i.*|--in-place.*", word) for word in words):
        return _edited(words)
    if len(words) < 3 or words[0] != "-n":
        return None
    found = [_RANGE.fullmatch(part.strip()) for part in words[1].split(";")]
    ranges = [(int(m[1]), END_OF_FILE if m[2] == "$" else int(m[2] or m[1])) for m in found if m]
    if len(ranges) != len(found):
        return None
    span = (min(low for low, _ in ranges), max(max(pair) for pair in ranges))
    return _files(words[2:], FileOperation.READ, span)


def _edited(words: Sequence[str]) -> list[ShellFileUse] | None:
    """Return the files of an edit in place: the words that are neither options nor the script."""
    arguments = [word for word in words if word and not word.startswith("-")]
    return _files(arguments[1:], FileOperation.EDIT)


def _perl(program: SimpleCommand) -> list[ShellFileUse] | None:
    words = program.words[1:]
    return _edited(words) if any(re.fullmatch(r"-\w*i\S*", word) for word in words) else None


def _tee(program: SimpleCommand) -> list[ShellFileUse] | None:
    words = program.words[1:]
    if words[:1] in (["-a"], ["--append"]):
        return _files(words[1:], FileOperation.EDIT)
    return _files(words, FileOperation.WRITE)


def _nothing(program: SimpleCommand) -> list[ShellFileUse]:
    """Return no uses, for programs that print only what the command says."""
    return []


_PROGRAMS: Mapping[str, Callable[[SimpleCommand], list[ShellFileUse] | None]] = {
    "cat": _cat,
    "nl": _nl,
    "head": _head,
    "tail": _tail,
    "sed": _sed,
    "perl": _perl,
    **dict.fromkeys(("echo", "printf", "true", ":", "set"), _nothing),
}


_BEGIN = "*** Begin Patch"
_HEADS: Mapping[str, FileOperation] = {
    "*** Add File: ": FileOperation.WRITE,
    "*** Update File: ": FileOperation.EDIT,
    "*** Delete File: ": FileOperation.WRITE,
    "*** Move to: ": FileOperation.EDIT,
}
"""Prefixes of a patch's sections. A deleted file's content is as stale as a rewritten one's."""


def patched_files(text: str) -> tuple[tuple[str, FileOperation], ...]:
    """Return paths as written in the patch, and the operation on each; empty if the text is not a
    patch."""
    if _BEGIN not in text:
        return ()
    return tuple(
        (line[len(prefix) :].strip(), operation)
        for line in text.splitlines()
        for prefix, operation in _HEADS.items()
        if line.startswith(prefix)
    )
