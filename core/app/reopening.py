"""Cached counts of a large file: shown at once when it is opened again, saved when it is new."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.app.messages import OpenFileCommand
from core.common.errors import Cancelled, InputError
from core.common.file_checksum import file_checksum
from core.formats.common.first_rows import MIN_FILE_SIZE
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
    """The cached counts of a file that is being opened. The counting process computes the file's checksum,
    which takes long, at the same time."""

    def __init__(self, key: SidecarKey, process: CountingProcess | None) -> None:
        self._key, self._process = key, process
        self._place = count_cache.sidecar_path(key)
        found = count_cache.load_sidecar(self._place) if self._place else None
        self._sidecar = found if found is not None and len(found.columns) == _COLUMNS else None
        self._batch: CountBatch | None = None
        if self._sidecar is not None:
            self._ask()

    @property
    def encoding(self) -> str:
        return self._key.encoding

    @property
    def rows(self) -> MessageRows | None:
        """The rows of all messages as they were, without texts; None where they were not counted."""
        if self._sidecar is None:
            return None
        speakers, kinds, errors, mono = self._sidecar.columns
        empty = PackedTexts([""] * len(speakers))
        return MessageRows(speakers, kinds, errors, mono, self._sidecar.figures, empty, empty)

    def counts(self, conversation: Conversation, pause: Callable[[], None]) -> array[int] | None:
        """Return the tokens of each message if the checksum shows that the file is unchanged, else None."""
        sidecar = self._sidecar
        if sidecar is None or not is_of(sidecar, conversation, self._checksum(pause)):
            self._sidecar = self._batch = None
            return None
        return known_counts(sidecar)

    def begin_keeping(self) -> None:
        """Start the checksum that ``keep`` needs; nothing where the cached counts are right."""
        if self._sidecar is None and self._batch is None:
            self._ask()

    def keep(self, conversation: Conversation, rows: MessageRows, pause: Callable[[], None]) -> None:
        """Save the counts, unless the file has changed since. ``pause`` may cancel it."""
        with suppress(Cancelled, InputError):
            if self._sidecar is None and self._place is not None:
                content = self._checksum(pause)
                columns = (rows.speakers, rows.kinds, rows.errors, rows.mono)
                shape = count_cache.messages_shape(conversation.messages)
                if count_cache.sidecar_path(self._key) == self._place:
                    found = CountSidecar(rows.tokens, shape, content, conversation.format, columns)
                    count_cache.save_sidecar(self._place, found)

    def _ask(self) -> None:
        if self._process is not None:
            self._batch = self._process.ask(CHECKSUM, [str(self._key.path)], None)

    def _checksum(self, pause: Callable[[], None]) -> int:
        if self._process is not None and self._batch is not None:
            return self._process.wait(self._batch, pause)[0]
        return file_checksum(str(self._key.path), lambda read: pause())


def reopen_counts(
    command: OpenFileCommand, encoding: str, process: CountingProcess | None
) -> ReopenedCounts | None:
    """Return what is cached of the file that a command names; None where it is small or no file."""
    path = Path(command.path)
    try:
        is_large = path.stat().st_size >= MIN_FILE_SIZE
    except (OSError, ValueError):
        return None
    key = SidecarKey(path, command.conversation, command.branch, encoding)
    return ReopenedCounts(key, process) if is_large else None
