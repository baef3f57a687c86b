"""Crash reports: redacted text about an internal error, saved in the state folder."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from contextlib import suppress
from pathlib import Path

MOST_KEPT = 20
"""Number of reports kept; older ones are deleted."""
TOPIC = "fault"
EXIT_CODE = 2

_FOLDER = "faults"
_MAX_CHARACTERS = 20_000
"""Most characters in a report: an error may quote a whole transcript."""


def kind_of(error: BaseException) -> str:
    """Return the error's type and where it was raised, which identifies a kind of crash."""
    frames = traceback.extract_tb(error.__traceback__)
    target_folder = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__} {target_folder}".strip()


def crash_report(error: BaseException, doing: str = "") -> str:
    """Return the text of a bug report: versions, the running task, the traceback.

    Keys, tokens, mail addresses and the path of the home folder are redacted.
    """
    from core.common.version import installed_version  # late, as below: needed only after a crash

    python = platform.python_version()
    head = [f"Foldline {installed_version()}, Python {python}, {platform.system()} {platform.machine()}"]
    if doing:
        head.append(f"While: {doing}")
    return without_secrets("\n".join([*head, "", "".join(traceback.format_exception(error))]))


def without_secrets(text: str) -> str:
    """Return the text with secrets and the home folder redacted, shortened if it is long."""
    from core.common.redaction.redact import redact

    home = os.path.expanduser("~")
    clean = redact(text.replace(home, "~") if len(home) > 1 else text)[0]
    if len(clean) <= _MAX_CHARACTERS:
        return clean
    return f"{clean[: _MAX_CHARACTERS // 2]}\n… cut …\n{clean[-_MAX_CHARACTERS // 2 :]}"


def keep_report(text: str, folder: Path | None = None) -> Path | None:
    """Save a report in the state folder and delete the oldest; return None if it cannot be written."""
    from core.common.atomic_file import write_atomic
    from core.common.errors import InputError
    from core.common.paths import state_dir

    target_folder = folder or state_dir() / _FOLDER
    with suppress(OSError, InputError, ValueError):  # the folder may hold files with other names
        target_folder.mkdir(parents=True, exist_ok=True)
        existing = sorted(target_folder.glob("fault-*.txt"))
        number = int(existing[-1].stem.removeprefix("fault-")) + 1 if existing else 1
        path = target_folder / f"fault-{number:06}.txt"
        write_atomic(path, text.encode("utf-8", "backslashreplace"), overwrite=True)
        for old in existing[: max(0, len(existing) + 1 - MOST_KEPT)]:
            old.unlink(missing_ok=True)
        return path
    return None


def report_failure(error: BaseException, doing: str = "", *, prints: bool = False) -> int:
    """Report on standard error that a command failed and where the details are; return the exit code.

    ``prints``: print the whole report, too.
    """
    from core.common.excerpts import one_line_text

    text = crash_report(error, doing)
    if prints:
        print(text, file=sys.stderr)
    cause = one_line_text(without_secrets(f"{type(error).__name__}: {error}"), 300).rstrip(".")
    location = kept_at(keep_report(text))
    hint = "" if prints else " Run it again with --verbose to see them." if location else ""
    print(f"Foldline failed: {cause}. {location}{hint}".strip(), file=sys.stderr, flush=True)
    return EXIT_CODE


def kept_at(path: Path | None) -> str:
    if path is None:
        return ""
    return f"The details are in {path!s}."
