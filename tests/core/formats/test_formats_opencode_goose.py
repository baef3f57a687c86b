"""opencode exports and goose sessions: calls with results, compactions, several sessions in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.formats.registry import format_by_name, load_conversation
from core.transcript.model import (
    Conversation,
    Media,
    Message,
    MessageFlag,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.scopes import history_of_scope
from core.transcript.tool_pairs import find_pairs
from tests.core.unbroken import assert_pairs_hold


def read(folder: Path, *values: Any, conversation: int = 1) -> Conversation:
    path = folder / "given.txt"
    path.write_text("\n".join(map(json.dumps, values)), "utf-8")
    return load_conversation(path, conversation=conversation)


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [block.text for message in messages for block in message.blocks if isinstance(block, Text)]


def shapes(conversation: Conversation) -> list[tuple[str, int]]:
    return [(message.speaker.value, len(message.blocks)) for message in conversation.messages]


# opencode ---------------------------------------------------------------------------------------------


def part(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": f"prt_{kind}", "sessionID": "ses_1", "messageID": "m", "type": kind, **fields}


def tool(call_id: str, status: str = "completed", **state: Any) -> dict[str, Any]:
    given = {"status": status, "input": {"filePath": "a.py"}, **state}
    return part("tool", callID=call_id, tool="read", state=given)


def user(id_: str, created: int, *parts: Any, **info: Any) -> dict[str, Any]:
    found = [part("text", text=one) if isinstance(one, str) else one for one in parts]
    return {"info": {"id": id_, "role": "user", "time": {"created": created}, **info}, "parts": found}


def answer(id_: str, created: int, *parts: Any, **info: Any) -> dict[str, Any]:
    cache = {"read": 400, "write": 20}
    given = {
        "modelID": "m-1",
        "tokens": {"input": created, "output": 9, "cache": cache},
        "finish": "stop",
        **info,
    }
    value = user(id_, created, *parts, **given)
    value["info"]["role"] = "assistant"
    return value


def export(*messages: Any, **info: Any) -> dict[str, Any]:
    about = {"id": "ses_1", "title": "A plan", "directory": "/repo", "projectID": "p", **info}
    return {"info": about, "messages": list(messages)}


def test_an_export_becomes_messages(tmp_path: Path) -> None:
    done = tool("c1", output="text", title="a.py", time={"start": 1, "end": 2})
    failed = tool("c2", "error", error="not found")
    image = part("file", mime="image/png", url="data:image/png;base64,AA", filename="shot.png")
    listed = part("file", mime="text/plain", url="file:///a.py")
    first = user("m1", 1, "look", image, listed, system="Be brief.")
    begins, thought = part("step-start"), part("reasoning", text="hm")
    parts = (begins, thought, "I look.", done, failed, tool("c3", "running"), part("step-finish"))
    second = answer("m2", 2, *parts, begins, "Done.")
    conversation = read(tmp_path, export(first, second))
    assert (conversation.format, format_by_name("opencode").real_file_seen) == ("opencode", False)
    assert shapes(conversation) == [("human", 2), ("ai", 5), ("tool", 2), ("ai", 1)]
    assert [message.sources[0].part for message in conversation.messages] == [0, 0, 1, 2]
    assert conversation.messages[0].blocks[1] == Media("image/png", "data:image/png;base64,AA", "shot.png")
    assert conversation.messages[1].blocks[:3] == (
        Thinking("hm"),
        Text("I look."),
        ToolCall("c1", "read", {"filePath": "a.py"}),
    )
    kept = {"status": "completed", "title": "a.py", "time": {"start": 1, "end": 2}}
    assert conversation.messages[2].blocks == (
        ToolResponse("c1", "read", "text", extra=kept),
        ToolResponse("c2", "read", "not found", "not found", {"status": "error"}),
    )
    assert (conversation.title, conversation.cwd, conversation.session_id) == ("A plan", "/repo", "ses_1")
    assert (conversation.model, conversation.reported_context) == ("m-1", 422)
    assert conversation.system.texts == ("Be brief.",)
    skipped = {"part: step-start": 2, "part: file": 1, "part: step-finish": 1}
    assert dict(conversation.report.skipped) == skipped
    assert find_pairs(conversation.messages).orphans == ()


def test_flags_and_errors(tmp_path: Path) -> None:
    made = part("text", text="written by the harness", synthetic=True)
    stopped = answer("m2", 2, error={"name": "MessageAbortedError", "data": {"message": "stopped"}})
    conversation = read(tmp_path, export(user("m1", 1, made), stopped))
    assert [message.flags for message in conversation.messages] == [MessageFlag.META, MessageFlag.API_ERROR]
    assert texts(conversation.messages)[1] == "stopped"


def test_a_summary_with_its_tail(tmp_path: Path) -> None:
    conversation = read(
        tmp_path,
        export(
            user("m1", 1, "one"),
            answer("m2", 2, "two"),
            user("m3", 3, "three"),
            answer("m4", 4, "four"),
            user("m5", 5, part("compaction", auto=True, tail_start_id="m3")),
            answer("m6", 6, "all so far", parentID="m5", summary=True, mode="compaction"),
            user("m7", 7, "go on"),
        ),
    )
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position, recorded.kept, recorded.trigger) == (
        "summary",
        4,
        (2, 3),
        "auto",
    )
    assert recorded.tokens_before == 424
    assert recorded.summary[0].flags == MessageFlag.RECORDED_SUMMARY
    assert texts(conversation.messages) == ["one", "two", "three", "four", "go on"]
    assert texts(history_of_scope(conversation, "current").messages) == [
        "all so far",
        "three",
        "four",
        "go on",
    ]
    assert conversation.reported_context == 424


def test_a_summary_that_failed_and_one_of_an_earlier_version(tmp_path: Path) -> None:
    asked = user("m2", 2, part("compaction", auto=False))
    failed = answer("m3", 3, "half", parentID="m2", summary=True, error={"name": "x"})
    alone = answer("m5", 5, "all so far", summary=True)
    conversation = read(tmp_path, export(user("m1", 1, "one"), asked, failed, user("m4", 4, "two"), alone))
    (recorded,) = conversation.recorded
    assert (recorded.position, recorded.trigger, texts(recorded.summary)) == (2, "", ["all so far"])
    skipped = {"request for a summary": 1, "summary that was not finished": 1}
    assert dict(conversation.report.skipped) == skipped


def test_results_that_were_cleared_in_place(tmp_path: Path) -> None:
    def old(id_: str) -> dict[str, Any]:
        return tool(id_, output="long", time={"start": 1, "end": 2, "compacted": 30})

    conversation = read(
        tmp_path,
        export(
            user("m1", 10, "one"),
            answer("m2", 20, old("c1"), old("c2")),
            user("m3", 40, "two"),
            answer("m4", 50, tool("c3", output="short")),
        ),
    )
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position, recorded.cleared) == ("microcompact", 3, ("c1", "c2"))
    seen = [
        block.result
        for message in history_of_scope(conversation, "current").messages
        for block in message.blocks
        if isinstance(block, ToolResponse)
    ]
    assert [result == "long" for result in seen] == [False, False, False]
    assert seen[2] == "short"
    assert_pairs_hold(conversation)


def test_several_sessions_in_one_file(tmp_path: Path) -> None:
    started = tool("c1", output="done", metadata={"sessionId": "ses_2"})
    main = export(user("m1", 1, "one"), answer("m2", 2, started))
    child = export(user("m3", 3, "inside"), id="ses_2", title="Explore", parentID="ses_1")
    conversation = read(tmp_path, main, child)
    assert (conversation.siblings, len(conversation.messages)) == (2, 3)
    assert [(one.title, one.messages, one.kind, one.call_id) for one in conversation.listed] == [
        ("A plan", 3, "", ""),
        ("Explore", 1, "sub-agent", "c1"),
    ]
    assert texts(read(tmp_path, main, child, conversation=2).messages) == ["inside"]


# goose ------------------------------------------------------------------------------------------------


def spoken(role: str, *content: Any, **fields: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    return {"role": role, "created": 1_750_000_000, "content": blocks, **fields}


def requested(id_: str) -> dict[str, Any]:
    call = {"name": "developer__shell", "arguments": {"command": "ls"}}
    return {"type": "toolRequest", "id": id_, "toolCall": {"status": "success", "value": call}}


def responded(id_: str, **result: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": id_, "toolResult": {"status": "success", **result}}


def session(*messages: Any, **fields: Any) -> dict[str, Any]:
    config = {"model_name": "m-1", "context_limit": 200_000}
    around = {"id": "20260701_1", "name": "A plan", "working_dir": "/repo", "extension_data": {}}
    return {**around, "model_config": config, "input_tokens": 900, "conversation": list(messages), **fields}


def seen(*, by_person: bool, by_model: bool) -> dict[str, Any]:
    return {"metadata": {"userVisible": by_person, "agentVisible": by_model}}


def test_a_goose_export(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "a.py"}]
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    hidden = {"type": "redactedThinking", "data": "zz"}
    notice = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "compacting"}
    failed = {"type": "toolResponse", "id": "c2", "toolResult": {"status": "error", "error": "denied"}}
    image = {"type": "image", "data": "AA", "mimeType": "image/png"}
    conversation = read(
        tmp_path,
        session(
            spoken("user", "look", image, id="m1"),
            spoken("assistant", thought, hidden, requested("c1"), requested("c2")),
            spoken("user", responded("c1", value={"content": content, "isError": False}), failed, "and"),
            spoken("assistant", notice),
        ),
    )
    assert (conversation.format, format_by_name("goose").real_file_seen) == ("goose", False)
    assert shapes(conversation) == [("human", 2), ("ai", 4), ("tool", 2), ("human", 1)]
    assert conversation.messages[0].blocks[1] == Media("image/png", "AA")
    assert conversation.messages[1].blocks[0] == Thinking("hm", {"signature": "s"})
    assert conversation.messages[2].blocks == (
        ToolResponse("c1", "developer__shell", content),
        ToolResponse("c2", "developer__shell", "denied", "denied"),
    )
    assert (conversation.title, conversation.cwd, conversation.session_id) == (
        "A plan",
        "/repo",
        "20260701_1",
    )
    assert (conversation.model, conversation.reported_limit, conversation.reported_context) == (
        "m-1",
        200_000,
        900,
    )
    assert conversation.messages[0].timestamp == "2025-06-15T15:06:40Z"
    assert dict(conversation.report.skipped) == {"content: systemNotification": 1}


def test_compactions_of_goose_by_who_sees_what(tmp_path: Path) -> None:
    gone, added = seen(by_person=True, by_model=False), seen(by_person=False, by_model=True)
    never = seen(by_person=False, by_model=False)
    conversation = read(
        tmp_path,
        session(
            spoken("user", "one", **gone),
            spoken("assistant", "two", **gone),
            spoken("user", "three", **never),
            spoken("user", "summary 1", **never),
            spoken("assistant", "go on 1", **never),
            spoken("user", "three", **gone),
            spoken("assistant", "four", **gone),
            spoken("user", "summary 2", **added),
            spoken("assistant", "go on 2", **added),
            spoken("user", "five"),
        ),
    )
    assert texts(conversation.messages) == ["one", "two", "three", "three", "four", "five"]
    assert [one.position for one in conversation.recorded] == [3, 5]
    assert texts(history_of_scope(conversation, "before:1").messages) == ["one", "two", "three"]
    assert texts(history_of_scope(conversation, "before:2").messages) == [
        "summary 1",
        "go on 1",
        "three",
        "four",
    ]
    assert texts(history_of_scope(conversation, "current").messages) == ["summary 2", "go on 2", "five"]
