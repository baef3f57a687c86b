"""Compactions to export, of a corpus file or of a small one that a test writes."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import Conversation, Message, Speaker, Text, ToolResponse
from core.transcript.scopes import history_of_scope
from core.transcript.tool_pairs import find_pairs
from tests.support.builders import nearest_valid
from tests.support.sampling import sampled

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
SUMMARY = "What was done before."
ACK = "Understood, going on."


def corpus_files(*folders: str) -> list[Any]:
    """Return the files of some corpus folders as parameters; one that skips if there is no
    corpus."""
    files = [
        path for folder in folders for path in sorted((CORPUS / folder).glob("*.*"))
    ]
    skip = pytest.mark.skip(reason="no corpus beside the project")
    return [pytest.param(path, id=path.name) for path in files] or [
        pytest.param(CORPUS, marks=skip)
    ]


def strategies_for(path: Path) -> tuple[str, ...]:
    """Return every fourth strategy; each four files of a folder have all of them between them."""
    parts = sampled(1, 4)
    place = sorted(path.parent.iterdir()).index(path)
    return tuple(COMPACTION_STRATEGIES)[place % parts :: parts]


def load_written(folder: Path, *values: Any, lines: bool = True) -> Conversation:
    text = "\n".join(map(json.dumps, values)) if lines else json.dumps(values[0])
    path = folder / ("source.jsonl" if lines else "source.json")
    path.write_text(text)
    return load_conversation(path)


def export_and_load(given: ExportInput, to: str, folder: Path) -> Conversation:
    path = folder / "exported"
    path.write_bytes(export_history(given, to).data)
    return load_conversation(path)


def unchanged_export(conversation: Conversation, scope: str = "all") -> ExportInput:
    return ExportInput(
        conversation=conversation, history=history_of_scope(conversation, scope)
    )


def compacted_export(
    conversation: Conversation, scope: str = "all", *, keep: float = 0.25
) -> ExportInput:
    """Keep top and bottom, and replace the middle by a summary and an answer; cuts never split
    pairs."""
    past = history_of_scope(conversation, scope)
    pairs = find_pairs(past.messages)
    count = len(past.messages)
    top, bottom = (
        nearest_valid(pairs, at)
        for at in (int(count * keep), count - int(count * keep))
    )
    kept = [*range(top), *range(max(top, bottom), count)]
    new = (
        Message(speaker=Speaker.HUMAN, blocks=(Text(SUMMARY),)),
        Message(speaker=Speaker.AI, blocks=(Text(ACK),)),
    )
    messages = [past.messages[index] for index in kept]
    messages[top:top] = new
    origins: list[tuple[int, ...]] = [(index,) for index in kept]
    origins[top:top] = [(), ()]
    return _given(conversation, scope, messages, origins, frozenset({top, top + 1}), ())


def edited_export(
    conversation: Conversation, edits: Mapping[int, Message | None]
) -> ExportInput:
    every = conversation.messages
    stays = [
        index
        for index in range(len(every))
        if edits.get(index, every[index]) is not None
    ]
    messages = [edits.get(index) or every[index] for index in stays]
    return _given(
        conversation, "all", messages, [(index,) for index in stays], frozenset(), edits
    )


def with_inserted(given: ExportInput, place: int, message: Message) -> ExportInput:
    """Return an export with a new message in front of the one at ``place``."""
    messages = list(given.messages)
    messages.insert(place, message)
    origins: list[tuple[int, ...]] = [(index,) for index in range(len(given.messages))]
    origins.insert(place, ())
    scope, inserted = given.history.scope, frozenset({place})
    return _given(given.conversation, scope, messages, origins, inserted, ())


def with_text(message: Message, number: int, text: str) -> Message:
    """Return a message with the block of that number, or its result, shortened to a text."""
    block = message.blocks[number]
    assert isinstance(block, Text | ToolResponse), "these have a text"
    changed = (
        replace(block, text=text)
        if isinstance(block, Text)
        else replace(block, result=text)
    )
    return replace(
        message,
        blocks=(*message.blocks[:number], changed, *message.blocks[number + 1 :]),
    )


def _given(
    conversation: Conversation,
    scope: str,
    messages: list[Message],
    origins: list[tuple[int, ...]],
    inserted: frozenset[int],
    edits: Collection[int],
) -> ExportInput:
    past = history_of_scope(conversation, scope)
    stays = {index for sources in origins for index in sources}
    fates = tuple(
        _fate(index, index in stays, index in edits)
        for index in range(len(past.messages))
    )
    metadata = CompactionMetadata(
        original_message_count=len(past.messages),
        compressed_message_count=len(messages),
        strategy_used="test",
        llm_call_made=False,
    )
    compaction = Compaction(
        messages=tuple(messages),
        origins=tuple(origins),
        fates=fates,
        metadata=metadata,
        inserted=inserted,
    )
    return ExportInput(
        conversation=conversation,
        history=past,
        compaction=compaction,
        tokens_before=150_000,
        tokens_after=105_000,
    )


def _fate(index: int, stays: bool, changed: bool) -> Fate:
    kind = (
        FateKind.EDITED
        if stays and changed
        else FateKind.KEPT
        if stays
        else FateKind.DROPPED
    )
    return Fate((FateStep("test", kind, f"#{index + 1}"),))
