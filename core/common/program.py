"""Runs a program that the person named, with data on its standard input."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from core.common.errors import InputError
from core.common.excerpts import one_line_text

_POLL_SECONDS = 0.02
_MAX_ERROR = 300
"""Characters of what a program wrote on standard error."""


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    seconds: float
    output_bytes: int


def command_words(command: str) -> list[str]:
    """Return the words of a command line, as a shell would split it; InputError."""
    try:
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as error:
        raise InputError(
            f"The command {command!r} cannot be read: {str(error).lower()}.",
            "Check its quotes.",
        ) from None
    if not words:
        raise InputError("The command is empty.", "Write it as in: node mine.js.")
    return words


def run_program(
    command: str, data: bytes, limits: ProgramLimits, check: Callable[[], None]
) -> bytes:
    """Return what a program writes on standard output, without a shell between.

    ``check`` is called while it runs and may raise Cancelled. Raises InputError, in one sentence,
    where it cannot be started, fails, or goes over a limit; it is ended then.
    """
    words = command_words(command)
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(data)
        given.seek(0)
        process = _started(command, words, (given, output, errors))
        try:
            _wait(command, process, output, limits, check)
        finally:
            _end(process)
        if process.returncode:
            raise InputError(
                f"{command} failed with {_exit_words(process.returncode)}.",
                _said(errors),
            )
        output.seek(0)
        return output.read()


def _started(
    command: str, words: Sequence[str], files: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> subprocess.Popen[bytes]:
    given, output, errors = files
    try:
        return subprocess.Popen(
            words,
            stdin=given,
            stdout=output,
            stderr=errors,
            start_new_session=os.name
            == "posix",  # so that all that it starts ends with it
        )
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(
            f"{command} cannot be started: {cause}.", "Check the name of the program."
        ) from None


def _wait(
    command: str,
    process: subprocess.Popen[bytes],
    output: IO[bytes],
    limits: ProgramLimits,
    check: Callable[[], None],
) -> None:
    end = time.monotonic() + limits.seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_SECONDS)
        if os.fstat(output.fileno()).st_size > limits.output_bytes:
            raise InputError(
                f"{command} wrote more than {limits.output_bytes // 1_000_000:,} MB.",
                "It was ended.",
            )
        if process.returncode is not None:
            return
        if time.monotonic() > end:
            raise InputError(
                f"{command} gave no result within {limits.seconds:,.10g} seconds.",
                "It was ended.",
            )
        check()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and, where the system has groups of processes, what it started."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()


def _exit_words(code: int) -> str:
    if code < 0:
        return f"signal {-code}"
    return f"exit code {code}"


def _said(errors: IO[bytes]) -> str:
    """Return the last line with an error that a program wrote, "" where it wrote none."""
    errors.seek(0)
    lines = [
        line.strip() for line in errors.read().decode("utf-8", "replace").splitlines()
    ]
    telling = [line for line in lines if "Error" in line] or [
        line for line in lines if line
    ]
    if telling:
        return f"It said: {one_line_text(telling[-1], _MAX_ERROR)}"
    return ""
