"""A strict parser of shell commands into words and operators.

Anything that the shell would expand (variables, commands, globs, braces, home folders) makes the whole
command unclear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""
    (?P<blank>(?:[ \t]|\\\n)+)
  | (?P<comment>\#[^\n]*)
  | (?P<quiet>2>&1|2>>?[ \t]*/dev/null(?![^\s;&|]))
  | (?P<joint>&&|;|\n|\|(?![|&]))
  | (?P<here><<-?)
  | (?P<into>>>?(?![&|(>]))
  | (?P<word>(?:
        '[^']*'
      | "(?:[^"\\$`]|\\.)*"
      | \\[^\n]
      | [^\s;&|<>()'"\\$`*?\[\]{}~!]
    )+)
    """,
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
_ESCAPED = re.compile(r'\\([\\"$`\n])')
_LIVE = re.compile(r"[$`\\]")
_LONGEST = 200_000  # characters; longer commands are not parsed


class UnclearCommandError(Exception):
    """The meaning of the command is not certain."""


@dataclass(slots=True)
class SimpleCommand:
    words: list[str] = field(default_factory=list)
    into: list[tuple[str, str]] = field(default_factory=list)  # ">" or ">>", and the file
    document: str | None = None


@dataclass(slots=True)
class ShellPipeline:
    """Programs joined by pipes, and the operator after them: "&&", ";", a line end, or "" at the end."""

    programs: list[SimpleCommand]
    joint: str = ""


def parse_shell(command: str) -> tuple[ShellPipeline, ...]:
    """Parse a command into its pipelines. Raises UnclearCommandError."""
    if len(command) > _LONGEST:
        raise UnclearCommandError
    pipelines: list[ShellPipeline] = []
    line = ShellPipeline([SimpleCommand()])
    for kind, text in _tokens(command):
        program = line.programs[-1]
        if kind == "joint" and text == "|":
            line.programs.append(SimpleCommand())
        elif kind == "joint":
            line.joint = text
            _add_pipeline(line, pipelines)
            line = ShellPipeline([SimpleCommand()])
        elif kind in (">", ">>"):
            program.into.append((kind, text))
        elif kind == "document":
            if program.document is not None:
                raise UnclearCommandError
            program.document = text
        else:
            program.words.append(text)
    _add_pipeline(line, pipelines)
    return tuple(pipelines)


def _add_pipeline(line: ShellPipeline, pipelines: list[ShellPipeline]) -> None:
    """Add a pipeline unless its line is empty; raise if an operand of an operator is missing."""
    empty = [not (one.words or one.into or one.document is not None) for one in line.programs]
    if not any(empty):
        pipelines.append(line)
        return
    hanging = bool(pipelines) and pipelines[-1].joint == "&&" and not line.joint
    if len(empty) > 1 or line.joint not in ("\n", "") or hanging:
        raise UnclearCommandError


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    """Yield words, operators with their word, and here-documents at the place of their operator.

    The text of a here-document begins after the line of its operator.
    """
    line: list[tuple[str, str]] = []
    waiting: list[tuple[int, str, str]] = []
    at = 0
    before = "\n"
    while at < len(command):
        match = _TOKEN.match(command, at)
        if match is None or (match.lastgroup == "comment" and before not in " \t\n;"):
            raise UnclearCommandError
        at, kind, text = match.end(), match.lastgroup, match[0]
        before = text[-1]
        if kind == "word":
            line.append(("word", unquote(text)))
        elif kind in ("into", "here"):
            target, at = _target(command, at)
            if kind == "here":
                waiting.append((len(line), text, target))
            line.append((text, unquote(target)))
        elif kind == "joint":
            if text == "\n":
                at = _insert_documents(command, at, line, waiting)
                waiting = []
            line.append(("joint", text))
            if text == "\n":
                yield from line
                line = []
    if waiting:
        raise UnclearCommandError
    yield from line


def _target(command: str, at: int) -> tuple[str, int]:
    """Return the raw word after an operator, and where it ends."""
    while command[at : at + 1] in (" ", "\t") and command[at : at + 1]:
        at += 1
    match = _TOKEN.match(command, at)
    if match is None or match.lastgroup != "word":
        raise UnclearCommandError
    return match[0], match.end()


def _insert_documents(
    command: str, at: int, line: list[tuple[str, str]], waiting: Sequence[tuple[int, str, str]]
) -> int:
    """Insert the here-documents that begin at ``at`` into ``line``; return the end of the last."""
    for place, operator, mark in waiting:
        end = unquote(mark)
        body: list[str] = []
        while True:
            if at >= len(command):
                raise UnclearCommandError
            stop = command.find("\n", at)
            stop = len(command) if stop < 0 else stop
            text = command[at:stop]
            text = text.lstrip("\t") if operator == "<<-" else text
            at = min(stop + 1, len(command))
            if text == end:
                break
            body.append(text)
        whole = "\n".join(body)
        if mark == end and _LIVE.search(whole):
            raise UnclearCommandError
        line[place] = ("document", whole)
    return at


def unquote(text: str) -> str:
    """Return a word as the program receives it."""
    return "".join(_piece(match) for match in _PIECE.finditer(text))


def _piece(match: re.Match[str]) -> str:
    single, double, escaped, plain = match.groups()
    if double is not None:
        return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], double)
    return next(part for part in (single, escaped, plain) if part is not None)
