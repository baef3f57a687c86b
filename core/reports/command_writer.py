"""Writes the command that repeats a preview: ``foldline compact FILE -s … --set KEY=VALUE …``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from core.common.errors import InputError
from core.configuration.layers import SETTINGS
from core.formats.common.document import open_transcript
from core.formats.registry import detect_format
from core.formats.writing.base import Exporter, ExporterOutput, ExportGroup, ExportOptions, OutputShape
from core.formats.writing.export_messages import ExportInput
from core.llm.catalog import choose_model
from core.preview.options import Preview
from core.reports.document import report_input
from core.settings.keys import PROFILE, STRATEGY
from core.settings.schema import SettingLayer
from core.summarize.summarizer_choice import FixedSummariser
from core.transcript.pins import RULE as PUT_BACK
from core.transcript.pins import PinKind, pinned_indices
from core.transcript.scopes import ALL

_MODEL_SUMMARY = "# {name} ({model}) writes the summary; another run may be worded differently.\n"
_GIVEN_SUMMARY = "# The summary was given; add --summary-file FILE with its text.\n"


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return one line of shell, with a comment above it if the line alone does not repeat the run. Names each
    setting that is not the default or was set in the session."""
    preview = report_input(export_input).preview
    line = shlex.join(("foldline", "compact", *_arguments(preview)))
    return ExporterOutput(f"{_remark(preview)}{line}\n".encode("utf-8", "surrogateescape"), OutputShape.TEXT)


def _arguments(preview: Preview) -> Iterator[str]:
    conversation, values = preview.conversation, preview.values
    path = conversation.document.path
    yield "-" if path is None else f"./{path}" if str(path).startswith("-") else str(path)
    yield from ("-s", preview.strategy.name)
    for setting in SETTINGS:
        effective = values.by_key[setting.key]
        value = effective.value
        is_needed = value != setting.default or effective.layer is SettingLayer.SESSION
        if setting.key != STRATEGY and is_needed and value is not None:
            yield from ("--set", f"{setting.key}={str(value).lower() if isinstance(value, bool) else value}")
    if not preview.writer.is_offline and values.get(PROFILE) != preview.writer.name:
        yield from ("--profile", preview.writer.name)
    if preview.window.model != choose_model(conversation):
        yield from ("--model", preview.window.model)
    if not _is_detected(preview):
        yield from ("--format", conversation.format)
    if preview.history.scope != ALL:
        yield from ("--scope", preview.history.scope)
    if conversation.number != 1:
        yield from ("--conversation", str(conversation.number))
    if conversation.branch != 1:
        yield from ("--branch", str(conversation.branch))
    if preview.focus:
        yield from ("--focus", preview.focus)
    for option, kind in (("--pin", PinKind.KEEP), ("--drop-pin", PinKind.DROP)):
        yield from _number_option(option, sorted(pinned_indices(preview.pins, kind)))
    fates = enumerate(preview.compaction.fates)
    yield from _number_option("--put-back", [index for index, fate in fates if fate.last.rule == PUT_BACK])


def _number_option(option: str, indices: Sequence[int]) -> tuple[str, ...]:
    """Return an option with 1-based message numbers, or nothing without messages."""
    return (option, ",".join(f"{index + 1}" for index in indices)) if indices else ()


def _is_detected(preview: Preview) -> bool:
    document = preview.conversation.document
    if document.path is None:
        return False
    try:
        return detect_format(open_transcript(document.path))[0].name == preview.conversation.format
    except InputError:
        return False


def _remark(preview: Preview) -> str:
    summary = preview.compaction.summary
    if not preview.writer.is_offline:
        return _MODEL_SUMMARY.format(name=preview.writer.name, model=preview.writer.model)
    return _GIVEN_SUMMARY if summary is not None and summary.profile == FixedSummariser("").profile else ""


EXPORTER = Exporter(
    "command",
    (),
    "Command line",
    ".sh",
    "The settings as the command that repeats the compaction.",
    write,
    group=ExportGroup.REPORT,
    file_label="command",
    needs_no_model=True,
)
