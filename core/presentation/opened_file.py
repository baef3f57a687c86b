"""The window's title and pickers for a transcript that was just read, and the choice of its
prices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.common.paths import display_name
from core.common.redaction import redact
from core.formats.common.format import Format
from core.formats.registry import FORCED_REASON, FORMATS
from core.formats.writing.exporter import Exporter
from core.llm.catalog import (
    TokenRates,
    choose_model,
    find_model,
    find_model_limit,
    known_models,
    suggested_models,
)
from core.llm.pricing import no_price_text
from core.presentation import late
from core.presentation.dialog_model import (
    BRANCHES,
    CONVERSATIONS,
    FORMAT,
    NOTHING_REPORTED,
    REPORT,
    ExportChoice,
    FileBranching,
    FileChoices,
    FileOpenedEvent,
    FileReader,
    ImportPage,
    ImportSection,
)
from core.presentation.model import Notice, NoticeAction, PickerChoice, PriceChoice
from core.presentation.preview_wording import (
    branch_hint,
    conversation_hint,
    scope_label,
    short_scope_label,
    strategy_hint,
    warning_texts,
)
from core.settings.profile import OFFLINE
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES
from core.tokens.recorded_compactions import MeasuredCompaction
from core.transcript.model import Conversation, ImportNote, ListedConversation
from core.transcript.scopes import BEFORE, incomplete_reason, scopes

if TYPE_CHECKING:
    from core.analysis.costs import PricingModel

PRESETS = "presets"
"""Group of strategies that emulate an agent."""

_MAX_LINES = 8
_OFFLINE_HINT = "Writes summaries on this machine, without a model."
_BY_CONTENT = PickerChoice(
    "", "By content", "The format that fits best, whatever the file is called."
)
_NO_MODEL = PickerChoice(
    "", "no model named", "The file names none: choose one, or set a context limit."
)
_REPORT_ACTIONS = (NoticeAction("Reading report", REPORT),)
_DATE = re.compile(r"[-@]20\d\d-?\d\d-?\d\d$")


def file_opened_event(
    conversation: Conversation,
    reader: Format,
    why: str,
    path: str,
    profiles: Sequence[str] = (OFFLINE,),
) -> FileOpenedEvent:
    models = tuple(
        model_choice(conversation, name) for name in suggested_models(conversation)
    )
    listed = {one.number: one for one in conversation.listed}
    several = range(1, conversation.siblings + 1) if conversation.siblings > 1 else ()
    siblings = [
        listed.get(number, ListedConversation(number, "")) for number in several
    ]
    return FileOpenedEvent(
        path=path,
        name=display_name(conversation.document.name),
        title=file_title(conversation, reader),
        scopes=scope_choices(conversation),
        models=models if choose_model(conversation) else (_NO_MODEL, *models),
        profiles=tuple(
            PickerChoice(one, one, _OFFLINE_HINT if one == OFFLINE else "")
            for one in profiles
        ),
        title_parts=_title_parts(conversation, reader, why),
        report=import_page(conversation, reader, why),
        reader=FileReader(
            format=reader.name,
            label=reader.label,
            why=why,
            forced=reader.name if why == FORCED_REASON else "",
        ),
        branching=FileBranching(
            conversations=tuple(
                PickerChoice(str(one.number), one.title, conversation_hint(one))
                for one in siblings
            ),
            conversation=conversation.number,
            branches=tuple(
                PickerChoice(str(one.number), one.title, branch_hint(one))
                for one in conversation.branches
            ),
            branch=conversation.branch,
        ),
    )


def file_choices(format_name: str, exporters: Sequence[Exporter]) -> FileChoices:
    """Return what can be chosen for a file of a format; it loads all strategies, exporters and
    readers."""
    return FileChoices(
        tuple(map(_strategy, STRATEGIES)),
        export_choices(format_name, exporters),
        (
            _BY_CONTENT,
            *(PickerChoice(one.name, one.label, one.about) for one in FORMATS),
        ),
    )


def _strategy(strategy: Strategy) -> PickerChoice:
    group = PRESETS if strategy.emulates is not None else ""
    return PickerChoice(strategy.name, strategy.name, strategy_hint(strategy), group)


def file_title(conversation: Conversation, reader: Format) -> str:
    """ "fix-flaky-upload.jsonl · Claude Code · 412 messages · no recorded compaction"."""
    return " · ".join(choice.label for choice in _title_parts(conversation, reader, ""))


def _title_parts(
    conversation: Conversation, reader: Format, why: str
) -> tuple[PickerChoice, ...]:
    """Return the parts of the title; those with a value are links."""
    recorded = len(conversation.recorded)
    report = conversation.report
    parts = [PickerChoice("", display_name(conversation.document.name))]
    if conversation.siblings > 1:
        position = (
            f"{conversation.number} of {number_format.count(conversation.siblings)}"
        )
        parts.append(
            PickerChoice(
                CONVERSATIONS,
                f"conversation {position}",
                "Open another conversation of this file.",
                short=position,
            )
        )
    if conversation.branches:
        position = f"{conversation.branch} of {len(conversation.branches)}"
        parts.append(
            PickerChoice(
                BRANCHES,
                f"branch {position}",
                "Read the session along another branch.",
                short=position,
            )
        )
    about = f"Opened as {reader.label}: {why}. A click reads it as another format."
    parts += [
        PickerChoice(FORMAT, reader.label, about),
        PickerChoice("", number_format.plural(len(conversation.messages), "message")),
        PickerChoice(
            "",
            number_format.plural(recorded, "recorded compaction")
            if recorded
            else "no recorded compaction",
        ),
    ]
    if report.warnings or report.repaired:
        warned = number_format.plural(len(report.warnings), "import warning")
        if report.warnings:
            label = warned
        else:
            label = f"{number_format.count(len(report.repaired))} repaired"
        parts.append(
            PickerChoice(
                REPORT, label, "What was skipped, repaired or warned of while reading."
            )
        )
    return tuple(parts)


def model_choice(conversation: Conversation, name: str) -> PickerChoice:
    """Return a model with its limit: "claude-sonnet-4-5 · 200k"."""
    model_limit = find_model_limit(conversation, name, None)
    model = find_model(name)
    hint = f"{model_limit.source}{f' · {model.provider}' if model and model.provider else ''}"
    label = f"{short_model(name)} · {number_format.abbreviated(model_limit.tokens)}"
    return PickerChoice(
        name,
        label,
        one_line_text(hint),
        short=short_model(name),
        limit=model_limit.tokens,
    )


def short_model(name: str) -> str:
    """Return a model's name without vendor prefix and date, with invisible characters removed."""
    bare = one_line_text(name.rpartition("/")[2] or name)
    return _DATE.sub("", bare) or bare


def export_choices(
    format_name: str, exporters: Sequence[Exporter]
) -> tuple[ExportChoice, ...]:
    ordered = sorted(
        exporters,
        key=lambda exporter: (exporter.is_report, exporter.name != format_name),
    )
    return tuple(
        ExportChoice(
            value=exporter.name,
            label=f"{exporter.label}, as the source"
            if exporter.name == format_name
            else exporter.label,
            suffix=exporter.suffix,
            about=exporter.about,
            word=exporter.file_label,
            redacts=exporter.redacts_by_default,
            appends=exporter.name == format_name and exporter.has_boundary,
            provenance=exporter.has_provenance,
        )
        for exporter in ordered
    )


def import_notice(conversation: Conversation) -> Notice | None:
    """Return what could not be read, or None; details list every warning and skipped kind."""
    report = conversation.report
    warnings = warning_texts(conversation)
    if not report.warnings:
        return None
    skipped = [
        f"{count:,} × {kind}{report.first_line_note(kind, ', ')}"
        for kind, count in report.skipped
    ]
    details = "\n".join(
        [*warnings, *(["", "Skipped records:", *skipped] if skipped else [])]
    )
    if unread_lines := dict(report.skipped).get("not JSON", 0):
        record_count = number_format.count(report.records + unread_lines)
        title = f"{number_format.plural(unread_lines, 'line')} of {record_count} could not be read"
        line_numbers = ", ".join(
            f"{note.line:,}" for note in report.warnings[:_MAX_LINES] if note.line
        )
        more = ", …" if len(report.warnings) > _MAX_LINES else ""
        omission = "was left out (line" if unread_lines == 1 else "were left out (lines"
        text = f"and {omission} {line_numbers}{more})."
    elif len(warnings) == 1:
        title, text = "One thing was noticed while reading:", f"{warnings[0]}."
    else:
        title = f"{len(warnings)} things were noticed while reading:"
        text = f"{warnings[0]}; …"
    return Notice("warning", title, text, _REPORT_ACTIONS, details, "import")


def scope_choices(
    conversation: Conversation, measured: Sequence[MeasuredCompaction] = ()
) -> tuple[PickerChoice, ...]:
    """Return the picker's scopes, with sizes once counted: "before compaction 1 · 148k"."""
    sizes = {
        f"{BEFORE}{one.number}": f" · {number_format.abbreviated(one.tokens_before)}"
        for one in measured
    }
    return tuple(
        PickerChoice(
            scope,
            scope_label(scope) + sizes.get(scope, ""),
            incomplete_reason(conversation, scope),
            short=short_scope_label(scope),
        )
        for scope in scopes(conversation)
    )


def import_page(conversation: Conversation, reader: Format, why: str) -> ImportPage:
    report = conversation.report
    name = display_name(conversation.document.name)
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
            ", first in ".join(
                filter(None, (kind, _location(name, report.skipped_from.get(kind, 0))))
            ),
        )
        for kind, count in report.skipped
    )
    total = number_format.plural(sum(dict(report.skipped).values()), "record")
    sections = tuple(
        ImportSection(f"{heading}: {count}", rows)
        for heading, count, rows in (
            ("Skipped", total, skipped),
            (
                "Repaired",
                number_format.count(len(report.repaired)),
                _rows(name, report.repaired),
            ),
            (
                "Warnings",
                number_format.count(len(report.warnings)),
                _rows(name, report.warnings),
            ),
        )
        if rows
    )
    title = f"Reading report of {name}"
    lines = [title, *(f"{label}: {value}" for label, value in facts)]
    for section in sections:
        lines += [
            "",
            section.title,
            *(f"{location} {text}" for location, text in section.rows),
        ]
    text, secrets = redact(
        "\n".join(lines if sections else [*lines, "", NOTHING_REPORTED]) + "\n"
    )
    if secrets:
        redacted_note = f" {number_format.plural(secrets, 'secret')} written over."
    else:
        redacted_note = ""
    return ImportPage(title, facts, sections, text, f"Copied.{redacted_note}")


def _rows(name: str, notes: Iterable[ImportNote]) -> tuple[tuple[str, str], ...]:
    return tuple((_location(name, note.line) or name, note.text) for note in notes)


def _location(name: str, line: int) -> str:
    """Return "a.jsonl:17", or nothing for line 0."""
    if line:
        return f"{name}:{line}"
    return ""


_MILLION = 1_000_000


def price_choice(conversation: Conversation, value: str, model: str) -> PriceChoice:
    """Return the session's ``model``, then models with a price, last offline."""
    session_price = late.pricing_model("", model)
    label = short_model(model) or "no model"
    if session_price.is_known:
        hint = _prices(session_price)
    else:
        hint = no_price_text(label)
    other_models = [name for name in suggested_models(conversation) if name != model]
    return _price_choice(PickerChoice("", label, hint), other_models, value)


def per_session_price_choice(value: str) -> PriceChoice:
    """The same for many sessions, each with its own model."""
    session_choice = PickerChoice(
        "", "each session's model", "The model that is named in the file."
    )
    return _price_choice(session_choice, known_models(), value)


def _price_choice(
    session_choice: PickerChoice, models: Sequence[str], value: str
) -> PriceChoice:
    names = [*models, *([value] if value not in ("", OFFLINE, *models) else [])]
    priced = [
        PickerChoice(name, short_model(name), _prices(price))
        for name in names
        if (price := _price_or_none(name)) is not None
    ]
    return PriceChoice(
        value,
        (
            session_choice,
            *priced,
            PickerChoice(OFFLINE, OFFLINE, "Offline summaries cost nothing."),
        ),
    )


def _price_or_none(name: str) -> PricingModel | None:

    try:
        return late.pricing_model(name, "")
    except InputError:
        return None


def _prices(price: PricingModel) -> str:
    assert price.rates is not None
    return f"{price_text(price.rates)}."


def price_text(rates: TokenRates) -> str:
    """Return prices of input and output, with the tiers for large requests."""
    input_price = price_per_million(rates.input)
    output_price = price_per_million(rates.output)
    text = f"{input_price} for a million tokens of input, {output_price} for a million of output"
    tiers = (
        (
            f"; {price_per_million(tier_rates.input)} and {price_per_million(tier_rates.output)} "
            f"in requests above {above:,} tokens"
        )
        for above, tier_rates in rates.tiers
    )
    return "".join((text, *tiers))


def price_per_million(dollars_each: float) -> str:
    return dollar_text(dollars_each * _MILLION)
