"""Crash reports: redacted text about an internal error, saved in the state folder."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import Cancelled, FoldlineError, InputError
from core.common.excerpts import one_line_text
from core.common.paths import installed_version, state_dir

MAX_REPORTS = 20
"""Number of reports kept; older ones are deleted."""
NOTICE_TOPIC = "fault"
EXIT_CODE = 2

_FOLDER = "faults"
_MAX_CHARACTERS = 20_000
"""Most characters in a report: an error may quote a whole transcript."""
_MAX_CAUSE = 300  # characters


def error_kind(error: BaseException) -> str:
    """Return the error's type and where it was raised, which identifies a kind of crash."""
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        location = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    else:
        location = ""
    return f"{type(error).__name__} {location}".strip()


def crash_report(error: BaseException, task: str = "") -> str:
    """Return the text of a bug report: versions, the running task, the traceback.

    Keys, tokens, mail addresses and the path of the home folder are redacted.
    """
    python = platform.python_version()
    header = [
        f"Foldline {installed_version()}, Python {python}, {platform.system()} {platform.machine()}"
    ]
    if task:
        header.append(f"While: {task}")
    return without_secrets(
        "\n".join([*header, "", "".join(traceback.format_exception(error))])
    )


def without_secrets(text: str) -> str:
    """Return the text with secrets and the home folder redacted, shortened if it is long."""
    from core.common.redaction import redact

    home = os.path.expanduser("~")
    clean = redact(text.replace(home, "~") if len(home) > 1 else text)[0]
    if len(clean) <= _MAX_CHARACTERS:
        return clean
    return f"{clean[: _MAX_CHARACTERS // 2]}\n… cut …\n{clean[-_MAX_CHARACTERS // 2 :]}"


def save_report(text: str, folder: Path | None = None) -> Path | None:
    """Save a report in the state folder and delete the oldest; return None if it cannot be
    written."""
    target_folder = folder or state_dir() / _FOLDER
    # The folder may hold files with other names.
    with suppress(OSError, InputError, ValueError):
        target_folder.mkdir(parents=True, exist_ok=True)
        existing = sorted(target_folder.glob("fault-*.txt"))
        if existing:
            number = int(existing[-1].stem.removeprefix("fault-")) + 1
        else:
            number = 1
        path = target_folder / f"fault-{number:06}.txt"
        write_atomic(
            path,
            text.encode("utf-8", "backslashreplace"),
            overwrite=True,
            is_private=True,
        )
        for old in existing[: max(0, len(existing) + 1 - MAX_REPORTS)]:
            old.unlink(missing_ok=True)
        return path
    return None


def item_problem(error: Exception) -> str:
    """Return what is said of one item of a list that failed, so that the list goes on; raise
    Cancelled again.

    An error of Foldline's own code saves no report: a list may hold thousands of such items.
    """
    if isinstance(error, Cancelled):
        raise error
    if isinstance(error, FoldlineError):
        return str(error)
    cause = one_line_text(
        without_secrets(f"{error_kind(error)}: {error}"), _MAX_CAUSE
    ).rstrip(".: ")
    return f"Foldline failed: {cause}. Inspect this file alone for a report."


def report_failure(
    error: BaseException, task: str = "", *, print_report: bool = False
) -> int:
    """Report on standard error that a command failed and where the details are; return the exit
    code.

    ``print_report``: print the whole report, too.
    """
    text = crash_report(error, task)
    if print_report:
        print(text, file=sys.stderr)
    cause = one_line_text(
        without_secrets(f"{type(error).__name__}: {error}"), _MAX_CAUSE
    ).rstrip(".")
    path = save_report(text)
    location = report_location(path)
    if location and not print_report:
        hint = " Run it again with --verbose to see them."
    else:
        hint = ""
    print(
        f"Foldline failed: {cause}. {location}{hint}".strip(),
        file=sys.stderr,
        flush=True,
    )
    return EXIT_CODE


def report_location(path: Path | None) -> str:
    if path is None:
        return ""
    return f"The details are in {path!s}."
