"""Runs the command line in this process and reads its JSON."""

import json
from typing import Any

import pytest

from core.cli.main import run_command_line
from core.common.paths import SAMPLES

SESSION = str(SAMPLES / "fix-flaky-upload.jsonl")
CHAT = str(SAMPLES / "support-desk.json")
RECORDING = str(SAMPLES / "tide-tables.jsonl")


class Cli:
    """The command line of a test: ``code``, ``out`` and ``err`` of the last run."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.code, self.out, self.err = -1, "", ""

    def run(self, *arguments: str) -> int:
        self._capsys.readouterr()
        self.code = run_command_line(arguments)
        self.out, self.err = self._capsys.readouterr()
        return self.code

    def json(self, *arguments: str) -> Any:
        self.run(*arguments, "--json")
        return json.loads(self.out)

    def error_text(self, *arguments: str) -> str:
        assert self.run(*arguments) == 2
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert "Traceback" not in self.err
        return self.err
