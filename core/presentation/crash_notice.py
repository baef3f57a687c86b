"""A fault of the program as a notice of the window."""

from __future__ import annotations

from core.common.crash_report import TOPIC, crash_report, keep_report, kept_at, without_secrets
from core.common.excerpts import one_line_text
from core.presentation.model import Notice


def crash_notice(error: BaseException, doing: str = "") -> Notice:
    """What the message bar shows of a fault; its details are the report, which is also kept."""
    text = crash_report(error, doing)
    said = one_line_text(without_secrets(str(error).split("\n", 1)[0]))
    said = said if not said or said.endswith((".", "…")) else f"{said}."
    where = kept_at(keep_report(text))
    return Notice(
        "error",
        f"Something went wrong: {type(error).__name__}.",
        " ".join(part for part in (said, where) if part),
        details=text,
        topic=TOPIC,
    )
