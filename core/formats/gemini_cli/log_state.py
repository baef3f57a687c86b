"""State of the replay of a Gemini CLI log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.transcript.model import Source, SourceDocument


@dataclass(slots=True, eq=False)
class GeminiEntry:
    """One record of the history: its newest value and the place of that.

    ``rewind_number`` is the number of the rewind that removed it, 0 for none; ``patches`` are the lines that
    changed it.
    """

    value: Mapping[str, Json]
    source: Source
    rewind_number: int = 0
    patches: tuple[Source, ...] = ()

    @property
    def is_active(self) -> bool:
        return not self.rewind_number


@dataclass(slots=True, eq=False)
class GeminiRewrite:
    source: Source
    entries: tuple[GeminiEntry, ...]


@dataclass(frozen=True, slots=True)
class GeminiRewind:
    """A rewind: ``title`` is the start of the removed prompt, ``log_length`` the length of the log before
    it."""

    line: int
    title: str
    log_length: int


@dataclass(slots=True)
class GeminiReplay:
    """``log`` holds all records ever written, ``history`` the history by id.

    ``stop_before_rewind`` is the number of the rewind before which the replay ends, 0 for none.
    """

    document: SourceDocument
    notes: ImportNotes
    stop_before_rewind: int = 0
    log: list[GeminiEntry | GeminiRewrite] = field(default_factory=list)
    history: dict[str, GeminiEntry] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)
    rewinds: list[GeminiRewind] = field(default_factory=list)
