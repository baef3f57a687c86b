"""Writes the command that repeats a preview: ``foldline compact FILE -s … --set KEY=VALUE …``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from core.common.errors import InputError
from core.configuration.declarations import SETTINGS
from core.formats.common.document import open_transcript
from core.formats.registry import detect_format
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.llm.catalog import choose_model
from core.preview.options import Preview
from core.reports.report_input import preview_of
from core.settings.keys import PROFILE, STRATEGY
from core.settings.values import SettingLayer
from core.summarize.summarizer_choice import FixedSummariser
from core.transcript.pins import PinKind, of_kind
from core.transcript.restore import RULE as PUT_BACK
from core.transcript.scopes import ALL

_BY_MODEL = "# {name} ({model}) writes the summary; another run may be worded differently.\n"
_GIVEN = "# The summary was given; add --summary-file FILE with its text.\n"


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """One line of shell, with a comment above it where the line alone is not the whole story.

    A setting is named where it is not the default, or was set by hand over what is saved.
    """
    made = preview_of(given)
    line = shlex.join(("foldline", "compact", *_words(made)))
    return ExporterOutput(f"{_remark(made)}{line}\n".encode("utf-8", "surrogateescape"), OutputShape.TEXT)


def _words(made: Preview) -> Iterator[str]:
    conversation, values = made.conversation, made.values
    path = conversation.document.path
    yield "-" if path is None else _apart(str(path))
    yield from ("-s", made.strategy.name)
    for setting in SETTINGS:
        effective = values.by_key[setting.key]
        is_told = effective.value != setting.default or effective.layer is SettingLayer.SESSION
        if setting.key != STRATEGY and is_told and effective.value is not None:
            yield from ("--set", f"{setting.key}={_value(effective.value)}")
    if not made.writer.is_offline and values.get(PROFILE) != made.writer.name:
        yield from ("--profile", made.writer.name)
    if made.window.model != choose_model(conversation):
        yield from ("--model", made.window.model)
    if not _is_detected(made):
        yield from ("--format", conversation.format)
    if made.history.scope != ALL:
        yield from ("--scope", made.history.scope)
    if conversation.number != 1:
        yield from ("--conversation", str(conversation.number))
    if conversation.branch != 1:
        yield from ("--branch", str(conversation.branch))
    if made.focus:
        yield from ("--focus", made.focus)
    for option, kind in (("--pin", PinKind.KEEP), ("--drop-pin", PinKind.DROP)):
        yield from _numbered(option, sorted(of_kind(made.pins, kind)))
    fates = enumerate(made.compaction.fates)
    yield from _numbered("--put-back", [place for place, fate in fates if fate.last.rule == PUT_BACK])


def _numbered(option: str, places: Sequence[int]) -> tuple[str, ...]:
    """An option with messages as people number them; nothing where there are none."""
    return (option, ",".join(f"{place + 1}" for place in places)) if places else ()


def _apart(path: str) -> str:
    """A path that no program takes for an option."""
    return f"./{path}" if path.startswith("-") else path


def _value(value: bool | int | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_detected(made: Preview) -> bool:
    """True where the file is read in this format without being told to."""
    document = made.conversation.document
    if document.path is None:
        return False
    try:
        return detect_format(open_transcript(document.path))[0].name == made.conversation.format
    except InputError:
        return False


def _remark(made: Preview) -> str:
    summary = made.compaction.summary
    if not made.writer.is_offline:
        return _BY_MODEL.format(name=made.writer.name, model=made.writer.model)
    return _GIVEN if summary is not None and summary.profile == FixedSummariser("").profile else ""


EXPORTER = Exporter(
    "command",
    (),
    "Command line",
    ".sh",
    "The settings as the command that repeats the compaction.",
    write,
    group=ExportGroup.REPORT,
    word="command",
    asks_no_model=True,
)
