"""One small transcript of every format; a tuple is lines of JSON, anything else one JSON value."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.common.json_value import Json
from tests.core.formats import codex_lines, gemini_files, pi_files, research
from tests.core.formats.small_stores import SMALL_STORES

_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
_LOOK = {"type": "function", "id": "c1", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
_CHAT: list[Json] = [
    {"role": "system", "content": "Be exact."},
    {"role": "user", "content": [{"type": "text", "text": "Which tides?"}]},
    {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [_LOOK]},
    {"role": "tool", "tool_call_id": "c1", "content": "42 tides"},
    {"role": "assistant", "content": "There are 42."},
]
_ANTHROPIC: list[Json] = [
    {"role": "user", "content": [{"type": "text", "text": "Which tides?"}, _IMAGE]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.txt"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "42 tides"}]},
    {"role": "assistant", "content": [{"type": "compaction", "content": "all so far"}]},
    {"role": "user", "content": "and then?"},
]


def _claude_lines() -> tuple[Json, ...]:
    lines: list[Json] = []
    for number, message in enumerate([*_ANTHROPIC[:3], {"role": "assistant", "content": []}, _ANTHROPIC[4]]):
        own = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s-1"}
        inner = {**message, "id": f"msg_{number}", "usage": {"input_tokens": 7}}
        lines.append({"type": message["role"], **own, "cwd": "/home/ada/tides", "message": inner})
    cleared = {"trigger": "auto", "preTokens": 50, "tokensSaved": 20, "compactedToolIds": ["t1"]}
    lines[3] = {
        "type": "system",
        "subtype": "microcompact_boundary",
        "uuid": "u3",
        "parentUuid": "u2",
        "microcompactMetadata": cleared,
    }
    return tuple(lines)


def _copilot(kind: str, number: int, **data: Json) -> Json:
    return {"type": kind, "data": data, "id": f"e{number}", "timestamp": f"2026-07-01T10:00:0{number}Z"}


def _opencode(role: str, number: int, *parts: Json) -> Json:
    own = {"id": f"m{number}", "role": role, "time": {"created": number}, "tokens": {"input": 2, "cache": {}}}
    return {"info": own, "parts": [{"id": f"p{number}", "messageID": f"m{number}", **part} for part in parts]}


def _goose(role: str, *content: Json) -> Json:
    return {"role": role, "created": 1_750_000_000, "content": list(content)}


_GEMINI_CALL = gemini_files.called("c1", path="a.txt")
_REQUEST = {"toolCallId": "c1", "name": "read", "arguments": {"path": "a.txt"}, "type": "function"}
_ATIF_CALL = {"tool_call_id": "c1", "function_name": "read", "arguments": {"path": "a.txt"}}

SMALL: Mapping[str, Json] = {
    "claude_code": _claude_lines(),
    "openai_chat": {"model": "m", "messages": _CHAT, "tools": []},
    "anthropic_messages": {"model": "m", "system": "Be exact.", "messages": _ANTHROPIC},
    "llxprt": [
        {"speaker": "human", "blocks": [{"type": "text", "text": "hi"}], "metadata": {"timestamp": 0}},
        {"speaker": "ai", "blocks": [{"type": "tool_call", "id": "c", "name": "look", "parameters": {}}]},
        {"speaker": "tool", "blocks": [{"type": "tool_response", "callId": "c", "result": {"a": 1}}]},
    ],
    "codex_rollout": (
        *codex_lines.SESSION,
        codex_lines.compacted(codex_lines.user("and then?"), codex_lines.compaction()),
    ),
    "openai_responses": [
        codex_lines.user("hi"),
        codex_lines.reasoning("rs", "Look first."),
        codex_lines.call("a"),
        codex_lines.output("a", [{"type": "input_text", "text": "ok"}]),
        codex_lines.compaction(),
        codex_lines.answer("x"),
    ],
    "atif": {
        "schema_version": "ATIF-v1.7",
        "session_id": "s1",
        "agent": {"name": "terminus", "version": "2", "model_name": "big-1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "go"},
            {
                "step_id": 2,
                "source": "agent",
                "message": "",
                "tool_calls": [_ATIF_CALL],
                "observation": {"results": [{"source_call_id": "c1", "content": "42 tides"}]},
                "metrics": {"prompt_tokens": 7},
            },
        ],
    },
    "sharegpt": [
        {
            "conversations": [
                {"from": "human", "value": "hi"},
                {"from": "function_call", "value": '{"name": "tide", "arguments": {"port": "Brest"}}'},
                {"from": "observation", "value": "6 m"},
                {"from": "gpt", "value": "Six metres."},
            ],
            "system": "Be exact.",
            "tools": "[]",
        }
    ],
    "langchain": [
        {"type": "human", "content": "When is high tide?", "id": "m1"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "tide", "args": {"port": "Brest"}, "id": "c1"}],
        },
        {"type": "tool", "content": "06:12", "tool_call_id": "c1"},
    ],
    "vscode_chat_replay": {
        "exportedAt": "2025-10-31",
        "prompts": [
            {
                "prompt": "write it",
                "hasSeen": False,
                "logs": [
                    {
                        "id": "t1__vscode-17",
                        "kind": "toolCall",
                        "tool": "create_file",
                        "args": '{"a": 1}',
                        "response": ["ok"],
                    }
                ],
            }
        ],
    },
    "ai_sdk": [
        {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi", "state": "done"}]},
        {
            "id": "u2",
            "role": "assistant",
            "parts": [
                {
                    "type": "file",
                    "mediaType": "image/png",
                    "url": "data:image/png;base64,AA==",
                    "filename": "a",
                },
                {
                    "type": "dynamic-tool",
                    "toolName": "moon",
                    "toolCallId": "c1",
                    "state": "output-available",
                    "input": {"port": "Brest"},
                    "output": 1,
                },
            ],
        },
    ],
    "gemini_cli": (
        gemini_files.HEAD,
        gemini_files.user("u1", "Which tides?"),
        gemini_files.answer("g1", "I look.", _GEMINI_CALL, thoughts=[{"subject": "S", "description": "d"}]),
        {"$set": {"messages": [gemini_files.user("s", "<state_snapshot>read</state_snapshot>")]}},
        gemini_files.user("u9", "wrong"),
        {"$rewindTo": "u9"},
        gemini_files.answer("g5", "done"),
    ),
    "gemini": [
        gemini_files.content_entry("user", "Which tides?"),
        gemini_files.content_entry("model", gemini_files.call_part("read", path="a")),
        gemini_files.content_entry("user", gemini_files.result_part("read", "42"), "and then?"),
    ],
    "pi_agent": (
        pi_files.HEAD,
        *pi_files.chained(
            pi_files.user("q"),
            pi_files.answer("I look.", "", "", pi_files.call("c", path="a")),
            pi_files.result("c"),
            pi_files.entry("compaction", summary="read", firstKeptEntryId="e3", tokensBefore=9),
            pi_files.user("and then?"),
        ),
    ),
    "swe_agent": research.swe_run(2),
    "mini_swe_agent": {
        "trajectory_format": "mini-swe-agent-1.1",
        "info": {"config": {"model": {"model_name": "m"}}, "exit_status": "Submitted"},
        "messages": [
            *_CHAT[:3],
            {**_CHAT[3], "extra": {"timestamp": 1.5}},
            {"role": "exit", "content": "diff"},
        ],
    },
    "openhands": tuple(research.v1_run(2)),
    "inspect_ai": research.sample(
        1,
        1,
        [
            research.chat("user", [{"type": "image", "image": "data:image/png;base64,AAAA"}], "m1"),
            research.chat("assistant", "attachment://ab", "m2", tool_calls=[_LOOK]),
            research.chat("tool", "", "m3", tool_call_id="c1", error={"type": "timeout", "message": "slow"}),
        ],
        attachments={"ab": "I look."},
        events=[{"event": "compaction", "type": "summary", "tokens_before": 9}],
    ),
    "tau_bench": [{"task_id": 0, "trial": 0, "reward": 1.0, "info": {}, "traj": _CHAT}],
    "cline_session": {
        "version": 1,
        "updated_at": "2026-07-01T10:00:00Z",
        "agent": "lead",
        "sessionId": "s1",
        "messages": [{**_ANTHROPIC[0], "metadata": {"kind": "compaction"}}, *_ANTHROPIC[1:3]],
        "system_prompt": "Be exact.",
    },
    "cline_ui": [
        {"ts": 1_758_000_000_000, "type": "say", "say": "text", "text": "go"},
        {"ts": 1_758_000_000_001, "type": "say", "say": "api_req_started", "text": '{"tokensIn": 7}'},
        {"ts": 1_758_000_000_002, "type": "ask", "ask": "tool", "text": '{"tool": "readFile", "path": "b"}'},
        {
            "ts": 1_758_000_000_003,
            "type": "say",
            "say": "condense_context",
            "contextCondense": {"summary": "s"},
        },
    ],
    "copilot_cli": (
        _copilot("session.start", 1, sessionId="s1", selectedModel="m-1", context={"cwd": "/repo"}),
        _copilot("user.message", 2, content="look"),
        _copilot("assistant.message", 3, content="", toolRequests=[_REQUEST]),
        _copilot("tool.execution_complete", 4, toolCallId="c1", success=True, result={"content": "a.py"}),
    ),
    "opencode": {
        "info": {"id": "ses_1", "title": "A plan", "directory": "/repo"},
        "messages": [
            _opencode("user", 1, {"type": "text", "text": "one"}),
            _opencode(
                "assistant",
                2,
                {
                    "type": "tool",
                    "callID": "c1",
                    "tool": "read",
                    "state": {"status": "completed", "input": {"filePath": "a"}, "output": "done"},
                },
                {"type": "compaction", "auto": True},
            ),
        ],
    },
    "goose": {
        "id": "20260701_1",
        "name": "A plan",
        "working_dir": "/repo",
        "extension_data": {},
        "conversation": [
            _goose(
                "user", {"type": "text", "text": "look"}, {"type": "image", "data": "AA", "mimeType": "i/p"}
            ),
            _goose(
                "assistant",
                {"type": "toolRequest", "id": "c1", "toolCall": {"value": {"name": "sh", "arguments": {}}}},
            ),
            _goose("user", {"type": "toolResponse", "id": "c1", "toolResult": {"value": {"content": []}}}),
        ],
    },
    **SMALL_STORES,
}


def written(value: Json) -> bytes:
    """Return the bytes of a transcript in this shape."""
    return ("\n".join(map(json.dumps, value)) if isinstance(value, tuple) else json.dumps(value)).encode()
