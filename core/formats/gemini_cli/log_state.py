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
    def alive(self) -> bool:
        return not self.rewind_number


@dataclass(slots=True, eq=False)
class GeminiRewrite:
    source: Source
    entries: tuple[GeminiEntry, ...]


@dataclass(frozen=True, slots=True)
class GeminiRewind:
    """A rewind: ``title`` is the start of the removed prompt, ``known`` the length of the log before it."""

    line: int
    title: str
    known: int


@dataclass(slots=True)
class GeminiReplay:
    """``log`` holds all records ever written, ``live`` the history by id.

    ``until`` is the number of the rewind before which the replay ends, 0 for none.
    """

    document: SourceDocument
    notes: ImportNotes
    until: int = 0
    log: list[GeminiEntry | GeminiRewrite] = field(default_factory=list)
    live: dict[str, GeminiEntry] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)
    rewinds: list[GeminiRewind] = field(default_factory=list)
