"""OpenHands: events of both versions as messages, condensations and their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.export.export import export_history
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Message, Text, ToolResponse
from core.transcript.scopes import history_of_scope
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.gemini_files import log, user
from tests.core.formats.research import chat, sample, v1_run, zipped


def _speakers(messages: tuple[Message, ...]) -> str:
    return "".join(message.speaker.value[0] for message in messages)


def _folder(name: str, events: list[Any]) -> dict[str, Any]:
    files = {f"{name}/events/event-{n:05}-{event['id']}.json": event for n, event in enumerate(events)}
    state = {"agent": {"llm": {"model": "m"}}}
    return {f"{name}/base_state.json": state, **dict(reversed(files.items()))}


def test_a_zipped_conversation_has_a_file_for_each_event(tmp_path: Path) -> None:
    conversation = load_conversation(zipped(tmp_path, _folder("c1", v1_run(2))))
    assert (conversation.format, conversation.model, conversation.siblings) == ("openhands", "m", 1)
    assert _speakers(conversation.messages) == "hatata"
    raw = json.loads(read_source(conversation.document, conversation.messages[0].sources[0]))
    assert raw["id"] == "u0"
    assert json.loads(export_history(unchanged_export(conversation), "openhands").data) == v1_run(2)


def words(conversation: Conversation, scope: str = "all") -> list[str]:
    """The texts of a scope, a result standing for its message."""
    found = []
    for message in history_of_scope(conversation, scope).messages:
        for block in message.blocks:
            if isinstance(block, Text):
                found.append(block.text)
            elif isinstance(block, ToolResponse):
                found.append(f"-> {block.result}")
    return found


def test_damage_in_a_log_is_told_and_survived(tmp_path: Path) -> None:
    path = log(
        tmp_path, user("u", "q"), 7, {"$set": 3}, {"$patch": {}}, {"type": "user"}, {"$set": {"messages": 1}}
    )
    path.write_text(path.read_text() + '{"id": "g", "type": "gem')
    conversation = load_conversation(path)
    assert words(conversation) == ["q"]
    warnings = " ".join(warning.text for warning in conversation.report.warnings)
    assert all(part in warnings for part in ("not an object", "$set", "$patch", "incomplete JSON"))


HEADER = {"version": 2, "status": "success", "eval": {"model": "m"}, "plan": {}}
TALK = [chat("system", "Be brief."), chat("user", "Hi."), chat("assistant", "Hello.")]


def _log(folder: Path, *samples: Any) -> Path:
    files = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    return zipped(folder, {"_journal/start.json": HEADER, **files, "header.json": HEADER})


def test_samples_come_by_epoch_and_id(tmp_path: Path) -> None:
    order = [(10, 1), (2, 2), (2, 1), (1, 1), ("a/b", 1)]
    path = _log(tmp_path, *(sample(id_, epoch, TALK) for id_, epoch in order))
    conversation = load_conversation(path, conversation=2)
    titles = [one.title for one in conversation.listed]
    assert titles == [
        "a/b, epoch 1",
        *(f"sample {one}" for one in ("1, epoch 1", "2, epoch 1", "10, epoch 1", "2, epoch 2")),
    ]
    assert {one.kind for one in conversation.listed} == {"sample"}
    assert (conversation.title, conversation.number, conversation.siblings) == ("sample 1, epoch 1", 2, 5)
    assert conversation.layout["member"] == "samples/1_epoch_1.json"
    assert conversation.document.name == "log.eval/samples/1_epoch_1.json"
    with pytest.raises(InputError, match="5 conversations, not 6"):
        load_conversation(path, conversation=6)


def test_a_log_that_lacks_samples_warns(tmp_path: Path) -> None:
    header = {**HEADER, "results": {"completed_samples": 3}}
    conversation = load_conversation(
        zipped(tmp_path, {"header.json": header, "samples/1_epoch_1.json": sample(1, 1, TALK)})
    )
    assert [note.text for note in conversation.report.warnings] == [
        "the log counts 3 samples that ended, but holds 1"
    ]
    assert conversation.model == "m"
