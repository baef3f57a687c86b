"""Commands of the lists: filters rows, keeps marks and pins, copies single messages as text."""

from __future__ import annotations

import json
from collections.abc import Callable

from core.analysis.fidelity.evaluate import active_constraints
from core.app import message_marks
from core.app.document import OpenFile
from core.app.progress import ProgressReporter
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
    all_mask,
    any_mask,
    carried_mask,
    matching_mask,
)
from core.presentation.lists.model import MarksChangedEvent, MessageCopiedEvent, RowsEvent, RowsFilteredEvent
from core.presentation.message_body import message_body
from core.presentation.model import FATES, Screen
from core.preview.options import Preview
from core.reports.markdown_writer import message_text
from core.transcript.llxprt_content import message_entry
from core.transcript.model import Message


class ListCommandHandler:
    """Carries out the commands of the lists; ``shown`` is called with every screen."""

    def __init__(self, emit: Callable[[RowsEvent], None]) -> None:
        self._emit = emit
        self._screen: Screen | None = None
        self._evaluator: FilterEvaluator | None = None
        self._file: OpenFile | None = None
        self._marks: dict[int, str] = {}  # by place in the conversation
        self._last_sent = MarksChangedEvent(())
        self.pins = PinCommandHandler(emit)

    def shown(self, file: OpenFile, preview: Preview, screen: Screen, pins: Pins) -> None:
        """Take in the current screen; sends its marks and pins where they changed."""
        if self._file is not file:
            self._marks = message_marks.load_section(message_marks.MARKS, file.conversation.messages)
            self._file = file
            self._send_marks(MarksChangedEvent(()))  # clears those of the former transcript
        self._screen = screen
        self._send_marks(MarksChangedEvent(self._marked_places(preview)))
        self.pins.shown(preview, pins)

    def handle(
        self, command: RowsCommand, file: OpenFile, preview: Preview, reporter: ProgressReporter
    ) -> None:
        """Carry out one command. InputError where there is no such message; Cancelled passes through."""
        match command:
            case FilterRowsCommand():
                self._emit(self._filtered(command.text, preview, reporter))
            case ToggleMarkCommand():
                self._toggle(command, file, preview)
            case CopyMessageCommand():
                self._emit(copied_message(preview, command))

    # Filter

    def _filtered(self, text: str, preview: Preview, reporter: ProgressReporter) -> RowsFilteredEvent:
        try:
            query = parse_filter(text)
        except InputError as error:
            return RowsFilteredEvent(text, error=error.message, hint=error.hint)
        evaluator, screen = self._evaluator_for(preview, reporter), self._screen
        assert screen is not None  # a preview is shown, so its screen is
        marked, pinned = frozenset(self._marked_places(preview)), self.pins.told
        before = matching_mask(
            query,
            FilterTable(screen.before, screen.fates, evaluator.source_mask, marked=marked, pinned=pinned),
        )
        messages, origin = preview.compaction.messages, screen.origin
        matching = matching_mask(
            query,
            FilterTable(
                screen.after,
                screen.after_fates,
                lambda term: evaluator.result_mask(term, messages, origin),
                origin,
                marked,
                pinned,
            ),
        )
        return RowsFilteredEvent(
            text, before, _with_linked(matching, before, screen), evaluator.called_tools()
        )

    def _evaluator_for(self, preview: Preview, reporter: ProgressReporter) -> FilterEvaluator:
        """Return the evaluator of the same source, else a new one."""
        if self._evaluator is None or self._evaluator.messages is not preview.messages:
            self._evaluator = FilterEvaluator(preview.messages)
        self._evaluator.progress = reporter.working
        return self._evaluator

    # Pins and marks

    def pinned(
        self, command: PinCommand, file: OpenFile, preview: Preview, pins: Pins, reporter: ProgressReporter
    ) -> PinUpdate:
        """Return the pins after a command and send them. InputError where there is no such message."""
        if isinstance(command, SetPinCommand):
            position = self._source_position(command, preview)
            place = preview.history.positions.index(position)
            update = pinned_once(pins, position, command, number_format.message_number(place))
        else:
            update = pinned_rules(pins, active_constraints(preview, file.stages, reporter.working), preview)
        self.pins.shown(preview, update.pins)
        return update

    def _toggle(self, command: ToggleMarkCommand, file: OpenFile, preview: Preview) -> None:
        position, former = self._source_position(command, preview), dict(self._marks)
        if position in self._marks:
            del self._marks[position]
        else:
            self._marks[position] = ""
        self._send_marks(MarksChangedEvent(self._marked_places(preview)))
        self._marks = message_marks.save_section(
            message_marks.MARKS, file.conversation.messages, self._marks, former=former
        )
        self._send_marks(MarksChangedEvent(self._marked_places(preview)))  # with those of another window

    def _source_position(self, command: ToggleMarkCommand | SetPinCommand, preview: Preview) -> int:
        """Return the place in the conversation of a message on the screen."""
        origin = self._screen.origin if self._screen is not None else ()
        source = command.index if command.side == "before" else -1
        if command.side == "after" and 0 <= command.index < len(origin):
            is_new = command.index in preview.compaction.inserted
            source = -1 if is_new else origin[command.index]
        known = preview.history.positions
        if not 0 <= source < len(known) or known[source] < 0:
            raise InputError("Only messages of the transcript can be marked.", "Mark one that it holds.")
        return known[source]

    def _marked_places(self, preview: Preview) -> tuple[int, ...]:
        if not self._marks:
            return ()
        return tuple(place for place, at in enumerate(preview.history.positions) if at in self._marks)

    def _send_marks(self, marked: MarksChangedEvent) -> None:
        if marked != self._last_sent:
            self._last_sent = marked
            self._emit(marked)


def _with_linked(matching: Mask, before: Mask, screen: Screen) -> Mask:
    """Return the mask of the result: matching messages, and those made from a matching source message."""
    stays = screen.after_fates.translate(bytes([1] * len(FATES) + [0] * (256 - len(FATES))))
    size = len(screen.after)
    return any_mask((matching, all_mask((carried_mask(before, screen.origin), stays), size)), size)


def copied_message(preview: Preview, command: CopyMessageCommand) -> MessageCopiedEvent:
    """Return a message as the file has it, or as Markdown; an inserted one as an llxprt entry."""
    body = message_body(preview, command.side, command.index, is_complete=True)
    messages = preview.messages if command.side == "before" else preview.compaction.messages
    message, name = messages[command.index], number_format.message_number(command.index)
    if command.form != JSON:
        return MessageCopiedEvent(message_text(message), f"{name} is in the clipboard as Markdown.")
    is_source = command.side == "before" or _is_source(preview, command.index, message)
    entry = "" if is_source and body.raw else json.dumps(message_entry(message), ensure_ascii=False, indent=2)
    return MessageCopiedEvent(entry or body.raw, f"{name} is in the clipboard as JSON.")


def _is_source(preview: Preview, index: int, message: Message) -> bool:
    origins = preview.compaction.origins[index]
    return len(origins) == 1 and preview.messages[origins[0]] is message
