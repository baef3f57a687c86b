"""Shapes that agents and libraries document in their sources: what was sent, who said it, which
calls have which results. The inputs are ours; each test names where its shape is described."""

from pathlib import Path
from typing import Any

from core.facts.sentences import writer_name
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    ServerTool,
    joined_text,
    tool_calls,
    tool_responses,
)
from tests.core.formats.small_files import saved

TIME = "2026-01-01T00:00:00Z"
ASKED = "Which tides?"


def said(conversation: Conversation) -> list[tuple[str, str]]:
    return [
        (writer_name(one), text)
        for one in conversation.messages
        if (text := joined_text(one))
    ]


def unpaired(conversation: Conversation) -> set[str]:
    calls = {call.id for one in conversation.messages for call in tool_calls(one)}
    results = {
        one.call_id
        for message in conversation.messages
        for one in tool_responses(message)
    }
    return calls ^ results


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


# Goose: block/goose, crates/goose/src/conversation/message.rs


def goose(folder: Path, *contents: tuple[str, dict[str, Any]]) -> Conversation:
    messages = [
        {
            "id": f"m{at}",
            "role": role,
            "created": 1_700_000_000 + at,
            "content": [content],
        }
        for at, (role, content) in enumerate(contents)
    ]
    session = {"id": "20260101_1", "working_dir": "/r", "message_count": len(messages)}
    return load_conversation(saved(folder, {**session, "conversation": messages}))


def goose_pair(kind: str, call: dict[str, Any], result: dict[str, Any]) -> list[Any]:
    return [
        ("user", text(ASKED)),
        ("assistant", {"type": kind, "id": "t1", "toolCall": call}),
        ("user", {"type": "toolResponse", "id": "t1", "toolResult": result}),
    ]


def test_a_frontend_call_of_goose_has_its_result(tmp_path: Path) -> None:
    call = {"status": "success", "value": {"name": "show", "arguments": {}}}
    result = {"status": "success", "value": {"content": [text("42")], "isError": False}}
    assert not unpaired(
        goose(tmp_path, *goose_pair("frontendToolRequest", call, result))
    )


def test_a_call_that_goose_could_not_parse_is_a_failed_pair(tmp_path: Path) -> None:
    failed = {"status": "error", "error": "no such tool"}
    conversation = goose(tmp_path, *goose_pair("toolRequest", failed, failed))
    assert not unpaired(conversation)
    assert [one.error for one in tool_responses(conversation.messages[-1])] == [
        "no such tool"
    ]


def test_a_notification_of_goose_is_not_sent(tmp_path: Path) -> None:
    notice = {
        "type": "systemNotification",
        "notificationType": "inlineMessage",
        "msg": "Compacted",
    }
    conversation = goose(tmp_path, ("user", text(ASKED)), ("assistant", notice))
    assert said(conversation) == [("human", ASKED)]
    assert dict(conversation.report.skipped) == {"content: systemNotification": 1}


# Gemini CLI: google-gemini/gemini-cli, packages/core/src/services/chatRecordingTypes.ts


def gemini_row(id_: str, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"id": id_, "timestamp": TIME, "type": kind, "content": content, **fields}


def gemini(folder: Path, *rows: dict[str, Any]) -> Conversation:
    header = {
        "sessionId": "s",
        "projectHash": "p",
        "startTime": TIME,
        "lastUpdated": TIME,
    }
    return load_conversation(saved(folder, (header, *rows)))


def test_parts_of_gemini_cli_are_texts_or_one_object(tmp_path: Path) -> None:
    rows = (
        gemini_row("1", "user", ["Which ", {"text": "tides?"}]),
        gemini_row("2", "gemini", {"text": "42."}),
    )
    assert said(gemini(tmp_path, *rows)) == [("human", "Which \ntides?"), ("ai", "42.")]


def test_what_gemini_cli_took_back_is_a_branch(tmp_path: Path) -> None:
    rows = [gemini_row("1", "user", ASKED), gemini_row("2", "gemini", "40.")]
    again = [gemini_row("4", "user", "Look again."), gemini_row("5", "gemini", "42.")]
    conversation = gemini(
        tmp_path, *rows, gemini_row("3", "user", "Sure?"), {"$rewindTo": "3"}, *again
    )
    assert [words for _, words in said(conversation)] == [
        ASKED,
        "40.",
        "Look again.",
        "42.",
    ]
    assert len(conversation.branches) == 2


def test_a_cancelled_call_of_gemini_cli_stands_without_result(tmp_path: Path) -> None:
    call = {"name": "read", "args": {}, "status": "cancelled", "timestamp": TIME}
    calls = [{"id": "c1", "result": None, **call}, {"id": "c2", "result": "42", **call}]
    rows = (
        gemini_row("1", "user", ASKED),
        gemini_row("2", "gemini", "", toolCalls=calls),
    )
    assert unpaired(gemini(tmp_path, *rows)) == {"c1"}


# What Gemini CLI 0.61.0 writes when a session is resumed: each answer in parts


def answered(id_: str, words: str) -> dict[str, Any]:
    return {
        "functionResponse": {"id": id_, "name": "read", "response": {"output": words}}
    }


def called(id_: str) -> dict[str, Any]:
    return {"id": id_, "name": "read", "args": {"file": id_}}


RESULTS = [answered("c1", "40"), answered("c2", "42")]
THOUGHT = {"subject": "Tides", "description": "I read both.", "timestamp": TIME}
GEMINI_TURN = (
    gemini_row("1", "user", [{"text": ASKED}]),
    gemini_row(
        "2",
        "gemini",
        "I read.",
        thoughts=[THOUGHT],
        toolCalls=[
            {**called(id_), "result": [result], "status": "success"}
            for id_, result in zip(("c1", "c2"), RESULTS, strict=True)
        ],
    ),
    gemini_row("3", "user", RESULTS),
    gemini_row("4", "gemini", "42."),
)
ANSWER_IN_PARTS = [
    {"text": "**Tides** I read both.", "thought": True},
    {"text": "I read. "},
    {"functionCall": called("c1")},
    {"functionCall": called("c2")},
]
ALL_RESULTS = [{**called(id_), "result": RESULTS} for id_ in ("c1", "c2")]
RESUMED = (
    GEMINI_TURN[0],
    gemini_row(
        "2", "gemini", ANSWER_IN_PARTS, thoughts=[THOUGHT], toolCalls=ALL_RESULTS
    ),
    gemini_row("2_response", "user", RESULTS),
    GEMINI_TURN[2],
    gemini_row("4", "gemini", [{"text": "42."}]),
)


def history(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"$set": {"messages": rows, "lastUpdated": TIME}}


def test_a_resumed_session_of_gemini_cli_is_no_compaction(tmp_path: Path) -> None:
    started = {"sessionId": "s", "projectHash": "p", "startTime": TIME}
    whole = gemini(tmp_path, *GEMINI_TURN, gemini_row("5", "user", "Sure?"))
    resumed = gemini(
        tmp_path,
        *GEMINI_TURN,
        started,
        history(gemini_row("0", "user", [{"text": "Go."}])),
        history(*RESUMED),
        gemini_row("i", "info", "Imported."),
        history(*RESUMED[:2], gemini_row("3", "user", RESULTS * 2), RESUMED[-1]),
        gemini_row("5", "user", "Sure?"),
    )
    assert said(resumed) == said(whole)
    assert not resumed.recorded
    assert not unpaired(resumed)


def test_a_resumed_session_of_gemini_cli_has_its_compression(tmp_path: Path) -> None:
    summary = gemini_row("6", "user", [{"text": "<state_snapshot>42</state_snapshot>"}])
    (compaction,) = gemini(
        tmp_path,
        *GEMINI_TURN,
        history(*RESUMED),
        history(summary),
        gemini_row("7", "user", "Sure?"),
    ).recorded
    assert (compaction.kind, compaction.boundary) == ("summary", 4)


def test_parts_of_gemini_cli_hold_each_call_and_result_once(tmp_path: Path) -> None:
    conversation = gemini(tmp_path, history(*RESUMED))
    answer, results = conversation.messages[1:3]
    assert [call.id for call in tool_calls(answer)] == ["c1", "c2"]
    assert [one.result for one in tool_responses(results)] == ["40", "42"]
    assert len(answer.blocks) == 4


def test_a_result_that_gemini_cli_shortened_is_a_compaction(tmp_path: Path) -> None:
    short = [answered("c1", "…"), RESULTS[1]]
    calls = [{**called(id_), "result": short} for id_ in ("c1", "c2")]
    rows = (
        GEMINI_TURN[0],
        gemini_row("2", "gemini", ANSWER_IN_PARTS, toolCalls=calls),
        gemini_row("3", "user", short),
        GEMINI_TURN[3],
    )
    (compaction,) = gemini(tmp_path, *GEMINI_TURN, history(*rows)).recorded
    results = [one for one in compaction.context_after if not isinstance(one, int)]
    assert [one.result for m in results for one in tool_responses(m)] == ["…", "42"]


# Qwen Code: QwenLM/qwen-code, packages/cli/src/nonInteractive/types.ts


def qwen(kind: str, content: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    ids = {"uuid": "u", "session_id": "s", "parent_tool_use_id": None}
    return {"type": kind, **ids, "message": message}


QWEN = (
    {
        "type": "system",
        "subtype": "init",
        "uuid": "u",
        "session_id": "s",
        "tools": ["read_file"],
    },
    qwen("user", ASKED),
    qwen(
        "assistant",
        [{"type": "tool_use", "id": "t1", "name": "read_file", "input": {}}],
    ),
    qwen("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]),
    qwen(
        "assistant", [{"type": "thinking", "thinking": "So 42."}, text("There are 42.")]
    ),
)


def test_results_of_a_stream_of_qwen_code_are_paired(tmp_path: Path) -> None:
    for name, value in {"lines": QWEN, "array": list(QWEN)}.items():
        conversation = load_conversation(saved(tmp_path, value, f"{name}.json"))
        assert said(conversation) == [("human", ASKED), ("ai", "There are 42.")], name
        assert not unpaired(conversation), name


def test_a_boundary_in_a_stream_of_qwen_code_is_a_compaction(tmp_path: Path) -> None:
    about = {"trigger": "auto", "pre_tokens": 9_000}
    boundary = QWEN[0] | {"subtype": "compact_boundary", "compact_metadata": about}
    conversation = load_conversation(
        saved(tmp_path, (*QWEN, boundary, qwen("user", "And then?")))
    )
    (compaction,) = conversation.recorded
    assert (compaction.boundary, compaction.tokens_before) == (4, 9_000)


# Kimi: MoonshotAI/kimi-cli, src/kimi_cli/soul/context.py and compaction.py


def kimi(folder: Path, *prompts: Any) -> Conversation:
    rows = [{"role": "user", "content": prompt} for prompt in prompts]
    head = (
        {"role": "_system_prompt", "content": "Watch."},
        {"role": "_checkpoint", "id": 0},
    )
    return load_conversation(saved(folder, (*head, *rows)))


def test_a_checkpoint_of_kimi_is_the_harness(tmp_path: Path) -> None:
    conversation = kimi(tmp_path, [text("<system>CHECKPOINT 0</system>")], ASKED)
    assert [who for who, _ in said(conversation)] == ["harness", "human"]
    assert conversation.system.texts == ("Watch.",)


def test_the_summary_that_kimi_puts_first_is_a_compaction(tmp_path: Path) -> None:
    note = "<system>Previous context has been compacted. Here is the compaction output:</system>"
    conversation = kimi(tmp_path, [text(note), text("The tide was 42.")], "And then?")
    assert [who for who, _ in said(conversation)] == ["summary", "human"]
    assert [(one.boundary, one.is_source_lost) for one in conversation.recorded] == [
        (0, True)
    ]


# Codex: openai/codex, codex-rs/protocol/src/models.rs


def codex(folder: Path, *items: dict[str, Any]) -> Conversation:
    head = {"id": "s", "timestamp": TIME, "cwd": "/r", "originator": "codex_cli_rs"}
    rows = [("session_meta", head), *(("response_item", item) for item in items)]
    values = [
        {"timestamp": TIME, "type": kind, "payload": payload} for kind, payload in rows
    ]
    return load_conversation(saved(folder, tuple(values)))


def codex_message(role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def test_a_local_shell_call_of_codex_has_its_output_of_parts(tmp_path: Path) -> None:
    action = {"type": "exec", "command": ["cat", "tides"]}
    call = {
        "type": "local_shell_call",
        "call_id": "c1",
        "status": "completed",
        "action": action,
    }
    parts = [{"type": "input_text", "text": "42"}]
    output = {"type": "function_call_output", "call_id": "c1", "output": parts}
    snapshot = {"type": "ghost_snapshot", "ghost_commit": {"id": "abc", "parent": None}}
    conversation = codex(tmp_path, codex_message("user", ASKED), call, output, snapshot)
    assert not unpaired(conversation)
    assert len(conversation.messages) == 3


def test_a_custom_call_of_codex_has_its_output(tmp_path: Path) -> None:
    call = {
        "type": "custom_tool_call",
        "call_id": "c1",
        "name": "apply_patch",
        "input": "*** x",
    }
    output = {"type": "custom_tool_call_output", "call_id": "c1", "output": "Success"}
    search = {"type": "web_search_call", "action": {"type": "open_page", "url": "u"}}
    conversation = codex(tmp_path, codex_message("user", ASKED), call, output, search)
    assert not unpaired(conversation)
    assert isinstance(conversation.messages[-1].blocks[0], ServerTool)


# Agent Framework: microsoft/agent-framework, python/packages/core/agent_framework/_types.py


def framework(
    folder: Path, *messages: tuple[str, list[dict[str, Any]]]
) -> Conversation:
    values = [
        {"type": "message", "role": role, "contents": contents}
        for role, contents in messages
    ]
    return load_conversation(saved(folder, values))


DRAIN = {"type": "function_call", "call_id": "c1", "name": "drain", "arguments": "{}"}
REQUEST = {"type": "function_approval_request", "id": "a1", "function_call": DRAIN}
RESPONSE = {"type": "function_approval_response", "id": "a1", "approved": True}
DRAINED = {"type": "function_result", "call_id": "c1", "result": "dry"}


def test_a_call_that_was_approved_counts_once(tmp_path: Path) -> None:
    asked, approved = (
        ("user", [text("Drain it.")]),
        ("user", [RESPONSE | {"function_call": DRAIN}]),
    )
    for made in ([], [("assistant", [DRAIN])]):
        turns = [asked, ("assistant", [REQUEST]), approved, *made, ("tool", [DRAINED])]
        conversation = framework(tmp_path, *turns)
        assert [one.speaker.value for one in conversation.messages] == [
            "human",
            "ai",
            "tool",
        ]
        assert not unpaired(conversation)


def test_calls_that_a_provider_answered_are_no_open_calls(tmp_path: Path) -> None:
    call = {"type": "mcp_server_tool_call", "call_id": "m1", "tool_name": "tides"}
    result = {
        "type": "mcp_server_tool_result",
        "call_id": "m1",
        "output": [text("42 at noon")],
    }
    conversation = framework(
        tmp_path, ("user", [text(ASKED)]), ("assistant", [call, result, text("42.")])
    )
    answer = conversation.messages[1].blocks
    assert [type(block) for block in answer[:2]] == [ServerTool, ServerTool]
    assert said(conversation)[-1] == ("ai", "42.")


# Pydantic AI: pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/messages.py


def pydantic(folder: Path, prompt: Any, *answer: dict[str, Any]) -> Conversation:
    asked = {
        "kind": "request",
        "parts": [{"part_kind": "user-prompt", "content": prompt}],
    }
    return load_conversation(
        saved(folder, [asked, {"kind": "response", "parts": [*answer]}])
    )


def test_a_readable_compaction_part_is_a_summary(tmp_path: Path) -> None:
    part = {
        "part_kind": "compaction",
        "content": "It was 42.",
        "provider_name": "anthropic",
    }
    conversation = pydantic(
        tmp_path, ASKED, part, {"part_kind": "text", "content": "Ebb."}
    )
    assert [words for _, words in said(conversation)] == [ASKED, "It was 42.", "Ebb."]
    assert [(one.kind, one.boundary) for one in conversation.recorded] == [
        ("summary", 1)
    ]


def test_a_mark_for_the_cache_says_nothing(tmp_path: Path) -> None:
    mark = {"kind": "cache-point", "ttl": "5m"}
    link = {"kind": "document-url", "url": "https://example.org/t.pdf"}
    drawing = {"kind": "binary", "data": "YWJj", "media_type": "image/png"}
    conversation = pydantic(
        tmp_path, ["Draw it", mark, link], {"part_kind": "file", "content": drawing}
    )
    kinds = [
        [type(block).__name__ for block in one.blocks] for one in conversation.messages
    ]
    assert kinds == [["Text", "Media"], ["Media"]]


# openai-agents: openai/openai-agents-python, src/agents/items.py and tests/test_apply_patch_tool.py


def test_shell_and_patch_items_have_their_outputs(tmp_path: Path) -> None:
    outcome = {"type": "exit", "exit_code": 0}
    items = [
        {"role": "user", "content": "List it."},
        {"type": "shell_call", "call_id": "s1", "action": {"commands": ["ls"]}},
        {
            "type": "shell_call_output",
            "call_id": "s1",
            "output": [{"stdout": "a", "outcome": outcome}],
        },
        {
            "type": "apply_patch_call",
            "call_id": "p1",
            "operation": {"type": "create_file"},
        },
        {"type": "apply_patch_call_output", "call_id": "p1", "output": "Created"},
    ]
    conversation = load_conversation(saved(tmp_path, items))
    assert conversation.format == "openai_responses"
    assert not unpaired(conversation)


# Google ADK: google/adk-python, src/google/adk/events/event.py


def test_an_answer_to_a_long_running_call_comes_later(tmp_path: Path) -> None:
    call = {"functionCall": {"id": "c1", "name": "ask", "args": {}}}
    replies = [
        {
            "functionResponse": {
                "id": "c1",
                "name": "ask",
                "response": {"status": status},
            }
        }
        for status in ("pending", "approved")
    ]
    spoken = [
        ("user", {"text": ASKED}),
        ("root", call),
        *(("user", reply) for reply in replies),
    ]
    events = []
    for at, (author, part) in enumerate(spoken):
        role = "model" if author == "root" else "user"
        content = {"role": role, "parts": [part]}
        ids = {"author": author, "invocationId": "i", "timestamp": float(at)}
        events.append({**ids, "content": content})
    conversation = load_conversation(
        saved(tmp_path, {"id": "s", "appName": "a", "events": events})
    )
    results = [
        one.result
        for message in conversation.messages
        for one in tool_responses(message)
    ]
    assert results[-1] == {"status": "approved"}
    assert not unpaired(conversation)


# LangChain: langchain-ai/langchain, libs/core/langchain_core/load/dump.py and messages/


def test_dumped_constructors_have_reasoning_and_summaries(tmp_path: Path) -> None:
    def dumped(name: str, **fields: Any) -> dict[str, Any]:
        path = ["langchain", "schema", "messages", name]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}

    source = {"lc_source": "summarization"}
    conversation = load_conversation(
        saved(
            tmp_path,
            [
                dumped("HumanMessage", content="It was 42.", additional_kwargs=source),
                dumped("HumanMessage", content="And then?"),
                dumped(
                    "AIMessage",
                    content=[{"type": "reasoning", "reasoning": "Hm"}, text("Ebb.")],
                ),
            ],
        )
    )
    expected = [("summary", "It was 42."), ("human", "And then?"), ("ai", "Ebb.")]
    assert said(conversation) == expected


# Copilot CLI: github/copilot-sdk, generated/session_events


def copilot(folder: Path, *events: tuple[str, dict[str, Any]]) -> Conversation:
    start = ("session.start", {"sessionId": "s", "producer": "copilot-agent"})
    rows = [
        {"type": kind, "id": f"e{at}", "timestamp": TIME, "data": data}
        for at, (kind, data) in enumerate((start, *events))
    ]
    return load_conversation(saved(folder, tuple(rows)))


COPILOT = (
    ("user.message", {"content": ASKED}),
    ("assistant.message", {"content": "42."}),
)


def test_a_compaction_of_copilot_that_failed_is_none(tmp_path: Path) -> None:
    for is_done, count in ((False, 0), (True, 1)):
        about = {
            "success": is_done,
            "preCompactionTokens": 90_000,
            "summaryContent": "42 so far.",
        }
        end = ("session.compaction_complete", about)
        conversation = copilot(
            tmp_path, *COPILOT, end, ("user.message", {"content": "And then?"})
        )
        assert len(conversation.recorded) == count


def test_a_message_of_a_helper_of_copilot_is_its_own(tmp_path: Path) -> None:
    asked = {"toolCallId": "t1", "name": "task", "arguments": {}}
    helper = {"content": "I look", "parentToolCallId": "t1"}
    done = {"toolCallId": "t1", "success": True, "result": {"content": "42"}}
    conversation = copilot(
        tmp_path,
        COPILOT[0],
        ("assistant.message", {"content": "", "toolRequests": [asked]}),
        ("assistant.message", helper),
        ("tool.execution_complete", done),
    )
    assert said(conversation) == [("human", ASKED)]
    assert not unpaired(conversation)


# Claude Code 2.1: cozempic's and claude-code-log's tests of microcompact_boundary and other rows


def claude(kind: str, id_: int, content: Any = None, **fields: Any) -> dict[str, Any]:
    ids = {
        "uuid": f"u{id_}",
        "parentUuid": f"u{id_ - 1}" if id_ else None,
        "sessionId": "s",
    }
    message = {} if content is None else {"message": {"role": kind, "content": content}}
    return {"type": kind, **ids, "timestamp": TIME, **message, **fields}


def test_a_microcompaction_names_the_calls_it_cleared(tmp_path: Path) -> None:
    about = {"trigger": "auto", "preTokens": 58_000, "tokensSaved": 20_000}
    ids = {"compactedToolIds": ["t1"], "clearedAttachmentUUIDs": []}
    rows = (
        claude("user", 0, ASKED),
        claude(
            "assistant",
            1,
            [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}],
        ),
        claude(
            "user", 2, [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]
        ),
        claude(
            "system",
            3,
            subtype="microcompact_boundary",
            microcompactMetadata={**about, **ids},
        ),
    )
    (compaction,) = load_conversation(saved(tmp_path, rows)).recorded
    assert (compaction.cleared, compaction.tokens_after) == (("t1",), 38_000)


def test_rows_about_a_session_say_nothing(tmp_path: Path) -> None:
    queued = {
        "type": "queue-operation",
        "sessionId": "s",
        "timestamp": TIME,
        "content": "Ebb?",
    }
    rows = (
        {"type": "custom-title", "customTitle": "Tides", "sessionId": "s"},
        claude("user", 0, ASKED),
        {**queued, "operation": "enqueue"},
        {**queued, "operation": "popAll"},
        {"type": "last-prompt", "lastPrompt": ASKED, "sessionId": "s"},
        claude("system", 1, subtype="away_summary", content="You asked about tides"),
    )
    assert said(load_conversation(saved(tmp_path, rows))) == [("human", ASKED)]


# opencode: packages/opencode/src/session/message-v2.ts (toModelMessages)


def opencode(folder: Path, *parts: dict[str, Any]) -> Conversation:
    info = {"id": "m1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}}
    about = {"id": "ses_1", "projectID": "p", "directory": "/r", "time": {}}
    messages = [{"info": info, "parts": [*parts]}]
    return load_conversation(saved(folder, {"info": about, "messages": messages}))


def test_a_text_that_opencode_only_shows_is_skipped(tmp_path: Path) -> None:
    conversation = opencode(
        tmp_path, text(ASKED), {**text("for your eyes"), "ignored": True}
    )
    assert said(conversation) == [("human", ASKED)]
    assert dict(conversation.report.skipped) == {"text, shown only": 1}


def test_a_task_of_a_command_is_sent_as_a_note(tmp_path: Path) -> None:
    task = {
        "type": "subtask",
        "prompt": "Count them",
        "description": "count",
        "agent": "general",
    }
    note = "The following tool was executed by the user"
    assert said(opencode(tmp_path, task)) == [("harness", note)]


# Continue: continuedev/continue, gui/src/redux/util/constructMessages.ts


def test_a_summary_of_continue_stands_for_its_own_message(tmp_path: Path) -> None:
    history: list[dict[str, Any]] = [
        {"message": {"role": "user", "content": ASKED}},
        {
            "message": {"role": "assistant", "content": "42."},
            "conversationSummary": "It was 42.",
        },
        {"message": {"role": "user", "content": "And then?"}},
    ]
    session = {"sessionId": "s", "workspaceDirectory": "/w", "history": history}
    (compaction,) = load_conversation(saved(tmp_path, session)).recorded
    assert (compaction.boundary, compaction.kept) == (2, ())


# Anthropic: anthropic-sdk-python, BetaCompactionBlock ("content is null if compaction failed")


def test_a_compaction_block_without_content_is_none(tmp_path: Path) -> None:
    for content, count in ((None, 0), ("It was 42.", 1)):
        answer = [{"type": "compaction", "content": content}, text("Ebb.")]
        turns = [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": answer},
        ]
        request = {"model": "claude-opus-4-6", "max_tokens": 9, "messages": turns}
        assert len(load_conversation(saved(tmp_path, request)).recorded) == count


# Hermes: NousResearch/hermes-agent, the page on its message graph (banditburai/hermes-agent)


def test_reasoning_of_hermes_is_beside_its_calls(tmp_path: Path) -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "search", "arguments": "{}"},
    }
    rows: list[dict[str, Any]] = [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": None,
            "reasoning": "Look it up",
            "tool_calls": [call],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "42"},
    ]
    session = {"session_id": "s", "session_start": TIME, "system_prompt": "Watch."}
    conversation = load_conversation(saved(tmp_path, {**session, "messages": rows}))
    assert conversation.format == "hermes"
    assert conversation.system.texts == ("Watch.",)
    assert not unpaired(conversation)


# Kiro and Amazon Q: aws/amazon-q-developer-cli, crates/chat-cli/src/cli/chat/message.rs,
# conversation.rs


def kiro(folder: Path, content: dict[str, Any], **fields: Any) -> Conversation:
    user = {
        "content": content,
        "additional_context": "It is noon.\n",
        "timestamp": TIME,
    }
    answer = {"Response": {"message_id": "m1", "content": "Stopped."}}
    turns = [{"user": user, "assistant": answer}]
    return load_conversation(
        saved(folder, {"conversation_id": "k", "history": turns, **fields})
    )


def test_what_the_person_says_while_cancelling_is_kept(tmp_path: Path) -> None:
    cancelled = {
        "tool_use_id": "t1",
        "content": [{"Text": "cancelled"}],
        "status": "Error",
    }
    content = {
        "CancelledToolUses": {"prompt": "No, stop.", "tool_use_results": [cancelled]}
    }
    spoken = [("harness", "It is noon.\n"), ("human", "No, stop."), ("ai", "Stopped.")]
    assert said(kiro(tmp_path, content)) == spoken


def test_the_last_summary_of_kiro_is_a_compaction(tmp_path: Path) -> None:
    prompt = {"Prompt": {"prompt": ASKED}}
    (compaction,) = kiro(tmp_path, prompt, latest_summary=["It was 42.", None]).recorded
    assert (compaction.boundary, compaction.is_source_lost) == (0, True)
    assert joined_text(compaction.summary[0]) == "It was 42."
