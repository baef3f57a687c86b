"""Opens and previews the transcript of a command line; notes what of its options has no effect."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.app.open_file import OpenFile
from core.cli import late
from core.cli.active_settings import ActiveSettings, active_settings
from core.cli.arguments import CommonOptions
from core.cli.output.console import ConsoleProgress, print_detail, print_note
from core.common import number_format
from core.common.errors import InputError, did_you_mean
from core.common.json_value import Json
from core.formats.common.format import Format, ReadRequest
from core.llm.catalog import find_model, model_names, why_unlisted
from core.presentation.preview_wording import (
    current_context_text,
    note_texts,
    scope_label,
    warning_texts,
)
from core.preview.options import Preview, PreviewOptions, SummaryOptions
from core.settings.profile import Profile
from core.settings.schema import LIMIT, STRATEGY, Values
from core.settings_store.layers import parse_assignment
from core.strategies.base import Strategy, calls_model
from core.strategies.registry import STRATEGIES, find_strategy
from core.transcript.model import Conversation, Progress, no_progress
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import ALL, CURRENT, history_of_scope, opening_scope

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput, OptionsFactory
    from core.formats.registry import Loaded


_WHOLE_SESSION = "--scope all takes the whole session"
_MAX_WARNINGS = 10
"""Warnings of a reader that are printed; others are counted."""


@dataclass(slots=True, kw_only=True)
class OpenedConversation(OpenFile):
    """An open file with what the command line asks of it; services take it as their session.

    ``summary`` is the text of ``--summary-file``; None without one. ``options_for`` names who
    writes the summaries of analyses, once the user has agreed to the price, ``writers`` of several
    profiles; without them they are offline.
    """

    reader: Format
    scope: str
    options: CommonOptions
    values: Values
    profile: Profile
    summary: str | None = None
    price_as: str = ""
    musts: tuple[str, ...] = ()  # of --must and --must-file
    options_for: OptionsFactory | None = None
    writers: Mapping[str, OptionsFactory | None] = field(default_factory=dict)
    progress: Progress = no_progress
    current_preview: Preview | None = None  # the one that the command has made
    is_cancelled: Callable[[], bool] = bool  # never: Ctrl C raises KeyboardInterrupt

    @property
    def active_profile(self) -> Profile:
        return self.profile

    def displayed_preview(self) -> Preview:
        assert self.current_preview is not None  # the command has made it
        return self.current_preview

    @property
    def summary_profile_name(self) -> str:
        return self.profile.name

    def analysis_input(self) -> AnalysisInput:

        options = PreviewOptions(
            scope=self.scope,
            model=self.options.model,
            progress=self.progress,
            summary=SummaryOptions(text=self.summary),
        )
        return late.AnalysisInput(
            conversation=self.conversation,
            values=self.values,
            options=options,
            stages=self.stages,
            options_for=self.options_for,
            writers=self.writers,
            price_as=self.price_as,
        )

    def must_texts(self) -> tuple[str, ...]:
        return late.session_musts(self.conversation)

    def whole_input(self) -> AnalysisInput:
        return self.analysis_input()

    @property
    def scope_lines(self) -> tuple[str, ...]:
        """What stands below the first line of a report on it."""
        return current_context_lines(self.options.scope, self.conversation)

    @property
    def pins(self) -> dict[int, MessagePin]:
        """The pins of ``--pin`` and ``--drop-pin``; InputError for a wrong number, or one in both."""
        kept = dropped = frozenset[int]()
        if self.options.pins:
            kept = self.message_indices(self.options.pins, "--pin")
        if self.options.drop_pins:
            dropped = self.message_indices(self.options.drop_pins, "--drop-pin")
        if both := kept & dropped:
            text = f"Message {min(both) + 1} is in --pin and in --drop-pin."
            raise InputError(text, "Remove it from one of them.")
        drop_pins = dict.fromkeys(dropped, MessagePin(PinKind.DROP))
        return dict.fromkeys(kept, MessagePin(PinKind.KEEP)) | drop_pins

    def message_indices(self, text: str, option: str) -> frozenset[int]:
        """Return the messages of the scope that an option names; InputError for a wrong number."""
        count = len(history_of_scope(self.conversation, self.scope).messages)
        return message_indices(text, count, option)


def open_conversation(
    options: CommonOptions, chosen: ActiveSettings | None = None
) -> OpenedConversation:
    """Read the file that the options name, with its settings or those ``chosen`` before;
    InputError."""
    chosen = chosen or active_settings(options)
    if options.file == "-" and options.summary_file == "-":
        raise InputError(
            "FILE and --summary-file are both standard input.",
            "Save one of them to a file.",
        )
    summary = _summary_text(options)
    started = time.monotonic()
    with ConsoleProgress(options) as progress:
        request = ReadRequest(options.conversation, options.branch, progress)
        loaded = late.load_with_reason(options.file, request, format=options.format)
    conversation, reader, _ = loaded
    count = number_format.plural(len(conversation.messages), "message")
    name = conversation.document.name
    seconds = time.monotonic() - started
    print_detail(
        options, f"start: {name}, {reader.label}, {count}, read in {seconds:.2f} s"
    )
    return opened_conversation(loaded, options, chosen, summary)


def current_context_lines(
    wanted_scope: str, conversation: Conversation
) -> tuple[str, ...]:
    """Return the line that says how much of a file its current context is, where it opens with
    that."""
    if wanted_scope or opening_scope(conversation) != CURRENT:
        return ()
    current = current_context_text(
        conversation, history_of_scope(conversation, CURRENT)
    )
    return (f"{current} · {_WHOLE_SESSION}",)


def note_current_contexts(options: CommonOptions, scopes: Sequence[str]) -> None:
    """Print of how many files of a folder the current context was taken, unless ``--scope`` asked
    for it."""
    if options.scope or not (number := scopes.count(CURRENT)):
        return
    of_files = f"{number:,} of {number_format.plural(len(scopes), 'file')}"
    were = "was" if number == 1 else "were"
    text = f"{of_files} {were} compacted by the agent, so only the {scope_label(CURRENT)} was taken"
    print_note(options, f"{text}; {_WHOLE_SESSION}.")


def opened_conversation(
    loaded: Loaded,
    options: CommonOptions,
    chosen: ActiveSettings,
    summary: str | None = None,
) -> OpenedConversation:
    """Return what was read with what the options and settings ask of it."""
    conversation, reader, reason = loaded
    return OpenedConversation(
        conversation=conversation,
        format_reason=reason,
        reader=reader,
        scope=opening_scope(
            conversation, options.scope or ("" if options.opens_current else ALL)
        ),
        options=options,
        values=chosen.layers.resolve(),
        profile=chosen.profile,
        summary=summary,
        price_as=options.price_as,
    )


def _summary_text(options: CommonOptions) -> str | None:
    """Return the text of ``--summary-file``; None without one. Raises InputError where it cannot be
    read."""
    if not options.summary_file:
        return None
    if options.summary_file == "-":
        return read_summary("standard input", sys.stdin.buffer.read)
    return read_summary(options.summary_file, Path(options.summary_file).read_bytes)


def read_summary(name: str, read: Callable[[], bytes]) -> str:
    """Return the text of a summary that somebody else wrote. Raises InputError where it cannot be
    read."""
    subject = f"The summary file {name}"
    try:
        return read().decode("utf-8")
    except OSError as error:
        cause = (error.strerror or str(error)).lower()
        raise InputError(
            f"{subject} cannot be read: {cause}.", "Check the path."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{subject} is not UTF-8 (byte {error.start}).", "Save it as UTF-8."
        ) from None


def note_unknown_model(options: CommonOptions) -> None:
    """Print a note if the model of ``--model`` is unknown: a typing error changes the figures."""
    name = options.model.strip()
    if name and find_model(name) is None:
        suggestion = did_you_mean(name, model_names())
        way_out = f"{suggestion}Give the limit with --set {LIMIT}=N."
        text = f"The limit and the price of {name} are not known: {why_unlisted(name)}."
        print_note(options, f"{text} {way_out}")


def print_warnings(transcript: OpenedConversation) -> None:
    """Print the reader's warnings and repairs, and an unknown model, on standard error."""
    note_unknown_model(transcript.options)
    texts = [
        *warning_texts(transcript.conversation),
        *note_texts(transcript.conversation.report.repaired),
    ]
    if len(texts) > _MAX_WARNINGS:
        more_text = number_format.plural(len(texts) - _MAX_WARNINGS, "more warning")
        texts = [
            *texts[:_MAX_WARNINGS],
            f"{more_text}; foldline inspect --json lists all.",
        ]
    for text in texts:
        print_note(
            transcript.options, f"{transcript.conversation.document.name}: {text}"
        )


def note_unused_options(options: CommonOptions, names: Iterable[str], why: str) -> None:
    """Print which of these options have no effect, and why; not refused, because every command
    takes them."""
    if unused := _unused_options(options, names):
        print_note(options, f"{unused} no effect: {why}")


def note_unread_settings(
    transcript: OpenedConversation, strategies: Sequence[Strategy] = ()
) -> None:
    """Print which settings of ``--set`` only strategies read that do not run."""
    if not transcript.options.settings:
        return

    run = strategies or (find_strategy(transcript.values.text(STRATEGY)),)
    unread_keys = {
        key for strategy in STRATEGIES for key in late.variable_keys(strategy)
    }
    unread_keys -= {key for strategy in run for key in late.variable_keys(strategy)}
    if len(run) == 1:
        why = f"{run[0].name} does not read it"
    else:
        why = "no strategy here reads it"
    for key in dict.fromkeys(
        parse_assignment(text)[0] for text in transcript.options.settings
    ):
        if key in unread_keys:
            print_note(transcript.options, f"--set {key} has no effect: {why}.")


def note_unused_summary(transcript: OpenedConversation, preview: Preview) -> None:
    """Print which options for a summary had no effect because none was written."""
    run = preview.result.compaction
    if (
        run.no_op is None
        and run.summary is None
        and not run.calls
        and not preview.summary.unwritten
    ):
        why = f"{preview.strategy.name} asked for no summary."
        note_unused_options(transcript.options, ("--summary-file", "--focus"), why)


def note_no_model_call(
    transcript: OpenedConversation, strategies: Iterable[Strategy]
) -> None:
    """Print the same for several strategies, before they run."""
    if not any(calls_model(strategy, transcript.values) for strategy in strategies):
        why = "no strategy here asks for a summary."
        note_unused_options(transcript.options, ("--summary-file", "--price-as"), why)


def head_json(transcript: OpenedConversation, scope: str) -> dict[str, Json]:
    """Return the first keys of most commands: the transcript and the scope."""
    return {
        "file": transcript.conversation.document.name,
        "format": transcript.reader.name,
        "conversation": transcript.conversation.number,
        "scope": scope,
    }


def _unused_options(options: CommonOptions, names: Iterable[str]) -> str:
    """Return which of these options were given, in words: "-s and --set have"; "" for none."""
    attributes = {"-s": "strategy", "--set": "settings"}
    used_names = [
        name
        for name in names
        if getattr(
            options, attributes.get(name, name.removeprefix("--").replace("-", "_"))
        )
    ]
    if len(used_names) < 2:
        if used_names:
            return f"{used_names[0]} has"
        return ""
    return f"{', '.join(used_names[:-1])} and {used_names[-1]} have"


def message_indices(text: str, count: int, option: str) -> frozenset[int]:
    """Return indices of messages written as in "12,40-44", each from 1 to ``count``.

    Raises InputError that names the option and the part that is wrong.
    """
    indices: set[int] = set()
    for part in filter(None, (item.strip() for item in text.split(","))):
        first, dash, last = (
            word.strip().removeprefix("#") for word in part.partition("-")
        )
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(
                f"{option}: {part!r} is not the number of a message.",
                "Write numbers and ranges: 12,40-44.",
            )
        start = int(first)
        end = int(last or first)
        if not 1 <= start <= end <= count:
            raise InputError(
                f"{option}: there is no message {part}.",
                f"Messages go from 1 to {count:,}.",
            )
        indices.update(range(start - 1, end))
    return frozenset(indices)
