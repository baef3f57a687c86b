"""Streams rows to the window and counts messages while a file loads."""

from __future__ import annotations

import re
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import is_

import orjson

from core.app.early_counting import BackgroundCounts
from core.formats.common.text_ranges import result_or_place
from core.presentation.lists import row_texts as rows
from core.presentation.model import MessageRows
from core.presentation.screen_transfer import NO_ROWS, joined_rows
from core.tokens.counter import TokenCounter
from core.transcript.model import Message, ToolResponse

PART = 5_000
"""Rows per batch: at most 2 MB, so that receiving it never stalls the window."""

_HEAD = 1 << 16  # bytes
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
_EVERY = 0.1  # seconds between two batches of rows


@dataclass(frozen=True, slots=True)
class StreamedMessages:
    """The messages of a conversation among those that were streamed: ``places`` has an entry for each.

    ``known`` are rows of the first streamed messages, whose texts are ready.
    """

    places: array[int]
    known: MessageRows
    cwd: str
    background_counts: BackgroundCounts | None

    def rows(self, messages: Sequence[Message], first: int, counts: array[int]) -> MessageRows:
        """Return rows of some messages, the first with the number ``first``; missing texts are made."""
        parts: list[MessageRows] = []
        for start, end in self._runs(first, first + len(messages)):
            own, some = messages[start - first : end - first], counts[start - first : end - first]
            place = self.places[start]
            if place < len(self.known):
                parts.append(
                    rows.with_counts(rows.rows_part(self.known, place, place + end - start), own, some)
                )
            else:
                parts.append(rows.message_rows(own, some, self.cwd))
        return joined_rows(parts)

    def counts(self, counter: TokenCounter) -> Iterator[int] | None:
        """Return the tokens of each message in order, as counted while reading; None where none were, or
        by another encoding than that of ``counter``."""
        if self.background_counts is None or self.background_counts.encoding != counter.method.encoding:
            return None
        return (self.background_counts.count(place, counter.pause) for place in self.places)

    def _runs(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield ranges whose places follow each other and are all known, or all unknown."""
        start, known = first, len(self.known)
        for number in range(first + 1, end + 1):
            former = self.places[number - 1]
            if number == end or self.places[number] != former + 1 or former + 1 == known:
                yield start, number
                start = number


class StreamingRows:
    """Messages of a file as far as it is read. Their rows are sent to ``show`` with the number of the first.

    ``cwd`` is a guess of the session's working folder, by which paths in rows are shortened. ``ahead``, where
    there is one, counts. ``former`` are the cached rows of the whole file: they are shown at once, and their
    tokens are used in the rows that follow as long as these look alike.
    """

    def __init__(
        self,
        show: Callable[[int, MessageRows], None],
        cwd: str = "",
        ahead: BackgroundCounts | None = None,
        former: MessageRows | None = None,
    ) -> None:
        self._show, self._cwd, self._ahead, self._cached = show, cwd, ahead, former or NO_ROWS
        self._index = _MessageIndex()
        self._unshown: list[Message] = []  # that have no rows yet
        self._rows = NO_ROWS
        self._next = 0.0
        for first in range(0, len(self._cached), PART):
            show(first, rows.rows_part(self._cached, first, first + PART))

    def add(self, messages: Sequence[Message]) -> None:
        """Count the messages read since the last call, and show them unless rows were shown just now."""
        self._unshown.extend(messages)
        self._index.add(messages)
        if self._ahead is not None:
            self._ahead.take(messages)
        if time.monotonic() >= self._next:
            self._show_rows()
            self._next = time.monotonic() + _EVERY

    def match(self, messages: Sequence[Message], cwd: str) -> StreamedMessages:
        """Find the messages of the whole conversation among those taken; new ones are counted, too."""
        shown = len(self._rows) if cwd == self._cwd else 0
        places, fresh = array("q"), list[Message]()
        for message in messages:
            place = self._index.find(message, places[-1] + 1 if places else 0)
            if place < 0:
                place = len(self._index) + len(fresh)
                fresh.append(message)
            places.append(place)
        if self._ahead is not None:
            self._ahead.take(fresh)
        return StreamedMessages(places, rows.rows_part(self._rows, 0, shown), cwd, self._ahead)

    def _show_rows(self) -> None:
        new, self._unshown = self._unshown, []
        for start in range(0, len(new), PART):
            first, part = len(self._rows), rows.message_rows(new[start : start + PART], None, self._cwd)
            self._rows = joined_rows((self._rows, part))
            self._show(first, self._with_cached_tokens(first, part))

    def _with_cached_tokens(self, first: int, part: MessageRows) -> MessageRows:
        former = rows.rows_part(self._cached, first, first + len(part))
        is_same = (former.speakers, former.kinds) == (part.speakers, part.kinds)
        return replace(part, tokens=former.tokens) if is_same else part


class _MessageIndex:
    """Messages as they were streamed. Some are replaced in the end, because responses get their names when
    all calls are known: those are recognised by their content."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._places: dict[int, int] | None = None  # by the id of the first content

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, messages: Sequence[Message]) -> None:
        self._messages.extend(messages)

    def find(self, message: Message, likely: int) -> int:
        """Return the place of a message with the same content, ids and names of responses aside; -1 for
        none. ``likely`` is tried first."""
        if likely < len(self._messages) and self._messages[likely] is message:
            return likely
        contents = _contents(message)
        if self._is_at(likely, message, contents):
            return likely
        if self._places is None:
            self._places = {id(_first(one)): place for place, one in enumerate(self._messages)}
        place = self._places.get(id(contents[0] if contents else None), -1)
        return place if self._is_at(place, message, contents) else -1

    def _is_at(self, place: int, message: Message, contents: list[object]) -> bool:
        if not 0 <= place < len(self._messages):
            return False
        candidate = self._messages[place]
        if candidate.flags != message.flags or candidate.speaker is not message.speaker:
            return False
        own = _contents(candidate)
        return len(own) == len(contents) and all(map(is_, own, contents))


def _first(message: Message) -> object:
    contents = _contents(message)
    return contents[0] if contents else None


def _contents(message: Message) -> list[object]:
    found: list[object] = []
    for block in message.blocks:
        if isinstance(block, ToolResponse):  # gets its name when all calls are known
            found += (result_or_place(block), block.error)
        else:
            found.append(block)
    return found


def guess_cwd(path: str) -> str:
    """Return the working folder that a file's beginning names first; empty where it names none."""
    try:
        with open(path, "rb") as file:
            found = _CWD.search(file.read(_HEAD))
        return str(orjson.loads(found[1])) if found else ""
    except (OSError, ValueError):
        return ""
