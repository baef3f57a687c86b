"""Standard output for results, standard error for everything else, questions on a terminal only."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli import late
from core.cli.arguments import CommonOptions
from core.cli.output.tables import (
    HeadLine,
    coloured,
    coloured_error,
    has_colours,
    terminal_lines,
)
from core.common.atomic_file import TargetExistsError, check_target
from core.common.errors import InputError
from core.common.excerpts import one_line_text

if TYPE_CHECKING:
    from core.settings_store.layers import SettingLayers

_LINE_WIDTH = 76
_ERASE = "\r\x1b[K"
_INVISIBLE = (
    r"\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f"
)
_CONTROL = re.compile(rf"[\x00-\x1f{_INVISIBLE}]")
_UNSAFE = re.compile(rf"[\x00-\x08\x0b-\x1f{_INVISIBLE}]")


def prepare_streams() -> None:
    """Make sure that no character of a transcript breaks the output, and no error gets into it."""
    if sys.stderr is None:  # closed; print would use standard output instead
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, open until the end
    if sys.stdin is None:  # closed; treated as empty
        sys.stdin = open(os.devnull)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def escape_terminal(text: str) -> str:
    """Escape control and invisible characters as JSON does: \\u001b. Line ends stay."""
    return _UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def print_lines(texts: Iterable[str]) -> None:
    """Print results, a line each, wrapped where a terminal is narrower; control and invisible
    characters become blanks."""
    in_colour = has_colours(sys.stdout)
    for text in texts:
        is_head = isinstance(text, HeadLine)
        for line in terminal_lines(_CONTROL.sub(" ", text)):
            shown = coloured(line, is_head=is_head) if in_colour else line
            sys.stdout.write(f"{shown}\n")


def write_bytes(content: bytes) -> None:
    sys.stdout.flush()
    if sys.stdout.isatty():
        sys.stdout.write(escape_terminal(content.decode("utf-8", "backslashreplace")))
        return
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def print_note(options: CommonOptions, text: str) -> None:
    if not options.quiet:
        print_error(safe_sentence(text))


def print_detail(options: CommonOptions, text: str) -> None:
    if options.verbose:
        print_error(safe_sentence(text))


def safe_sentence(text: str, width: int = 2000) -> str:
    """Return one line without control characters and keys, whatever a file, its name or an argument
    holds."""
    return late.redact_except_mail(one_line_text(text, width))


def print_error(text: str) -> None:
    """Print on standard error, escaped; where that fails, the exit code is left."""
    _print_escaped(text, coloured)


def print_failure(text: str) -> None:
    """Print what ended a command, as ``print_error`` does, in red."""
    _print_escaped(text, coloured_error)


def _print_escaped(text: str, colour: Callable[[str], str]) -> None:
    shown = escape_terminal(text)
    if has_colours(sys.stderr):
        shown = colour(shown)
    with suppress(OSError):
        print(shown, file=sys.stderr, flush=True)


class ConsoleProgress:
    """Shows progress in one line that is rewritten and at last erased; on a terminal only."""

    def __init__(self, options: CommonOptions) -> None:
        self._is_shown = sys.stderr.isatty() and not options.quiet
        self._line = ""

    def __call__(self, fraction: float, text: str) -> None:
        if self._is_shown:
            width = min(_LINE_WIDTH, shutil.get_terminal_size().columns - 1)
            line = one_line_text(f"{fraction * 100:3.0f} %  {text}", width)
            if line != self._line:
                print(f"{_ERASE}{line}", end="", file=sys.stderr, flush=True)
                self._line = line

    def __enter__(self) -> ConsoleProgress:
        return self

    def __exit__(self, *error: object) -> None:
        self.done()

    def done(self) -> None:
        if self._line:
            print(_ERASE, end="", file=sys.stderr, flush=True)
            self._line = ""


class CommandWorkspace:
    """What services without a transcript take as their workspace: the default settings, and no
    cancel."""

    @property
    def layers(self) -> SettingLayers:
        return late.SettingLayers()

    def is_cancelled(self) -> bool:
        """Return False: Ctrl C raises KeyboardInterrupt."""
        return False

    def check(self) -> None: ...


REPLACE_HINT = "Choose another name, or add --yes to replace it."


def check_output_file(path: Path, *, overwrite: bool) -> None:
    """Raise InputError for a file that could not be written, before the work begins."""
    try:
        check_target(path, overwrite=overwrite)
    except TargetExistsError as error:
        raise InputError(error.message, REPLACE_HINT) from None


def can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_yes_no(question: str) -> bool:
    """Ask on standard error; only y or yes is a yes."""
    print(f"{escape_terminal(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
