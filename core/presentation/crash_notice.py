"""A fault of the program as a notice of the window."""

from __future__ import annotations

from core.common.crash_report import TOPIC, keep, kept_at, report, without_secrets
from core.common.excerpts import clean
from core.presentation.model import Notice


def notice(error: BaseException, doing: str = "") -> Notice:
    """What the message bar shows of a fault; its details are the report, which is also kept."""
    text = report(error, doing)
    said = clean(without_secrets(str(error).split("\n", 1)[0]))
    said = said if not said or said.endswith((".", "…")) else f"{said}."
    where = kept_at(keep(text))
    return Notice(
        "error",
        f"Something went wrong: {type(error).__name__}.",
        " ".join(part for part in (said, where) if part),
        details=text,
        topic=TOPIC,
    )
