"""A strict parser of shell commands into words and operators. Anything that the shell would expand
(variables, commands, globs, braces, home folders) makes the whole command unclear."""

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
_EXPANSION = re.compile(r"[$`\\]")
_MAX_LENGTH = 200_000  # characters; longer commands are not parsed


class UnclearCommandError(Exception):
    """The meaning of the command is not certain."""


@dataclass(slots=True)
class SimpleCommand:
    words: list[str] = field(default_factory=list)
    redirections: list[tuple[str, str]] = field(default_factory=list)  # ">" or ">>", and the file
    document: str | None = None


@dataclass(slots=True)
class ShellPipeline:
    """Programs joined by pipes, and the operator after them: "&&", ";", a line end, or "" at the
    end."""

    programs: list[SimpleCommand]
    operator: str = ""


def parse_shell(command: str) -> tuple[ShellPipeline, ...]:
    """Parse a command into its pipelines. Raises UnclearCommandError."""
    if len(command) > _MAX_LENGTH:
        raise UnclearCommandError
    pipelines: list[ShellPipeline] = []
    line = ShellPipeline([SimpleCommand()])
    for kind, text in _tokens(command):
        program = line.programs[-1]
        if kind == "joint" and text == "|":
            line.programs.append(SimpleCommand())
        elif kind == "joint":
            line.operator = text
            _add_pipeline(line, pipelines)
            line = ShellPipeline([SimpleCommand()])
        elif kind in (">", ">>"):
            program.redirections.append((kind, text))
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
    empty = [
        not (program.words or program.redirections or program.document is not None)
        for program in line.programs
    ]
    if not any(empty):
        pipelines.append(line)
        return
    lacks_operand = bool(pipelines) and pipelines[-1].operator == "&&" and not line.operator
    if len(empty) > 1 or line.operator not in ("\n", "") or lacks_operand:
        raise UnclearCommandError


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    """Yield words, operators with their word, and here-documents at the place of their operator.
    The text of a here-document begins after the line of its operator."""
    line: list[tuple[str, str]] = []
    pending_documents: list[tuple[int, str, str]] = []
    position = 0
    previous_character = "\n"
    while position < len(command):
        match = _TOKEN.match(command, position)
        if match is None or (match.lastgroup == "comment" and previous_character not in " \t\n;"):
            raise UnclearCommandError
        position, kind, text = match.end(), match.lastgroup, match[0]
        previous_character = text[-1]
        if kind == "word":
            line.append(("word", unquote(text)))
        elif kind in ("into", "here"):
            target, position = _target(command, position)
            if kind == "here":
                pending_documents.append((len(line), text, target))
            line.append((text, unquote(target)))
        elif kind == "joint":
            if text == "\n":
                position = _insert_documents(command, position, line, pending_documents)
                pending_documents = []
            line.append(("joint", text))
            if text == "\n":
                yield from line
                line = []
    if pending_documents:
        raise UnclearCommandError
    yield from line


def _target(command: str, position: int) -> tuple[str, int]:
    """Return the raw word after an operator, and where it ends."""
    while command[position : position + 1] in (" ", "\t") and command[position : position + 1]:
        position += 1
    match = _TOKEN.match(command, position)
    if match is None or match.lastgroup != "word":
        raise UnclearCommandError
    return match[0], match.end()


def _insert_documents(
    command: str,
    position: int,
    line: list[tuple[str, str]],
    pending_documents: Sequence[tuple[int, str, str]],
) -> int:
    """Insert the here-documents that begin at ``position`` into ``line``; return the end of the
    last."""
    for place, operator, delimiter in pending_documents:
        end_line = unquote(delimiter)
        body: list[str] = []
        while True:
            if position >= len(command):
                raise UnclearCommandError
            line_end = command.find("\n", position)
            line_end = len(command) if line_end < 0 else line_end
            text = command[position:line_end]
            text = text.lstrip("\t") if operator == "<<-" else text
            position = min(line_end + 1, len(command))
            if text == end_line:
                break
            body.append(text)
        document = "\n".join(body)
        if delimiter == end_line and _EXPANSION.search(document):
            raise UnclearCommandError
        line[place] = ("document", document)
    return position


def unquote(text: str) -> str:
    """Return a word as the program receives it."""
    return "".join(_piece(match) for match in _PIECE.finditer(text))


def _piece(match: re.Match[str]) -> str:
    single_quoted, double_quoted, escaped, plain = match.groups()
    if double_quoted is not None:
        return _ESCAPED.sub(lambda found: "" if found[1] == "\n" else found[1], double_quoted)
    return next(part for part in (single_quoted, escaped, plain) if part is not None)
