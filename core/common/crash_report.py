"""A fault of the program itself: a report without secrets, kept in the state folder."""

from __future__ import annotations

import os
import platform
import sys
import traceback
from contextlib import suppress
from pathlib import Path

MOST_KEPT = 20
"""Reports that are kept; the oldest go."""
TOPIC = "fault"
EXIT_CODE = 2

_FOLDER = "faults"
_LONGEST = 20_000
"""Characters of a report: an error may quote a whole transcript."""


def kind_of(error: BaseException) -> str:
    """What tells one fault from another: the error's type and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__} {place}".strip()


def crash_report(error: BaseException, doing: str = "") -> str:
    """The text for a person who reports a fault: versions, what was being done, where it failed.

    Keys, tokens, mail addresses and the name of the home folder are written over.
    """
    from core.common.version import installed_version  # late, as below: without a fault nobody needs these

    python = platform.python_version()
    head = [f"Foldline {installed_version()}, Python {python}, {platform.system()} {platform.machine()}"]
    if doing:
        head.append(f"While: {doing}")
    return without_secrets("\n".join([*head, "", "".join(traceback.format_exception(error))]))


def without_secrets(text: str) -> str:
    """A text for others to see: secrets and the home folder written over, cut where it is long."""
    from core.common.redaction.redact import redact

    home = os.path.expanduser("~")
    clean = redact(text.replace(home, "~") if len(home) > 1 else text)[0]
    if len(clean) <= _LONGEST:
        return clean
    return f"{clean[: _LONGEST // 2]}\n… cut …\n{clean[-_LONGEST // 2 :]}"


def keep_report(text: str, folder: Path | None = None) -> Path | None:
    """Write a report into the state folder, and let the oldest go; None where it cannot be written."""
    from core.common.atomic_file import write_atomic
    from core.common.errors import InputError
    from core.common.paths import state_dir

    place = folder or state_dir() / _FOLDER
    with suppress(OSError, InputError, ValueError):  # a file of another name may lie there
        place.mkdir(parents=True, exist_ok=True)
        known = sorted(place.glob("fault-*.txt"))
        number = int(known[-1].stem.removeprefix("fault-")) + 1 if known else 1
        path = place / f"fault-{number:06}.txt"
        write_atomic(path, text.encode("utf-8", "backslashreplace"), overwrite=True)
        for old in known[: max(0, len(known) + 1 - MOST_KEPT)]:
            old.unlink(missing_ok=True)
        return path
    return None


def report_failure(error: BaseException, doing: str = "", *, prints: bool = False) -> int:
    """Say on standard error that a command failed and where the details lie; returns the exit code.

    ``prints``: the report is printed, too.
    """
    from core.common.excerpts import one_line_text

    text = crash_report(error, doing)
    if prints:
        print(text, file=sys.stderr)
    what = one_line_text(without_secrets(f"{type(error).__name__}: {error}"), 300).rstrip(".")
    where = kept_at(keep_report(text))
    way_out = "" if prints else " Run it again with --verbose to see them." if where else ""
    print(f"Foldline failed: {what}. {where}{way_out}".strip(), file=sys.stderr, flush=True)
    return EXIT_CODE


def kept_at(path: Path | None) -> str:
    if path is None:
        return ""
    return f"The details are in {path!s}."
