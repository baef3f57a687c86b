"""One small session of every store that is a file of JSON; merged into ``small_files.SMALL``."""

from __future__ import annotations

import json

from core.common.json_value import Json

_ASK = {"type": "text", "text": "Which tides?"}
_RUN = {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.txt"}}
_RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "42 tides"}


def _qwen(number: int, kind: str, *parts: Json, **fields: Json) -> Json:
    parent = f"u{number - 1}" if number > 1 else None
    message = {"role": "model" if kind == "assistant" else "user", "parts": [*parts]}
    own = {"uuid": f"u{number}", "parentUuid": parent, "sessionId": "s", "type": kind}
    return {**own, "cwd": "/repo", "message": message, **fields}


def _droid(number: int, role: str, *content: Json) -> Json:
    return {"type": "message", "id": f"m{number}", "message": {"role": role, "content": [*content]}}


def _kimi(kind: str, **fields: Json) -> Json:
    return {"type": "context.append_loop_event", "event": {"type": kind, **fields}, "time": 1_785_612_803_281}


def _node(id_: str, parent: str, role: str, text: str, **fields: Json) -> Json:
    content = {"content_type": "text", "parts": [text]}
    name = {"name": "read"} if role == "tool" else {}
    message = {"id": id_, "author": {"role": role, **name}, "content": content, **fields}
    return {"id": id_, "parent": parent, "children": [], "message": message}


_CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
_KIRO_RESULT = {"tool_use_id": "c1", "content": [{"Text": "42 tides"}], "status": "Success"}
_STEP = {"source": "MODEL", "status": "DONE", "created_at": "2026-07-01T10:00:00Z"}


def _sdk(kind: str, message: Json, **fields: Json) -> Json:
    return {"type": kind, "message": message, "session_id": "s1", "uuid": "u", **fields}


def _span(number: int, operation: str, **attributes: Json) -> Json:
    """Return a span of OTLP; names of attributes have __ for dots, texts are JSON."""
    texts = {"gen_ai.operation.name": operation, "gen_ai.conversation.id": "s1"}
    texts |= {
        f"gen_ai.{name.replace('__', '.')}": value if isinstance(value, str) else json.dumps(value)
        for name, value in attributes.items()
    }
    own = {"traceId": "t", "spanId": f"{number}", "name": operation}
    time = f"178500000{number}000000000"
    pairs = [{"key": name, "value": {"stringValue": text}} for name, text in texts.items()]
    return {**own, "startTimeUnixNano": time, "attributes": pairs}


def _said(role: str, **part: Json) -> Json:
    return {"role": role, "parts": [part]}


_PROMPT = _said("user", type="text", content="Which tides?")
_CALLED = _said("assistant", type="tool_call", id="c1", name="read", arguments={"path": "a.txt"})
_ANSWERED = _said("tool", type="tool_call_response", id="c1", response="42 tides")
_SO_FAR = _said("user", type="text", content="so far")
_DONE = _said("assistant", type="text", content="There are 42.")
_SPANS = (
    _span(2, "chat", input__messages=[_PROMPT, _CALLED, _ANSWERED], output__messages=[_DONE]),
    _span(0, "invoke_agent"),
    _span(
        1,
        "chat",
        input__messages=[_PROMPT],
        output__messages=[_CALLED],
        request__model="m-1",
        usage__input_tokens="35",
    ),
    _span(3, "chat", input__messages=[_SO_FAR, _PROMPT], output__messages=[_DONE]),
)

SMALL_STORES: dict[str, Json] = {
    "cursor": (
        {
            "role": "user",
            "message": {"content": [{"type": "text", "text": "<user_query>\nlook\n</user_query>"}]},
        },
        {"role": "assistant", "message": {"content": [{"type": "thinking", "thinking": "hm"}, _RUN]}},
        {"role": "user", "message": {"content": [_RESULT]}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "[REDACTED]"}]}},
        {"type": "turn_ended", "status": "success"},
    ),
    "qwen_code": (
        _qwen(1, "user", {"text": "Which tides?"}),
        _qwen(2, "assistant", {"text": "lost"}),
        _qwen(3, "assistant", {"text": "hm", "thought": True}, parentUuid="u1", model="m-1"),
        _qwen(
            3,
            "assistant",
            {"functionCall": {"id": "c1", "name": "read", "args": {"path": "a.txt"}}},
            parentUuid="u1",
            usageMetadata={"promptTokenCount": 40, "candidatesTokenCount": 4},
        ),
        _qwen(
            4, "tool_result", {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "42"}}}
        ),
        _qwen(
            5,
            "system",
            subtype="chat_compression",
            systemPayload={
                "info": {"originalTokenCount": 40, "newTokenCount": 9},
                "compressedHistory": [
                    {"role": "user", "parts": [{"text": "so far"}]},
                    {"role": "user", "parts": [{"text": "Which tides?"}]},
                ],
            },
        ),
        _qwen(6, "assistant", {"text": "There are 42."}),
    ),
    "kimi": (
        {"type": "metadata", "protocol_version": "1.4"},
        {"type": "config.update", "systemPrompt": "Be exact.", "modelAlias": "m-1", "time": 1},
        {"type": "turn.prompt", "input": [_ASK], "time": 1_785_612_803_281},
        {"type": "context.append_message", "message": {"role": "user", "content": [_ASK]}, "time": 1},
        _kimi("step.begin", step=1),
        _kimi("content.part", part={"type": "think", "think": "hm"}),
        _kimi("tool.call", toolCallId="Read_0", name="read", args={"path": "a.txt"}),
        _kimi("tool.result", toolCallId="Read_0", result={"output": "42 tides", "isError": False}),
        _kimi("step.end", usage={"inputOther": 5, "inputCacheRead": 30, "output": 4}),
        {
            "type": "context.apply_compaction",
            "summary": "so far",
            "keptUserMessageCount": 1,
            "tokensBefore": 39,
            "tokensAfter": 9,
            "time": 2,
        },
        _kimi("step.begin", step=2),
        _kimi("tool.call", toolCallId="Read_0", name="read", args={"path": "b.txt"}),
        _kimi("tool.result", toolCallId="Read_0", result={"output": "none", "isError": True}),
    ),
    "droid": (
        {"type": "session_start", "id": "s1", "title": "A plan", "cwd": "/repo"},
        _droid(1, "user", _ASK),
        _droid(2, "assistant", _RUN),
        _droid(3, "user", _RESULT),
        {"type": "compaction_state", "summary": {"title": "t", "body": "so far"}},
        _droid(4, "assistant", {"type": "text", "text": "There are 42."}),
    ),
    "antigravity": (
        {
            **_STEP,
            "step_index": 0,
            "source": "USER_EXPLICIT",
            "type": "USER_INPUT",
            "content": "<USER_REQUEST>look</USER_REQUEST>",
        },
        {
            **_STEP,
            "step_index": 1,
            "type": "PLANNER_RESPONSE",
            "thinking": "hm",
            "tool_calls": [{"name": "view_file", "args": {"Path": '"a.txt"'}}],
        },
        {**_STEP, "step_index": 2, "type": "VIEW_FILE", "content": "42 tides"},
        {**_STEP, "step_index": 3, "source": "SYSTEM", "type": "CHECKPOINT", "content": "so far"},
    ),
    "grok_build": (
        {"type": "system", "content": "Be exact."},
        {"type": "user", "content": [_ASK], "prompt_index": 0},
        {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {
            "type": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": "c1", "name": "read", "arguments": '{"path": "a.txt"}'}],
            "model_id": "m-1",
        },
        {"type": "tool_result", "tool_call_id": "c1", "content": "42 tides"},
    ),
    "hermes": {
        "session_id": "s1",
        "session_start": "2026-07-01T10:00:00Z",
        "model": "m-1",
        "messages": [
            {"role": "user", "content": "Which tides?"},
            {"role": "assistant", "content": "I look.", "tool_calls": [_CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "42 tides"},
            {"role": "user", "content": "[CONTEXT COMPACTION] so far"},
            {"role": "assistant", "content": "There are 42."},
            {"role": "session_meta"},
        ],
    },
    "kiro": {
        "conversation_id": "k1",
        "history": [
            {
                "user": {"content": {"Prompt": {"prompt": "Which tides?"}}},
                "assistant": {
                    "ToolUse": {"content": "", "tool_uses": [{"id": "c1", "name": "read", "args": {}}]}
                },
            },
            {
                "user": {"content": {"ToolUseResults": {"tool_use_results": [_KIRO_RESULT]}}},
                "assistant": {"Response": {"content": "There are 42."}},
            },
        ],
    },
    "chatgpt": [
        {
            "id": "g1",
            "title": "A plan",
            "current_node": "n4",
            "mapping": {
                "n0": {"id": "n0", "parent": None, "children": ["n1"], "message": None},
                "n1": _node("n1", "n0", "user", "Which tides?"),
                "nx": _node("nx", "n1", "assistant", "lost"),
                "n2": _node("n2", "n1", "assistant", '{"path": "a.txt"}', recipient="read"),
                "n3": _node("n3", "n2", "tool", "42 tides"),
                "n4": _node("n4", "n3", "assistant", "There are 42."),
            },
        }
    ],
    "claude_ai": [
        {
            "uuid": "a1",
            "name": "A plan",
            "chat_messages": [
                {"uuid": "1", "sender": "human", "text": "Which tides?", "content": []},
                {
                    "uuid": "2",
                    "sender": "assistant",
                    "text": "",
                    "content": [{**_RUN, "id": None}, {**_RESULT, "tool_use_id": None}, _ASK],
                },
            ],
        }
    ],
    "vscode_chat": (
        {"kind": 0, "v": {"sessionId": "v1", "requests": []}},
        {
            "kind": 2,
            "k": ["requests"],
            "v": [{"requestId": "r1", "message": {"text": "Which tides?"}, "response": []}],
        },
        {
            "kind": 1,
            "k": ["requests", 0, "result"],
            "v": {
                "metadata": {
                    "promptTokens": 40,
                    "outputTokens": 4,
                    "resolvedModel": "m-1",
                    "toolCallRounds": [
                        {
                            "id": "o1",
                            "response": "I look.",
                            "toolCalls": [{"id": "c1", "name": "read", "arguments": "{}"}],
                        },
                        {"id": "o2", "response": "There are 42.", "toolCalls": []},
                    ],
                    "toolCallResults": {"c1": {"content": [{"value": "42 tides"}]}},
                    "summaries": [{"toolCallRoundId": "o1", "text": "so far", "contextLengthBefore": 40}],
                }
            },
        },
    ),
    "amp": {
        "id": "T-1",
        "created": 1_785_612_803_281,
        "messages": [
            {"role": "user", "content": [_ASK]},
            {
                "role": "assistant",
                "content": [_RUN],
                "usage": {"inputTokens": 5, "cacheReadInputTokens": 30, "outputTokens": 4},
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "toolUseID": "c1", "run": {"status": "done", "result": "42"}}
                ],
            },
        ],
    },
    "continue_dev": {
        "sessionId": "s1",
        "title": "A plan",
        "workspaceDirectory": "file:///repo",
        "history": [
            {"message": {"role": "user", "content": "Which tides?"}, "contextItems": []},
            {
                "message": {"role": "assistant", "content": "", "toolCalls": [_CALL]},
                "toolCallStates": [
                    {"toolCallId": "c1", "status": "done", "output": [{"content": "42 tides"}]}
                ],
            },
            {"message": {"role": "tool", "toolCallId": "c1", "content": "42 tides"}},
            {"message": {"role": "user", "content": "and then?"}, "conversationSummary": "so far"},
        ],
    },
    "otlp": {"resourceSpans": [{"scopeSpans": [{"spans": [*_SPANS]}]}]},
    "observations": [
        {"id": "o0", "traceId": "t", "type": "SPAN", "startTime": "2026-07-01T10:00:00Z"},
        {
            "id": "o1",
            "traceId": "t",
            "type": "GENERATION",
            "startTime": "2026-07-01T10:00:01Z",
            "model": "m-1",
            "input": json.dumps([{"role": "user", "content": "Which tides?"}]),
            "output": {"role": "assistant", "content": None, "tool_calls": [_CALL]},
            "usageDetails": {"input": 35, "output": 4},
        },
        {
            "id": "o2",
            "traceId": "t",
            "type": "GENERATION",
            "startTime": "2026-07-01T10:00:02Z",
            "input": {
                "messages": [
                    {"role": "user", "content": "Which tides?"},
                    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
                    {"role": "tool", "tool_call_id": "c1", "content": "42 tides"},
                ]
            },
            "output": {"choices": [{"message": {"role": "assistant", "content": "There are 42."}}]},
        },
    ],
    "tau2": {
        "info": {"agent_info": {"llm": "m-1"}},
        "tasks": [],
        "simulations": [
            {
                "id": "s1",
                "task_id": "7",
                "trial": 0,
                "messages": [
                    {"role": "user", "content": "Which tides?"},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [{"id": "c1", "name": "read", "arguments": {"path": "a.txt"}}],
                        "usage": {"prompt_tokens": 35, "completion_tokens": 4},
                    },
                    {"role": "tool", "id": "c1", "content": "42 tides"},
                ],
            }
        ],
    },
    "agent_sdk": (
        {"type": "system", "subtype": "init", "session_id": "s1", "model": "m-1", "cwd": "/repo"},
        _sdk("user", {"role": "user", "content": [_ASK]}),
        _sdk(
            "assistant",
            {"id": "a1", "role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
        ),
        _sdk(
            "assistant",
            {
                "id": "a1",
                "role": "assistant",
                "model": "m-1",
                "content": [_RUN],
                "usage": {"input_tokens": 35},
            },
        ),
        _sdk("user", {"role": "user", "content": [_RESULT]}),
        _sdk("assistant", {"id": "a2", "role": "assistant", "content": []}, parent_tool_use_id="c1"),
        {
            "type": "system",
            "subtype": "compact_boundary",
            "session_id": "s1",
            "compact_metadata": {"trigger": "auto", "pre_tokens": 39},
        },
        {"type": "result", "subtype": "success", "session_id": "s1", "result": "done"},
    ),
}
