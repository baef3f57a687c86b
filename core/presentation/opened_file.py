"""The window's title and pickers for a transcript that was just read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.paths import shown_name
from core.common.redaction.redact import redact
from core.formats.common.format import Format
from core.formats.registry import FORCED_REASON, FORMATS
from core.formats.writing.base import Exporter
from core.llm.catalog import choose_model, context_window, find_model, suggested_models
from core.presentation.dialog_model import (
    BRANCHES,
    CONVERSATIONS,
    FORMAT,
    NOTHING_REPORTED,
    REPORT,
    ExportChoice,
    FileOpenedEvent,
    ImportPage,
    ImportSection,
)
from core.presentation.model import Notice, NoticeAction, PickerChoice
from core.presentation.preview_wording import branch_hint, conversation_hint, scope_label, warning_texts
from core.settings.profile import OFFLINE
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.tokens.recorded_compactions import MeasuredCompaction
from core.transcript.model import Conversation, ImportNote, ListedConversation
from core.transcript.scopes import BEFORE, incomplete_reason, scopes

PRESETS = "presets"
"""Group of strategies that emulate an agent."""

_UNREADABLE_KIND = "not JSON"
_MAX_LINES = 8
_OFFLINE_HINT = "Writes summaries on this machine, without a model."
_BY_CONTENT = "The format that fits best, whatever the file is called."
_REPORT_ACTIONS = (NoticeAction("Reading report", REPORT),)
_DATE = re.compile(r"[-@]20\d\d-?\d\d-?\d\d$")


def file_opened_event(
    conversation: Conversation,
    reader: Format,
    why: str,
    path: str,
    exporters: Sequence[Exporter],
    profiles: Sequence[str] = (OFFLINE,),
) -> FileOpenedEvent:
    return FileOpenedEvent(
        path,
        shown_name(conversation.document.name),
        reader.name,
        reader.label,
        why,
        file_title(conversation, reader),
        len(conversation.messages),
        scope_choices(conversation),
        tuple(map(_strategy, STRATEGIES)),
        _models(conversation),
        tuple(PickerChoice(name, name, _OFFLINE_HINT if name == OFFLINE else "") for name in profiles),
        export_choices(reader.name, exporters),
        _conversations(conversation),
        conversation.number,
        tuple(PickerChoice(str(one.number), one.title, branch_hint(one)) for one in conversation.branches),
        conversation.branch,
        (
            PickerChoice("", "By content", _BY_CONTENT),
            *(
                PickerChoice(file_format.name, file_format.label, file_format.about)
                for file_format in FORMATS
            ),
        ),
        reader.name if why == FORCED_REASON else "",
        _title_parts(conversation, reader, why),
        import_page(conversation, reader, why),
    )


def _strategy(strategy: Strategy) -> PickerChoice:
    """Return a strategy, with the agent and date that a preset emulates."""
    emulated = strategy.emulates
    if emulated is None:
        return PickerChoice(strategy.name, strategy.name, strategy.about)
    source_text = "inferred, not documented" if emulated.reverse_engineered else "by its own sources"
    return PickerChoice(
        strategy.name,
        strategy.name,
        f"{strategy.about} {emulated.program}, as of {emulated.as_of}, {source_text}.",
        PRESETS,
    )


def _models(conversation: Conversation) -> tuple[PickerChoice, ...]:
    """Return the models to choose; the first entry says if the file names none."""
    choices = tuple(model_choice(conversation, name) for name in suggested_models(conversation))
    if choose_model(conversation):
        return choices
    return (
        PickerChoice("", "no model named", "The file names none: choose one, or set a context limit."),
        *choices,
    )


def file_title(conversation: Conversation, reader: Format) -> str:
    """ "fix-flaky-upload.jsonl · Claude Code · 412 messages · no recorded compaction"."""
    return " · ".join(choice.label for choice in _title_parts(conversation, reader, ""))


def _title_parts(conversation: Conversation, reader: Format, why: str) -> tuple[PickerChoice, ...]:
    """Return the parts of the title; those with a value are links."""
    recorded = len(conversation.recorded)
    parts = [PickerChoice("", shown_name(conversation.document.name))]
    if conversation.siblings > 1:
        position_text = f"conversation {conversation.number} of {number_format.count(conversation.siblings)}"
        parts.append(PickerChoice(CONVERSATIONS, position_text, "Open another conversation of this file."))
    if conversation.branches:
        position_text = f"branch {conversation.branch} of {len(conversation.branches)}"
        parts.append(PickerChoice(BRANCHES, position_text, "Read the session along another branch."))
    parts += [
        PickerChoice(
            FORMAT, reader.label, f"Opened as {reader.label}: {why}. A click reads it as another format."
        ),
        PickerChoice("", number_format.plural(len(conversation.messages), "message")),
        PickerChoice(
            "",
            number_format.plural(recorded, "recorded compaction") if recorded else "no recorded compaction",
        ),
    ]
    if report_label := _report_label(conversation):
        parts.append(
            PickerChoice(REPORT, report_label, "What was skipped, repaired or warned of while reading.")
        )
    return tuple(parts)


def _report_label(conversation: Conversation) -> str:
    report = conversation.report
    if report.warnings:
        return number_format.plural(len(report.warnings), "import warning")
    return f"{number_format.count(len(report.repaired))} repaired" if report.repaired else ""


def model_choice(conversation: Conversation, name: str) -> PickerChoice:
    """Return a model with its limit: "claude-sonnet-4-5 · 200k"."""
    window = context_window(conversation, name, None)
    short_name = short_model(name)
    model = find_model(name)
    hint = f"{window.source}{f' · {model.provider}' if model and model.provider else ''}"
    return PickerChoice(
        name, f"{short_name} · {number_format.abbreviated(window.limit)}", one_line_text(hint)
    )


def short_model(name: str) -> str:
    """Return a model's name without vendor prefix and date, with invisible characters removed."""
    bare = one_line_text(name.rpartition("/")[2] or name)
    return _DATE.sub("", bare) or bare


def export_choices(format_name: str, exporters: Sequence[Exporter]) -> tuple[ExportChoice, ...]:
    ordered = sorted(exporters, key=lambda exporter: (exporter.is_report, exporter.name != format_name))
    return tuple(_export(exporter, exporter.name == format_name) for exporter in ordered)


def _export(exporter: Exporter, is_source_format: bool) -> ExportChoice:
    return ExportChoice(
        exporter.name,
        f"{exporter.label}, as the source" if is_source_format else exporter.label,
        exporter.suffix,
        exporter.group.value,
        exporter.about,
        exporter.file_label,
        exporter.redacts_by_default,
        is_source_format and exporter.has_boundary,
        exporter.has_provenance,
    )


def _conversations(conversation: Conversation) -> tuple[PickerChoice, ...]:
    """Return the conversations of the file; the hint is kind and message count."""
    if conversation.siblings < 2:
        return ()
    by_number = {
        listed_conversation.number: listed_conversation for listed_conversation in conversation.listed
    }
    conversations = (
        by_number.get(number, ListedConversation(number, ""))
        for number in range(1, conversation.siblings + 1)
    )
    return tuple(
        PickerChoice(
            str(listed_conversation.number), listed_conversation.title, conversation_hint(listed_conversation)
        )
        for listed_conversation in conversations
    )


def import_notice(conversation: Conversation) -> Notice | None:
    """Return what could not be read, or None; details list every warning and skipped kind."""
    report = conversation.report
    if not report.warnings:
        return None
    skipped = [f"{count:,} × {kind}{report.first_line_note(kind, ', ')}" for kind, count in report.skipped]
    details = "\n".join(
        [*warning_texts(conversation), *(["", "Skipped records:", *skipped] if skipped else [])]
    )
    unread_lines = dict(report.skipped).get(_UNREADABLE_KIND, 0)
    if not unread_lines:
        return Notice("warning", *_warning_summary(conversation), _REPORT_ACTIONS, details, "import")
    record_count = number_format.count(report.records + unread_lines)
    title = f"{number_format.plural(unread_lines, 'line')} of {record_count} could not be read"
    line_numbers = ", ".join(f"{note.line:,}" for note in report.warnings[:_MAX_LINES] if note.line)
    more = ", …" if len(report.warnings) > _MAX_LINES else ""
    omission = "was left out" if unread_lines == 1 else "were left out"
    text = f"and {omission} (line{'s' if unread_lines > 1 else ''} {line_numbers}{more})."
    return Notice("warning", title, text, _REPORT_ACTIONS, details, "import")


def _warning_summary(conversation: Conversation) -> tuple[str, str]:
    warnings = warning_texts(conversation)
    if len(warnings) == 1:
        return "One thing was noticed while reading:", f"{warnings[0]}."
    return f"{len(warnings)} things were noticed while reading:", f"{warnings[0]}; …"


def scope_choices(
    conversation: Conversation, measured: Sequence[MeasuredCompaction] = ()
) -> tuple[PickerChoice, ...]:
    """Return the picker's scopes, with sizes once counted: "before compaction 1 · 148k"."""
    sizes = {
        f"{BEFORE}{compaction.number}": f" · {number_format.abbreviated(compaction.tokens_before)}"
        for compaction in measured
    }
    return tuple(
        PickerChoice(
            scope, f"{scope_label(scope)}{sizes.get(scope, '')}", incomplete_reason(conversation, scope)
        )
        for scope in scopes(conversation)
    )


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
            ", first in ".join(filter(None, (kind, _location(name, report.skipped_from.get(kind, 0))))),
        )
        for kind, count in report.skipped
    )
    sections = (
        ImportSection(
            f"Skipped: {number_format.plural(sum(dict(report.skipped).values()), 'record')}", skipped
        ),
        ImportSection(f"Repaired: {number_format.count(len(report.repaired))}", _rows(name, report.repaired)),
        ImportSection(f"Warnings: {number_format.count(len(report.warnings))}", _rows(name, report.warnings)),
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


def _text(title: str, facts: Iterable[tuple[str, str]], sections: tuple[ImportSection, ...]) -> str:
    lines = [title, *(f"{label}: {value}" for label, value in facts)]
    for section in sections:
        lines += ["", section.title, *(f"{location} {text}" for location, text in section.rows)]
    if not sections:
        lines += ["", NOTHING_REPORTED]
    return "\n".join(lines) + "\n"
