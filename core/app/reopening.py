"""A large file that is opened: its figures are there at once where it was counted before, and kept if not."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.app.messages import OpenFileCommand
from core.common.errors import Cancelled, InputError
from core.common.file_checksum import file_checksum
from core.formats.common.first_rows import LARGE
from core.presentation.model import MessageRows
from core.presentation.packed_texts import PackedTexts
from core.tokens import count_cache
from core.tokens.count_cache import CountSidecar, SidecarKey
from core.tokens.counting_process import CountBatch, CountingProcess
from core.tokens.counting_process_main import CHECKSUM
from core.tokens.message_tokens import is_of, known_counts
from core.transcript.model import Conversation

_COLUMNS = 4


class ReopenedCounts:
    """The sidecar of a file while that is opened. The checksum of the file, which takes long, is made by the
    ``tally`` while something else is done here."""

    def __init__(self, wanted: SidecarKey, tally: CountingProcess | None) -> None:
        self._wanted, self._tally = wanted, tally
        self._place = count_cache.sidecar_path(wanted)
        found = count_cache.load_sidecar(self._place) if self._place else None
        self._former = found if found is not None and len(found.columns) == _COLUMNS else None
        self._batch: CountBatch | None = None
        if self._former is not None:
            self._ask()

    @property
    def encoding(self) -> str:
        """What is counted by."""
        return self._wanted.encoding

    @property
    def rows(self) -> MessageRows | None:
        """The rows of all messages, as they were, without their texts; None where they were not counted."""
        if self._former is None:
            return None
        speakers, kinds, errors, mono = self._former.columns
        empty = PackedTexts([""] * len(speakers))
        return MessageRows(speakers, kinds, errors, mono, self._former.figures, empty, empty)

    def counts(self, conversation: Conversation, pause: Callable[[], None]) -> array[int] | None:
        """The tokens of each message where what was read is proven to be what was counted; else None."""
        former = self._former
        if former is None or not is_of(former, conversation, self._checksum(pause)):
            self._former = self._batch = None
            return None
        return known_counts(former)

    def begin_keeping(self) -> None:
        """Have the checksum made that ``keep`` needs. Nothing where the sidecar is as it should be."""
        if self._former is None and self._batch is None:
            self._ask()

    def keep(self, conversation: Conversation, rows: MessageRows, pause: Callable[[], None]) -> None:
        """Write down what was counted, unless the file has changed since. ``pause`` may give it up."""
        with suppress(Cancelled, InputError):
            if self._former is None and self._place is not None:
                content = self._checksum(pause)
                columns = (rows.speakers, rows.kinds, rows.errors, rows.mono)
                shape = count_cache.messages_shape(conversation.messages)
                if count_cache.sidecar_path(self._wanted) == self._place:
                    found = CountSidecar(rows.tokens, shape, content, conversation.format, columns)
                    count_cache.save_sidecar(self._place, found)

    def _ask(self) -> None:
        if self._tally is not None:
            self._batch = self._tally.ask(CHECKSUM, [str(self._wanted.path)], None)

    def _checksum(self, pause: Callable[[], None]) -> int:
        if self._tally is not None and self._batch is not None:
            return self._tally.wait(self._batch, pause)[0]
        return file_checksum(str(self._wanted.path), lambda read: pause())


def reopen_counts(
    command: OpenFileCommand, encoding: str, tally: CountingProcess | None
) -> ReopenedCounts | None:
    """What is known of the file that a command names; None where it is read in no time, or is no file."""
    path = Path(command.path)
    try:
        is_large = path.stat().st_size >= LARGE
    except (OSError, ValueError):
        return None
    wanted = SidecarKey(path, command.conversation, command.branch, encoding)
    return ReopenedCounts(wanted, tally) if is_large else None
