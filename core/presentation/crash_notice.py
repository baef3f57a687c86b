"""Turns an internal error into a notice."""

from __future__ import annotations

from core.common.crash_report import NOTICE_TOPIC, crash_report, report_location, save_report, without_secrets
from core.common.excerpts import one_line_text
from core.presentation.model import Notice


def crash_notice(error: BaseException, doing: str = "") -> Notice:
    """Return a notice whose details are the crash report, which is also saved."""
    text = crash_report(error, doing)
    message = one_line_text(without_secrets(str(error).split("\n", 1)[0]))
    message = message if not message or message.endswith((".", "…")) else f"{message}."
    location = report_location(save_report(text))
    return Notice(
        "error",
        f"Something went wrong: {type(error).__name__}.",
        " ".join(part for part in (message, location) if part),
        details=text,
        topic=NOTICE_TOPIC,
    )
