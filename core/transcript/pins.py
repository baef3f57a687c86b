"""The user's decisions on single messages: pins override the strategy, and messages
that a compaction changed are put back (LH-71)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.transcript.compaction import Compaction, Fate, FateKind, FateStep
from core.transcript.model import Message, tool_calls, tool_responses
from core.transcript.tool_pairs import Pairs


class PinKind(StrEnum):
    """``keep``: the message stays whole; ``drop``: it is removed first; ``note``: no effect."""

    KEEP = "keep"
    DROP = "drop"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class MessagePin:
    kind: PinKind
    note: str = ""


def pinned_indices(pins: Mapping[int, MessagePin], kind: PinKind) -> frozenset[int]:
    return frozenset(index for index, pin in pins.items() if pin.kind is kind)


def pins_for_input(
    pins: Mapping[int, MessagePin], inputs: Sequence[int]
) -> dict[int, MessagePin]:
    """Map pins on the source to pins on a strategy's input: ``inputs[i]`` is the source index of
    i."""
    if pins:
        return {
            index: pins[source] for index, source in enumerate(inputs) if source in pins
        }
    return {}


def ignored_pins_note(pins: Mapping[int, MessagePin], strategy: str) -> str:
    """Return the note for a strategy that ignores pins; empty if no pin requests an effect."""
    requests_effect = any(pin.kind is not PinKind.NOTE for pin in pins.values())
    if requests_effect:
        return f"Pins have no effect with {strategy}."
    return ""


RULE = "put back"
_REASON = "Put back by hand: it stands as it was."


@dataclass(frozen=True, slots=True)
class _ResultMessage:
    """A message of the result; ``previous_origins`` are its origins before anything was
    restored."""

    message: Message
    origins: tuple[int, ...]
    inserted: bool
    budget: int | None
    previous_origins: tuple[int, ...]


def _result_messages(run: Compaction) -> list[_ResultMessage]:
    entries = []
    for at, (message, sources) in enumerate(
        zip(run.messages, run.origins, strict=True)
    ):
        is_inserted = at in run.inserted
        budget = run.budgets.get(at)
        entries.append(_ResultMessage(message, sources, is_inserted, budget, sources))
    return entries


def restore_messages(
    run: Compaction, raw: Sequence[Message], pairs: Pairs, indices: Iterable[int]
) -> Compaction:
    """Return the run with these source messages restored; calls and responses are restored
    together. A changed message is replaced in its place. A removed or summarised one is inserted in
    source order, after its summary. A summary with all its messages restored is removed, and with
    the last summary the messages inserted with it. Indices of kept or missing messages have no
    effect."""
    wanted = _with_partners(run, raw, pairs, indices)
    if run.no_op is not None or not wanted:
        return run
    entries = _result_messages(run)
    for index in sorted(wanted):
        _restore(entries, index, raw[index])
    entries = _without_restored_summaries(entries)
    fates = list(run.fates)
    for index in wanted:
        fates[index] = Fate(
            (*fates[index].steps, FateStep(RULE, FateKind.KEPT, _REASON))
        )
    return replace(
        run,
        messages=tuple(entry.message for entry in entries),
        origins=tuple(entry.origins for entry in entries),
        inserted=frozenset(
            result_index for result_index, entry in enumerate(entries) if entry.inserted
        ),
        budgets={
            result_index: entry.budget
            for result_index, entry in enumerate(entries)
            if entry.budget is not None
        },
        fates=tuple(fates),
        metadata=replace(run.metadata, compressed_message_count=len(entries)),
    )


def _with_partners(
    run: Compaction, raw: Sequence[Message], pairs: Pairs, indices: Iterable[int]
) -> frozenset[int]:
    """Return the changed messages among the indices, and those with the other half of their
    pairs."""
    result_indices = {
        source: result_index
        for result_index, sources in enumerate(run.origins)
        for source in sources
    }
    pending = [
        index
        for index in indices
        if 0 <= index < len(raw) and run.fates[index].kind is not FateKind.KEPT
    ]
    wanted: set[int] = set()
    while pending:
        index = pending.pop()
        if index in wanted:
            continue
        wanted.add(index)
        pending += [
            partner
            for partner in pairs.partners.get(index, ())
            if not _is_whole(run, result_indices, raw, partner)
        ]
    return frozenset(wanted)


def _is_whole(
    run: Compaction, result_indices: dict[int, int], raw: Sequence[Message], index: int
) -> bool:
    """Return True if the result still has every call and response of a source message."""
    result_index = result_indices.get(index)
    return result_index is not None and _ids(raw[index]) <= _ids(
        run.messages[result_index]
    )


def _ids(message: Message) -> set[tuple[str, str]]:
    calls = {("call", call.id) for call in tool_calls(message)}
    return calls | {
        ("response", response.call_id) for response in tool_responses(message)
    }


def _restore(entries: list[_ResultMessage], index: int, message: Message) -> None:
    """Restore a source message: over its changed form, or at its place in the order."""
    restored = _ResultMessage(message, (index,), False, None, (index,))
    for at, entry in enumerate(entries):
        if index not in entry.origins:
            continue
        # It alone stands here, in another form.
        if entry.previous_origins == (index,):
            entries[at] = restored
            return
        # A summary stands for the others from now on.
        others = tuple(origin for origin in entry.origins if origin != index)
        entries[at] = replace(entry, origins=others)
        break
    for at, entry in enumerate(entries):
        if entry.previous_origins[:1] > (index,):
            entries.insert(at, restored)
            return
    entries.append(restored)


def _without_restored_summaries(entries: list[_ResultMessage]) -> list[_ResultMessage]:
    remaining = [entry for entry in entries if not _is_restored_summary(entry)]
    if len(remaining) == len(entries):
        return entries
    if any(map(_is_summary, remaining)):
        return remaining
    # What a strategy inserts beside its summaries, such as an answer of the model to them, says
    # nothing without any.
    return [entry for entry in remaining if not entry.inserted]


def _is_summary(entry: _ResultMessage) -> bool:
    """Return whether a message was inserted in place of others."""
    return entry.inserted and bool(entry.previous_origins)


def _is_restored_summary(entry: _ResultMessage) -> bool:
    """Return whether all messages that a summary stood for are back."""
    return _is_summary(entry) and not entry.origins
