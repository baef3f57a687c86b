"""No command writes control characters to a terminal, whatever a file or its name holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from core.cli.command_names import COMMANDS
from core.common.paths import SAMPLES
from core.export.export import EXPORTERS
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.cli.test_cli_commands import COMMANDS as DOCUMENTED
from tests.hostile import TRICKS, UNSEEN

pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")

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
    said = [{"role": role, "content": f"{_WORDS} {role}"} for role in ("user", "assistant") * 6]
    path.write_text(json.dumps({"model": f"m{_WORDS}", "messages": said}), "utf-8")
    return path


def _commands(file: str, folder: str) -> list[list[str]]:
    """Return every command as text, as JSON if it has that, and as an export to the terminal."""
    places = {SESSION: file, CHAT: file, str(SAMPLES): folder}
    documented = ([command.split("-")[0], *words] for command, words in DOCUMENTED.items())
    both = [["hook", "status"], *([places.get(word, word) for word in words] for words in documented)]
    plain = [
        ["compare", folder, "-s", "middle-out", "--csv"],
        ["compact", file, "-s", "middle-out", "-o", "-"],
        ["watch", "--once"],
        ["inspect", f"{file}x"],
        *(["convert", file, "--to", one.name, "-o", "-"] for one in EXPORTERS),
    ]
    return [*both, *([*one, "--json"] for one in both), *plain]


def _written(commands: list[list[str]], folder: Path) -> str:
    ours, theirs = pty.openpty()
    environ = {**os.environ, "HOME": str(folder), "PYTHONIOENCODING": "utf-8"}
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


def test_nothing_that_a_terminal_obeys_is_written_to_it(chat: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    commands = [[*one, "--quiet"] for one in _commands(str(chat), str(tmp_path))]
    assert set(COMMANDS) - {one[0] for one in commands} == {"shot", "mcp"}
    text = _written(commands, home)
    assert text.count("\n$ ") + text.startswith("$ ") >= len(commands) - 1
    assert text.count("role") > 10
    assert {UNSEEN[one] for one in UNSEEN if one in text} == set()


def test_a_pipe_gets_every_byte_and_json_without_them(cli: Cli, chat: Path) -> None:
    cli.run("convert", str(chat), "--to", "md", "-o", "-", "--no-redact")
    assert _WORDS in cli.out
    assert cli.json("inspect", str(chat))["file"]
    assert {UNSEEN[one] for one in UNSEEN if one in cli.out} == set()
