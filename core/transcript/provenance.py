"""Provenance inside an export: what each message of a result was, so that it can be put back later.

Every message carries under ``foldline`` its places in the source; where it is not its source any more,
the source's own messages as llxprt entries; and those that were taken away before it. No other file is
needed to go back (LH, open question 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import InputError
from core.common.json_value import Json
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.llxprt_content import entry_from, message_from
from core.transcript.model import Conversation, Message, Source
from core.transcript.restore import put_back
from core.transcript.tool_pairs import find_pairs

FIELD = "foldline"
"""The key of a message's provenance, in its record and in ``Message.extra``."""

_RULE = "exported"
_FATES = tuple(kind.value for kind in FateKind)


def with_provenance(run: Compaction, source: Sequence[Message]) -> Compaction:
    """The run with the provenance of each message among its other fields."""
    gone = _taken_away(run)
    messages = []
    for place, message in enumerate(run.messages):
        origins = run.origins[place]
        note: dict[str, Json] = {"sources": list(origins)}
        if place in run.inserted:
            note["inserted"] = True
        if place in run.inserted or any(run.fates[index].kind is not FateKind.KEPT for index in origins):
            note["originals"] = [_original(run, source, index) for index in origins]
        if place in gone:
            note["removed"] = [_original(run, source, index) for index in gone[place]]
        messages.append(replace(message, extra={**message.extra, FIELD: note}))
    if messages and len(run.messages) in gone:
        last = messages[-1].extra[FIELD]
        last["removed_after"] = [_original(run, source, index) for index in gone[len(run.messages)]]
    return replace(run, messages=tuple(messages))


def _taken_away(run: Compaction) -> dict[int, list[int]]:
    """Source messages that are nowhere, by the place of the result message that they stood before."""
    places = {source: place for place, sources in enumerate(run.origins) for source in sources}
    found: dict[int, list[int]] = {}
    place = len(run.messages)
    for index in range(len(run.fates) - 1, -1, -1):
        if index in places:
            place = places[index]
        else:
            found.setdefault(place, []).insert(0, index)
    return found


def _original(run: Compaction, source: Sequence[Message], index: int) -> dict[str, Json]:
    step = run.fates[index].last
    return {"index": index, "fate": step.kind.value, "rule": step.rule, "entry": entry_from(source[index])}


@dataclass(frozen=True, slots=True)
class MessageProvenance:
    """What a message of an export with provenance was: its places in the former source, with the fate of
    each that it stands for, and of those that were taken away before and behind it; all by index."""

    sources: tuple[int, ...]
    fates: Mapping[int, FateKind]
    removed: Mapping[int, FateKind]


def message_provenance(message: Message) -> MessageProvenance | None:
    """What the message was before its transcript was compacted; None where it does not say."""
    note = _note(message)
    if note is None:
        return None
    gone = (*_originals(note.get("removed")), *_originals(note.get("removed_after")))
    return MessageProvenance(
        _sources(note),
        {index: step.kind for index, (_, step) in _originals(note.get("originals"))},
        {index: step.kind for index, (_, step) in gone},
    )


def has_provenance(conversation: Conversation) -> bool:
    """True for a transcript that was exported with its provenance."""
    return any(_note(message) is not None for message in conversation.messages)


def restorable_places(conversation: Conversation) -> tuple[int, ...]:
    """Places in the former source of the messages that can be put back; raises as ``expand_messages``
    does."""
    return tuple(sorted(_known(conversation).originals))


def expand_messages(conversation: Conversation, indices: Iterable[int] | None) -> tuple[Message, ...]:
    """The messages of an export with those of its former source put back, by their places; None: all.

    What had been kept and what is not there changes nothing. Raises InputError where the transcript has
    no provenance.
    """
    found = _known(conversation)
    raw = found.source(conversation.messages)
    run = found.run(conversation.messages, len(raw))
    wanted = found.originals.keys() if indices is None else indices
    made = put_back(run, raw, find_pairs(raw), wanted)
    notes = {one.sources: _note(one) for one in conversation.messages}
    return tuple(_as_noted(message, notes) for message in with_provenance(made, raw).messages)


def _as_noted(message: Message, notes: Mapping[tuple[Source, ...], Mapping[str, Json] | None]) -> Message:
    """The message without its place in the file where another note stands there.

    Else an export would copy the record, and what was put back would be told twice.
    """
    return message if notes.get(message.sources) == _note(message) else replace(message, sources=())


@dataclass(frozen=True, slots=True)
class _ProvenanceData:
    """What the messages of an export say: origins by place, inserted places, originals by index."""

    origins: tuple[tuple[int, ...], ...]
    inserted: frozenset[int]
    originals: Mapping[int, tuple[Message, FateStep]]

    def source(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The former source, as far as it matters: kept messages are those that are there."""
        kept = {index: messages[place] for place, sources in enumerate(self.origins) for index in sources}
        known = {**kept, **{index: message for index, (message, _) in self.originals.items()}}
        return tuple(_plain(known[index]) for index in range(max(known, default=-1) + 1))

    def run(self, messages: Sequence[Message], count: int) -> Compaction:
        """The compaction that the export was the result of."""
        kept = Fate((FateStep(_RULE, FateKind.KEPT, "Kept."),))
        steps = {index: Fate((step,)) for index, (_, step) in self.originals.items()}
        fates = tuple(steps.get(index, kept) for index in range(count))
        metadata = CompactionMetadata(count, len(messages), _RULE, False)
        plain = tuple(map(_plain, messages))
        return Compaction(plain, self.origins, fates, metadata, inserted=self.inserted)


def _known(conversation: Conversation) -> _ProvenanceData:
    found = _read(conversation)
    if found is None:
        raise InputError(
            f"{conversation.document.name} has no provenance, so that nothing can be put back.",
            "Export with --provenance, or put messages back while the source is open.",
        )
    return found


def _read(conversation: Conversation) -> _ProvenanceData | None:
    origins: list[tuple[int, ...]] = []
    inserted: set[int] = set()
    originals: dict[int, tuple[Message, FateStep]] = {}
    notes = [_note(message) for message in conversation.messages]
    if not any(note is not None for note in notes):
        return None
    for place, note in enumerate(notes):
        found = note or {}
        origins.append(_sources(found))
        if note is None or found.get("inserted"):
            inserted.add(place)
        for key in ("originals", "removed", "removed_after"):
            originals.update(_originals(found.get(key)))
    known = {index for sources in origins for index in sources} | originals.keys()
    if known != set(range(len(known))):
        name = conversation.document.name
        raise InputError(f"The provenance in {name} is not whole.", "Messages of it were taken out.")
    return _ProvenanceData(tuple(origins), frozenset(inserted), originals)


def _note(message: Message) -> Mapping[str, Json] | None:
    note = message.extra.get(FIELD)
    return note if isinstance(note, dict) else None


def _sources(note: Mapping[str, Json]) -> tuple[int, ...]:
    """The places that a note names, as far as they can be read."""
    places = note.get("sources")
    return tuple(place for place in places if type(place) is int) if isinstance(places, list) else ()


def _originals(entries: Json) -> Iterator[tuple[int, tuple[Message, FateStep]]]:
    """Index, message and last step of each entry that can be read; the others are missed later."""
    for entry in entries if isinstance(entries, list) else ():
        known = isinstance(entry, dict) and isinstance(entry.get("entry"), dict)
        if known and type(entry.get("index")) is int and entry.get("fate") in _FATES:
            step = FateStep(str(entry.get("rule", _RULE)), FateKind(entry["fate"]), "As exported.")
            yield entry["index"], (message_from(entry["entry"]), step)


def _plain(message: Message) -> Message:
    extra = {key: value for key, value in message.extra.items() if key != FIELD}
    return replace(message, extra=extra)
