"""Writes the exact summary request as text: every message under its role."""

from __future__ import annotations

from core.formats.writing.base import Exporter, ExportInput, Group, Options, Shape, Written, preview_of
from core.reports.request import body


def write(given: ExportInput, options: Options) -> Written:
    """Role and content of each message. InputError where the strategy asks no model."""
    messages = body(preview_of(given))["messages"]
    count = len(messages)
    parts = [
        f"[{number} of {count}] {message['role']}\n\n{message['content']}"
        for number, message in enumerate(messages, 1)
    ]
    text = "\n\n".join(parts) + "\n"
    return Written(text.encode("utf-8", "replace"), Shape.TEXT)


EXPORTER = Exporter(
    "request_text",
    (),
    "Summary request, text",
    ".txt",
    "The exact request for the summary, for people to read.",
    write,
    group=Group.REPORT,
    word="request",
    asks_no_model=True,
)
