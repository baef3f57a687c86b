"""The import report: records read, skipped, repaired, warned about, with file and line."""

from __future__ import annotations

from collections.abc import Iterable

from core.common import number_format
from core.common.paths import shown_name
from core.common.redaction.redact import redact
from core.formats.common.format import Format
from core.presentation.opened_model import NOTHING_REPORTED, ImportPage, ImportSection
from core.transcript.model import Conversation, ImportNote


def import_page(conversation: Conversation, reader: Format, why: str) -> ImportPage:
    report, name = conversation.report, shown_name(conversation.document.name)
    facts = (
        ("file", name),
        ("opened as", f"{reader.label}: {why}"),
        ("records read", number_format.count(report.records)),
        ("messages", number_format.count(len(conversation.messages))),
        ("recorded compactions", number_format.count(len(conversation.recorded))),
    )
    skipped = tuple(
        (
            f"{number_format.count(count)} ×",
            _first_at(kind, _location(name, report.skipped_from.get(kind, 0))),
        )
        for kind, count in report.skipped
    )
    sections = (
        ImportSection(
            f"Skipped: {number_format.plural(sum(dict(report.skipped).values()), 'record')}",
            skipped,
        ),
        ImportSection(
            f"Repaired: {number_format.count(len(report.repaired))}",
            _rows(name, report.repaired),
        ),
        ImportSection(
            f"Warnings: {number_format.count(len(report.warnings))}",
            _rows(name, report.warnings),
        ),
    )
    filled = tuple(section for section in sections if section.rows)
    title = f"Reading report of {name}"
    text, secrets = redact(_text(title, facts, filled))
    redacted_note = f" {number_format.plural(secrets, 'secret')} written over." if secrets else ""
    return ImportPage(title, facts, filled, text, f"Copied.{redacted_note}")


def _rows(name: str, notes: Iterable[ImportNote]) -> tuple[tuple[str, str], ...]:
    return tuple((_location(name, note.line) or name, note.text) for note in notes)


def _location(name: str, line: int) -> str:
    """Return "a.jsonl:17", or nothing for line 0."""
    return f"{name}:{line}" if line else ""


def _first_at(kind: str, location: str) -> str:
    """Return a kind of skipped records and the place of the first, if known."""
    return f"{kind}, first in {location}" if location else kind


def _text(title: str, facts: Iterable[tuple[str, str]], sections: tuple[ImportSection, ...]) -> str:
    lines = [title, *(f"{label}: {value}" for label, value in facts)]
    for section in sections:
        lines += ["", section.title, *(f"{location} {text}" for location, text in section.rows)]
    if not sections:
        lines += ["", NOTHING_REPORTED]
    return "\n".join(lines) + "\n"
