"""Inspect logs: samples of zips and JSON, attachments, compactions, incomplete logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Media,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.research import chat, sample, saved, zipped

HASH = "0" * 31 + "a"
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


def test_a_log_in_json(tmp_path: Path) -> None:
    value = {**HEADER, "samples": [sample(1, 1, TALK), sample(2, 1, TALK[1:])]}
    second = load_conversation(saved(tmp_path, value), conversation=2)
    listed = [(one.title, one.messages) for one in second.listed]
    assert listed == [("sample 1, epoch 1", 2), ("sample 2, epoch 1", 2)]
    assert (second.model, second.system.texts) == ("m", ())
    assert second.layout["path"] == ["samples", 1, "messages"]


def test_a_single_sample(tmp_path: Path) -> None:
    tools = [{"name": "bash", "description": "Run.", "parameters": {}}]
    usage = {"input_tokens": 5, "input_tokens_cache_read": 7, "output_tokens": 9}
    model = {"event": "model", "tools": tools, "input": [], "output": {}}
    value = sample(1, 2, TALK, uuid="u", output={"model": "m", "usage": usage}, events=[model])
    conversation = load_conversation(saved(tmp_path, value))
    assert (conversation.format, conversation.title, conversation.session_id) == (
        "inspect_ai",
        "sample 1, epoch 2",
        "u",
    )
    assert (conversation.system.texts, conversation.system.tools) == (("Be brief.",), tuple(tools))
    assert (conversation.model, conversation.reported_context) == ("m", 12)


def _one(folder: Path, *messages: Any, **fields: Any) -> Conversation:
    return load_conversation(saved(folder, sample(1, 1, messages, **fields)))


@pytest.mark.parametrize("place", ["attachments", "transcript"])
def test_attachments_are_put_back(tmp_path: Path, place: str) -> None:
    long = {HASH: "a long text"}
    fields: Any = {place: long} if place == "attachments" else {place: {"content": long, "events": []}}
    part = {"type": "text", "text": f"attachment://{HASH}"}
    conversation = _one(tmp_path, chat("user", f"attachment://{HASH}"), chat("user", [part]), **fields)
    assert [message.blocks for message in conversation.messages] == [(Text("a long text"),)] * 2
    assert conversation.report.warnings == ()


def test_content_calls_and_errors(tmp_path: Path) -> None:
    url = "data:image/png;base64,AAAA"
    call = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function", "view": {}}
    error = {"type": "timeout", "message": "too slow"}
    thought = {"type": "reasoning", "reasoning": "hm", "signature": "s"}
    person, answer, result = _one(
        tmp_path,
        chat("user", [{"type": "image", "image": url, "detail": "auto"}]),
        chat("assistant", [thought, {"type": "text", "text": "Look."}], "m2", tool_calls=[call]),
        chat("tool", "", "m3", tool_call_id="c1", function="bash", error=error),
    ).messages
    assert person.blocks == (Media("image/png", url, "", {"detail": "auto"}),)
    assert answer.blocks == (
        Thinking("hm", {"signature": "s"}),
        Text("Look."),
        ToolCall("c1", "bash", {"cmd": "ls"}, {"view": {}}),
    )
    assert result.blocks == (ToolResponse("c1", "bash", "", "too slow", {"error": error}),)
    assert (answer.id, answer.speaker) == ("m2", Speaker.AI)


def _steps() -> list[Any]:
    talk = [chat("system", "Be brief.", "s"), chat("user", "Fix it.", "u")]
    for number in range(3):
        talk.append(chat("assistant", f"step {number}", f"a{number}"))
        talk.append(chat("user", f"go on {number}", f"g{number}"))
    return talk


def _asked(given: list[Any], answer: Any, **fields: Any) -> Any:
    return {"event": "model", "input": given, "output": {"choices": [{"message": answer}]}, **fields}


def _compacted(kind: str) -> Any:
    return {"event": "compaction", "type": kind, "tokens_before": 900, "tokens_after": 100}


def test_a_summary_is_what_the_next_request_holds(tmp_path: Path) -> None:
    talk = _steps()
    summary = chat("user", "So far: two steps.", "new")
    events = [_asked(talk[:4], talk[4]), _compacted("summary"), _asked([talk[0], talk[1], summary], talk[6])]
    conversation = _one(tmp_path, *talk, events=events)
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position, recorded.trigger) == ("summary", 5, "auto")
    assert (recorded.tokens_before, recorded.tokens_after) == (900, 100)
    assert recorded.context_after == (0, recorded.summary[0])
    assert recorded.summary[0].flags is MessageFlag.RECORDED_SUMMARY
    words = [message.blocks[0] for message in history_of_scope(conversation, "current").messages]
    assert words == [Text("Fix it."), Text("So far: two steps."), Text("step 2"), Text("go on 2")]


@pytest.mark.parametrize("pool", ["message_pool", "events_data"])
def test_requests_may_speak_of_a_pool(tmp_path: Path, pool: str) -> None:
    talk = _steps()
    changed = {**talk[2], "content": "(cleared)"}
    value: Any = [*talk[:2], changed, talk[3]]
    refs = _asked([], talk[4], input_refs=[[0, 2], [2, 4]])
    fields: Any = {pool: value if pool == "message_pool" else {"messages": value}}
    (recorded,) = _one(tmp_path, *talk, events=[_compacted("edit"), refs], **fields).recorded
    assert (recorded.kind, recorded.position) == ("microcompact", 3)
    assert [one if isinstance(one, int) else one.blocks for one in recorded.context_after] == [
        0,
        (Text("(cleared)"),),
        2,
    ]


def test_a_log_that_lacks_samples_warns(tmp_path: Path) -> None:
    header = {**HEADER, "results": {"completed_samples": 3}}
    conversation = load_conversation(
        zipped(tmp_path, {"header.json": header, "samples/1_epoch_1.json": sample(1, 1, TALK)})
    )
    assert [note.text for note in conversation.report.warnings] == [
        "the log counts 3 samples that ended, but holds 1"
    ]
    assert conversation.model == "m"


def test_a_log_without_samples_says_so(tmp_path: Path) -> None:
    for path in (_log(tmp_path), saved(tmp_path, {**HEADER, "samples": []})):
        with pytest.raises(InputError, match="an eval log without samples"):
            load_conversation(path)
