"""Analysis of a shell command: its parts, the files it writes, reads and deletes, and a short name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_COMMIT_TEXT = re.compile(r"""(["'])\$\(cat <<-?\s*['"]?(\w+)['"]?\n\s*(.+?)\n.*?\n\s*\2\s*\)\1""", re.DOTALL)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'", re.DOTALL)
_SPLIT = re.compile(r"&&|\|\||;|\n|(?<!>)\|&?|(?<![>&\d])&(?![>&])")
_REDIRECT = re.compile(r"(?<![<\d&=-])>>?\s*([^\s;&|<>()$`\"']+)")
_PIPE = re.compile(r"(?<![|>])\|(?!\|)")
_NOISE = re.compile(r"\s*(?:\d?>&\d|&>\s*/dev/null|\d?>\s*/dev/null)")
_ENVIRONMENT = re.compile(r"^(?:[A-Z_][A-Z0-9_]*=\S*\s+|(?:sudo|time|timeout\s+\S+|env|command|nohup)\s+)+")
_READ_ONLY_NAMES = """
cd ls cat head tail echo pwd grep rg egrep find which sed awk wc sort uniq true false sleep export set type
printf tree file stat diff less test [ do done for if then fi while read source xargs tee cut tr jq nl date
ps ss lsof seq df du free uname hostname env whoami else esac case return exit kill mkdir touch
"""
_READ_ONLY = frozenset(_READ_ONLY_NAMES.split())
_GIT_READ_ONLY = frozenset(
    {"add", "status", "log", "diff", "show", "branch", "rev-parse", "blame", "remote", "fetch", "ls-files"}
)
_READERS = frozenset({"cat", "head", "tail", "less", "nl", "bat"})
_PATH = re.compile(r"^[\w@~./+\-]*[\w\-]\.\w{1,8}$|^[\w@~.+\-]*/[\w@~./+\-]*[\w\-]$")


_MAX_CACHED = 2000  # most characters of a cached command; longer ones contain texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCommand:
    """A parsed shell command. ``name`` is the command on one line; ``parts`` are its working commands,
    without read-only ones; ``written`` and ``read`` are paths as written in the command; ``is_read_only``: it
    has only read-only commands, so that its output says nothing of success; ``piped``: the exit code is that
    of the last program."""

    name: str
    parts: tuple[str, ...]
    written: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    is_read_only: bool = False
    piped: bool = False


def parse_command_line(command: str) -> ShellCommand:
    """Parse a shell command by heuristics; never fails. Histories repeat their commands."""
    return _cached(command) if len(command) <= _MAX_CACHED else _parsed(command)


def _parsed(command: str) -> ShellCommand:
    text = _COMMIT_TEXT.sub(lambda match: f'"{match[3].strip()}"', command)
    text = _NOISE.sub("", _without_heredocs(text))
    segments = [_ENVIRONMENT.sub("", segment.strip()) for segment in _segments(text)]
    segments = [segment for segment in segments if segment and not segment.startswith("#")]
    working = [segment for segment in segments if _is_working(segment)]
    written, read, deleted = _touched_files(segments)
    named_segments = working or [segment for segment in segments if not segment.startswith("cd ")] or segments
    parts = tuple(dict.fromkeys(_one_line(_REDIRECT.sub("", segment)) for segment in working))
    return ShellCommand(
        name=_one_line(" && ".join(named_segments)),
        parts=parts,
        written=tuple(written),
        read=tuple(read),
        deleted=tuple(deleted),
        is_read_only=not working,
        piped=bool(_PIPE.search(text)),
    )


_cached = lru_cache(maxsize=4096)(_parsed)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:119].rstrip()}…"


def _without_heredocs(text: str) -> str:
    lines: list[str] = []
    end_mark = ""
    for line in text.splitlines():
        if end_mark:
            end_mark = "" if line.strip() == end_mark else end_mark
            continue
        lines.append(line)
        match = _HEREDOC.search(line)
        end_mark = match[2] if match else ""
    return "\n".join(lines)


def _segments(text: str) -> Iterator[str]:
    """Yield the commands, split at operators outside quotes; of a pipe only the first."""
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quoted.append(match[0])
        return f"\x00{len(quoted) - 1}\x00"

    unquoted = _QUOTED.sub(hide, text)
    position, piped = 0, False
    for match in _SPLIT.finditer(unquoted):
        if not piped:
            yield _with_quotes(unquoted[position : match.start()], quoted)
        piped = match[0].startswith("|") and match[0] != "||"
        position = match.end()
    if not piped:
        yield _with_quotes(unquoted[position:], quoted)


def _with_quotes(text: str, quoted: list[str]) -> str:
    return re.sub("\x00(\\d+)\x00", lambda match: quoted[int(match[1])], text)


def _is_working(segment: str) -> bool:
    words = segment.split()
    program = words[0].rsplit("/", 1)[-1]
    if "git" in words[:2]:
        verbs = [word for word in words[words.index("git") + 1 :] if not word.startswith(("-", "/"))]
        return bool(verbs) and verbs[0] not in _GIT_READ_ONLY
    if program == "sed":
        return any(word.startswith("-i") for word in words[1:3])
    if program == "gh":
        return any(word in ("create", "merge", "edit", "close", "comment", "POST") for word in words[1:6])
    return program not in _READ_ONLY and "=" not in words[0] and program[:1].isalnum()


def _touched_files(segments: list[str]) -> tuple[list[str], list[str], list[str]]:
    written: list[str] = []
    read: list[str] = []
    deleted: list[str] = []
    for segment in segments:
        bare = _QUOTED.sub(" ", segment)
        written += [path for path in _REDIRECT.findall(bare) if _is_file(path)]
        words = _REDIRECT.sub("", bare).split()
        if not words:
            continue
        paths = [word for word in words[1:] if _is_file(word)]
        if words[0] in _READERS or words[:2] == ["sed", "-n"]:
            read += paths
        elif words[0] == "sed" and len(words) > 1 and words[1].startswith("-i"):
            written += paths[-1:]
        elif words[0] in ("mv", "cp") or words[:2] == ["git", "mv"]:
            written += paths[-1:]
            deleted += paths[:-1] if words[0] != "cp" else []
        elif words[0] == "rm" or words[:2] == ["git", "rm"]:
            deleted += paths
        elif words[0] == "tee":
            written += paths
    return written, read, deleted


def _is_file(word: str) -> bool:
    return bool(_PATH.match(word)) and not word.startswith(("/dev/", "/proc/", "-", "//"))
