"""Malformed files through the command line: exit code, one sentence, no traceback, no control
characters."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.cli.command_names import COMMAND_NAMES, find_command
from core.common.paths import SAMPLES
from core.export.export import EXPORTERS
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.cli.test_cli_commands import COMMANDS as DOCUMENTED
from tests.support.hostile import TRICKS, UNSEEN

READING = (
    ("inspect",),
    ("lint",),
    ("compact",),
    ("convert", "--to", "openai", "--out", "-"),
)


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcome of a malformed file: the words of its refusal, or its number of messages, its
    warning, and whether lint finds errors."""

    refused: str = ""
    messages: int = 0
    said: tuple[str, ...] = ()
    errors: bool = False


EXPECTED = {
    "01": Expected(
        messages=3, said=("line 4: incomplete JSON (file still being written?)",)
    ),
    "03": Expected(messages=4),
    "05": Expected("is empty"),
    "06": Expected("looks like a PNG image"),
    "08": Expected(
        messages=3,
        said=("line 2: nested too deeply; the line was skipped",),
        errors=True,
    ),
    "10": Expected(
        messages=1,
        said=('line 1: the field "messages" is repeated; the last value was used',),
    ),
    "11": Expected(messages=3, errors=True),
    "13": Expected(messages=3, said=("line 2: content is a number; kept as it is",)),
    "15": Expected(
        messages=6,
        said=('line 1: the role "" is not known; kept as unknown',),
        errors=True,
    ),
    "16": Expected(messages=3, errors=True),
    "18": Expected(
        messages=4,
        said=("line 2: a call or result has no id; they are paired in order",),
        errors=True,
    ),
    "20": Expected(
        messages=4, said=("line 3: bytes that are not UTF-8 were replaced",)
    ),
    "21": Expected("is a web page (HTML)"),
    "23": Expected(messages=4),
    "25": Expected(
        messages=2,
        said=tuple(
            f"line {n}: the line is JSON but not an object" for n in (2, 3, 4, 5, 7)
        ),
    ),
    "26": Expected(messages=4),
    "28": Expected(messages=4, said=tuple(f"line {n}: not JSON" for n in (3, 4, 5))),
    "30": Expected(messages=4),
    "31": Expected(
        messages=3, said=("form a cycle", "line 3: the uuid u1 is repeated")
    ),
    "33": Expected(messages=4),
    "35": Expected(messages=3, errors=True),
    "36": Expected(messages=0, errors=True),
    "38": Expected("damaged .eval zip"),
}
"""By the number that the name of each file of the corpus begins with."""


def broken_files(corpus: Path) -> dict[str, Path]:
    files = sorted((corpus / "broken").iterdir())
    return {path.name[:2]: path for path in files if path.suffix != ".tsv"}


def test_every_file_is_in_the_table(corpus: Path) -> None:
    assert broken_files(corpus).keys() == EXPECTED.keys()


@pytest.mark.parametrize("command", READING, ids=[command[0] for command in READING])
@pytest.mark.parametrize("number", EXPECTED)
def test_each_behaves_as_expected(
    cli: Cli, corpus: Path, number: str, command: tuple[str, ...]
) -> None:
    path, expected = broken_files(corpus)[number], EXPECTED[number]
    arguments = (command[0], str(path), *command[1:])
    if expected.refused:
        told = cli.error_text(*arguments)
        assert path.name in told
        assert expected.refused in told
        return
    assert cli.run(*arguments) == int(expected.errors and command[0] == "lint")
    assert "Traceback" not in cli.err
    assert all(text in cli.err for text in expected.said)
    shown = (
        cli.err if command[0] == "convert" else cli.out + cli.err
    )  # an export is data, not text to read
    assert shown.replace("\n", "").isprintable()
    assert (
        command != ("inspect",)
        or cli.json("inspect", str(path))["messages"] == expected.messages
    )


def written(folder: Path, *lines: bytes) -> str:
    path = folder / "own.jsonl"
    path.write_bytes(b"\n".join(lines))
    return str(path)


def record(number: int, content: object = "hello") -> bytes:
    message = {"role": "user", "content": content}
    return json.dumps(
        {"type": "user", "uuid": f"u{number}", "parentUuid": None, "message": message}
    ).encode()


OWN: dict[str, tuple[tuple[bytes, ...], int, str]] = {
    "cut off": (
        (record(1), record(2)[:30]),
        1,
        "line 2: incomplete JSON (file still being written?)",
    ),
    "nested": (
        (record(1), b"[" * 100_000, record(2)),
        2,
        "line 2: nested too deeply; the line was skipped",
    ),
    "a number": (
        (record(1), record(2, 123)),
        2,
        "line 2: content is a number; kept as it is",
    ),
    "not UTF-8": (
        (record(1), record(2, "x").replace(b'"x"', b'"\xff"')),
        2,
        "line 2: bytes that are not",
    ),
    "no object": (
        (record(1), b"7", record(2)),
        2,
        "line 2: the line is JSON but not an object",
    ),
    "garbage": ((record(1), b"<<<<<<< HEAD", record(2)), 2, "line 2: not JSON"),
    "U+2028": ((record(1, "a\u2028b\x85c"), record(2)), 2, ""),
}
"""The same kinds of damage in files of our own: lines, messages, words."""


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("command", READING, ids=[command[0] for command in READING])
def test_damage_of_our_own(
    cli: Cli, tmp_path: Path, name: str, command: tuple[str, ...]
) -> None:
    lines, messages, words = OWN[name]
    path = written(tmp_path, *lines)
    assert cli.run(command[0], path, *command[1:]) == 0
    assert words in cli.err
    assert cli.json("inspect", path)["messages"] == messages


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b" \n\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "looks like a PNG image"),
        (b"<!DOCTYPE html><html></html>", "is a web page (HTML)"),
        (b"PK\x03\x04 cut off", "a damaged zip"),
        (b"null", "is JSON, but not a transcript"),
    ],
)
@pytest.mark.parametrize("command", READING, ids=[command[0] for command in READING])
def test_what_is_no_transcript(
    cli: Cli, tmp_path: Path, data: bytes, words: str, command: tuple[str, ...]
) -> None:
    told = cli.error_text(command[0], written(tmp_path, data), *command[1:])
    assert words in told
    assert "own.jsonl" in told


@pytest.mark.parametrize(
    "command", ["inspect", "lint", "compact", "compare -s pi", "replay -s none"]
)
def test_what_a_terminal_would_obey_is_not_printed(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    bad = "\x1b[31mZ\x07\u202e"
    call = {
        "id": bad,
        "type": "function",
        "function": {"name": bad, "arguments": f'{{"path": "{bad}"}}'},
    }
    messages = [
        {"role": "user", "content": f"Never {bad} touch {bad}."},
        {"role": "assistant", "content": bad, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"x{bad}", "content": f"Error: {bad}"},
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"model": bad, "messages": messages}))
    name, *options = command.split()
    assert cli.run(name, str(path), *options) == int(name == "lint")
    assert name != "lint" or "[31mZ" in cli.out
    assert (cli.out + cli.err).replace("\n", "").replace("\u00a0", "").isprintable()


_RUN = (
    "import json, sys\n"
    "from core.cli.main import run_command_line\n"
    "for words in json.loads(sys.argv[1]):\n"
    "    print('$', words[0], flush=True)\n"
    "    run_command_line(words)\n"
)
_WORDS = TRICKS.replace("\ud800", "").replace("\0", "")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "ta\x1b[31mlk\u202e\x07.json"
    said = [
        {"role": role, "content": f"{_WORDS} {role}"}
        for role in ("user", "assistant") * 6
    ]
    path.write_text(json.dumps({"model": f"m{_WORDS}", "messages": said}), "utf-8")
    return path


def _commands(file: str, folder: str) -> list[list[str]]:
    """Return every command as text, as JSON if it has that, and as an export to the terminal."""
    places = {SESSION: file, CHAT: file, str(SAMPLES): folder}
    documented = (
        [command.split("-")[0], *words] for command, words in DOCUMENTED.items()
    )
    both = [
        ["hook", "status"],
        *([places.get(word, word) for word in words] for words in documented),
    ]
    plain = [
        ["compare", folder, "-s", "middle-out", "--csv"],
        ["compact", file, "-s", "middle-out", "-o", "-"],
        ["watch", "--once"],
        ["set", "compression.context-limit", f"{file}x"],
        ["completion", f"{file}x"],
        ["inspect", f"{file}x"],
        *(["convert", file, "--to", one.name, "-o", "-"] for one in EXPORTERS),
    ]
    return [*both, *([*one, "--json"] for one in both), *plain]


def _written(commands: list[list[str]], folder: Path) -> str:
    pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")
    ours, theirs = pty.openpty()
    environ = {**os.environ, "HOME": str(folder), "PYTHONIOENCODING": "utf-8"}
    environ["NO_COLOR"] = "1"  # of Foldline itself
    words = [sys.executable, "-c", _RUN, json.dumps(commands)]
    ran = subprocess.Popen(words, stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    pieces = []
    with suppress(OSError):  # the other end was closed
        while piece := os.read(ours, 65_536):
            pieces.append(piece)
    os.close(ours)
    assert ran.wait() == 0
    return b"".join(pieces).decode("utf-8")


def test_nothing_that_a_terminal_obeys_is_written_to_it(
    chat: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    commands = [[*one, "--quiet"] for one in _commands(str(chat), str(tmp_path))]
    assert set(COMMAND_NAMES) - {find_command(one)[0] for one in commands} == {
        *("shot", "mcp", "supplement", "undo")
    }
    text = _written(commands, home)
    assert text.count("\n$ ") + text.startswith("$ ") >= len(commands) - 1
    assert text.count("role") > 10
    assert {UNSEEN[one] for one in UNSEEN if one in text} == set()


def test_a_pipe_gets_every_byte_and_json_without_them(cli: Cli, chat: Path) -> None:
    cli.run("convert", str(chat), "--to", "md", "-o", "-", "--no-redact")
    assert _WORDS in cli.out
    assert cli.json("inspect", str(chat))["file"]
    assert {UNSEEN[one] for one in UNSEEN if one in cli.out} == set()
