"""The desk's part of the lists: searches with a query, keeps marks, writes single messages as text."""

from __future__ import annotations

import json
from collections.abc import Callable

from core.analysis.fidelity.evaluate import standing_constraints
from core.app import message_marks
from core.app.document import OpenFile
from core.app.loading import ProgressReporter
from core.app.services.list_commands import (
    JSON,
    CopyMessageCommand,
    FilterRowsCommand,
    PinCommand,
    RowsCommand,
    SetPinCommand,
    ToggleMarkCommand,
)
from core.app.services.pins import PinCommandHandler, Pins, PinUpdate, pinned_once, pinned_rules
from core.common import number_format
from core.common.errors import InputError
from core.presentation.filter.message_filter import FilterEvaluator
from core.presentation.filter.query import parse_filter
from core.presentation.filter.row_filter import (
    FilterTable,
    Mask,
    all_of,
    any_mask,
    carried_mask,
    matching_mask,
)
from core.presentation.lists.model import MarksChangedEvent, MessageCopiedEvent, RowsEvent, RowsFilteredEvent
from core.presentation.message_body import message_body
from core.presentation.model import FATES, Screen
from core.preview.options import Preview
from core.reports.markdown_writer import message_text
from core.transcript.llxprt_content import entry_from
from core.transcript.model import Message


class ListCommandHandler:
    """Carries out the commands of the lists. ``shown`` is told of every screen."""

    def __init__(self, emit: Callable[[RowsEvent], None]) -> None:
        self._emit = emit
        self._screen: Screen | None = None
        self._searched: FilterEvaluator | None = None
        self._file: OpenFile | None = None
        self._marks: dict[int, str] = {}  # by place in the conversation
        self._told = MarksChangedEvent(())
        self.pins = PinCommandHandler(emit)

    def shown(self, file: OpenFile, made: Preview, screen: Screen, pins: Pins) -> None:
        """Take in what is seen now; says which of its messages carry marks and pins where that is new."""
        if self._file is not file:
            self._marks = message_marks.load_section(message_marks.MARKS, file.conversation.messages)
            self._file = file
            self._say(MarksChangedEvent(()))  # those of another transcript
        self._screen = screen
        self._say(MarksChangedEvent(self._places(made)))
        self.pins.shown(made, pins)

    def handle(self, command: RowsCommand, file: OpenFile, made: Preview, watch: ProgressReporter) -> None:
        """Carry out one command. InputError where there is no such message; Cancelled passes through."""
        match command:
            case FilterRowsCommand():
                self._emit(self._filtered(command.text, made, watch))
            case ToggleMarkCommand():
                self._toggle(command, file, made)
            case CopyMessageCommand():
                self._emit(copied_message(made, command))

    # Filter

    def _filtered(self, text: str, made: Preview, watch: ProgressReporter) -> RowsFilteredEvent:
        try:
            query = parse_filter(text)
        except InputError as error:
            return RowsFilteredEvent(text, error=error.message, hint=error.hint)
        searched, screen = self._searcher(made, watch), self._screen
        assert screen is not None  # something is seen, so its screen was shown
        marked, pinned = frozenset(self._places(made)), self.pins.told
        before = matching_mask(
            query, FilterTable(screen.before, screen.fates, searched.source, marked=marked, pinned=pinned)
        )
        messages, origin = made.compaction.messages, screen.origin
        own = matching_mask(
            query,
            FilterTable(
                screen.after,
                screen.after_fates,
                lambda term: searched.result(term, messages, origin),
                origin,
                marked,
                pinned,
            ),
        )
        return RowsFilteredEvent(text, before, _linked(own, before, screen), searched.tools())

    def _searcher(self, made: Preview, watch: ProgressReporter) -> FilterEvaluator:
        """What was searched before in the same source, else a new one."""
        if self._searched is None or self._searched.messages is not made.messages:
            self._searched = FilterEvaluator(made.messages)
        self._searched.progress = watch.working
        return self._searched

    # Pins and marks

    def pinned(
        self, command: PinCommand, file: OpenFile, made: Preview, pins: Pins, watch: ProgressReporter
    ) -> PinUpdate:
        """The pins after a command; the lists are told at once. InputError where there is no such message."""
        if isinstance(command, SetPinCommand):
            position = self._position(command, made)
            place = made.history.positions.index(position)
            found = pinned_once(pins, position, command, number_format.message(place))
        else:
            found = pinned_rules(pins, standing_constraints(made, file.stages, watch.working), made)
        self.pins.shown(made, found.pins)
        return found

    def _toggle(self, command: ToggleMarkCommand, file: OpenFile, made: Preview) -> None:
        position, former = self._position(command, made), dict(self._marks)
        if position in self._marks:
            del self._marks[position]
        else:
            self._marks[position] = ""
        self._say(MarksChangedEvent(self._places(made)))
        self._marks = message_marks.save_section(
            message_marks.MARKS, file.conversation.messages, self._marks, former=former
        )
        self._say(MarksChangedEvent(self._places(made)))  # with those of another window

    def _position(self, command: ToggleMarkCommand | SetPinCommand, made: Preview) -> int:
        """The place in the conversation of a message that is seen."""
        origin = self._screen.origin if self._screen is not None else ()
        source = command.index if command.side == "before" else -1
        if command.side == "after" and 0 <= command.index < len(origin):
            is_new = command.index in made.compaction.inserted
            source = -1 if is_new else origin[command.index]
        known = made.history.positions
        if not 0 <= source < len(known) or known[source] < 0:
            raise InputError("Only messages of the transcript can be marked.", "Mark one that it holds.")
        return known[source]

    def _places(self, made: Preview) -> tuple[int, ...]:
        """The marked messages of the history that is shown."""
        if not self._marks:
            return ()
        return tuple(place for place, at in enumerate(made.history.positions) if at in self._marks)

    def _say(self, marked: MarksChangedEvent) -> None:
        if marked != self._told:
            self._told = marked
            self._emit(marked)


def _linked(own: Mask, before: Mask, screen: Screen) -> Mask:
    """What is let through of the result: what matches, and what stays of a source message that does."""
    stays = screen.after_fates.translate(bytes([1] * len(FATES) + [0] * (256 - len(FATES))))
    size = len(screen.after)
    return any_mask((own, all_of((carried_mask(before, screen.origin), stays), size)), size)


def copied_message(made: Preview, command: CopyMessageCommand) -> MessageCopiedEvent:
    """A message as the file has it, or as Markdown; one that a compaction wrote as an llxprt entry."""
    seen = message_body(made, command.side, command.index, whole=True)
    messages = made.messages if command.side == "before" else made.compaction.messages
    message, name = messages[command.index], number_format.message(command.index)
    if command.form != JSON:
        return MessageCopiedEvent(message_text(message), f"{name} is in the clipboard as Markdown.")
    is_source = command.side == "before" or _is_source(made, command.index, message)
    entry = "" if is_source and seen.raw else json.dumps(entry_from(message), ensure_ascii=False, indent=2)
    return MessageCopiedEvent(entry or seen.raw, f"{name} is in the clipboard as JSON.")


def _is_source(made: Preview, index: int, message: Message) -> bool:
    origins = made.compaction.origins[index]
    return len(origins) == 1 and made.messages[origins[0]] is message
