"""Runs the command line in this process, for studies and the fuzzer, in a home of its own."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from core.cli.main import run_command_line

FAILED = "Foldline failed"
"""With these words the command line reports a fault of its own."""
_FOLDERS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")


@dataclass(frozen=True, slots=True)
class CommandRun:
    code: int
    out: str
    err: str


def run_command(*arguments: str) -> CommandRun:
    """Run ``foldline`` with these arguments; the error output of a fault holds its traceback."""
    out, err = _stream(), _stream()
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command_line(arguments)
    return CommandRun(code, _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    content: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return content.decode("utf-8", "replace")


@contextmanager
def own_home(folder: Path) -> Iterator[None]:
    """Let commands keep what they remember in ``folder``."""
    before = {name: os.environ.get(name) for name in _FOLDERS}
    os.environ.update({name: str(folder / name.lower()) for name in _FOLDERS})
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
