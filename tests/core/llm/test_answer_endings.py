"""The provider's own finish reason decides whether an answer is whole; litellm makes "stop" of
many."""

import json

import pytest

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.call_errors import NetworkActivity
from tests.core.llm.model_asking import RecordingCaller, profile
from tests.support.loopback import SUMMARY, Reply, reply_with_calls, run_loopback
from tests.support.sampling import sampled

CUT = (
    *(
        "length",
        "model_context_window_exceeded",
        "pause_turn",
        "model_length",
        "network_error",
        "abort",
    ),
    *(
        "incomplete",
        "timeout",
        "error",
        "insufficient_system_resource",
        "load",
        "an_unknown_word",
    ),
)


def openai(reason: Json, stream: bool, **fields: Json) -> bytes:
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    if not stream:
        message = {"role": "assistant", "content": SUMMARY}
        return json.dumps(
            head
            | {
                "choices": [
                    {"index": 0, "message": message, "finish_reason": reason} | fields
                ]
            }
        ).encode()
    head["object"] = "chat.completion.chunk"
    choices = (
        {
            "index": 0,
            "delta": {"role": "assistant", "content": SUMMARY},
            "finish_reason": None,
        },
        {"index": 0, "delta": {}, "finish_reason": reason} | fields,
    )
    events = (json.dumps(head | {"choices": [one]}) for one in choices)
    return "".join(f"data: {one}\n\n" for one in (*events, "[DONE]")).encode()


def anthropic(reason: Json, stream: bool) -> bytes:
    usage = {"input_tokens": 9, "output_tokens": 9}
    head = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "usage": usage,
    }
    text = {"type": "text", "text": SUMMARY}
    if not stream:
        return json.dumps(
            head | {"content": [text], "stop_reason": reason, "stop_sequence": None}
        ).encode()
    events: list[Json] = [
        {
            "type": "message_start",
            "message": head | {"content": [], "stop_reason": None},
        },
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": SUMMARY},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    return "".join(
        f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events
    ).encode()


def gemini(reason: Json, stream: bool) -> bytes:
    candidate: Json = {
        "content": {"parts": [{"text": SUMMARY}], "role": "model"},
        "index": 0,
    }
    whole: Json = {
        "candidates": [candidate | ({"finishReason": reason} if reason else {})]
    }
    whole["usageMetadata"] = {
        "promptTokenCount": 9,
        "candidatesTokenCount": 9,
        "totalTokenCount": 18,
    }
    return (f"data: {json.dumps(whole)}\n\n" if stream else json.dumps(whole)).encode()


def ollama(reason: Json) -> bytes:
    message = {"role": "assistant", "content": SUMMARY}
    whole = {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": message,
        "done": True,
    }
    counts = {"prompt_eval_count": 9, "eval_count": 9}
    return json.dumps(whole | {"done_reason": reason} | counts).encode() + b"\n"


FAMILIES = {
    "openai": (openai, ("stop", "eos")),
    "azure": (openai, ("stop",)),
    "mistral": (openai, ("stop",)),
    "anthropic": (anthropic, ("end_turn", "stop_sequence")),
    "gemini": (gemini, ("STOP",)),
}
"""How the providers of a family answer, and the finish reasons of their whole answers."""
GEMINI = {"length": "MAX_TOKENS", "error": "MALFORMED_RESPONSE", "abort": "OTHER"}


def endings(family: str, *replies: bytes, stream: bool) -> list[str]:
    """Return how the answers of one server ended."""
    with run_loopback(*(Reply(raw=raw) for raw in replies)) as server:
        fields = (
            {"parameters": {"api_version": "2024-10-21"}} if family == "azure" else {}
        )
        base = (
            server.base
            if family in ("azure", "ollama_chat")
            else server.base_url(family)
        )
        asked = profile(server, family, stream=stream, base_url=base, **fields)
        return [_ending(RecordingCaller(asked)) for _ in replies]


def _ending(caller: RecordingCaller) -> str:
    try:
        return caller.summarise().finish_reason
    except CompactionFailed as error:  # by litellm, for "error" in a stream
        return (
            "error" if "the server answered with an error" in str(error) else str(error)
        )


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("family", FAMILIES)
def test_only_whole_answers_of_a_family_are_whole(family: str, stream: bool) -> None:
    answer, complete = FAMILIES[family]
    # Each family ends with each reason, every other one in a stream and the rest whole.
    parts = sampled(1, 2)
    cut = [
        GEMINI.get(reason, reason) if family == "gemini" else reason
        for reason in CUT[stream % parts :: parts]
    ]
    found = endings(
        family, *(answer(reason, stream) for reason in (*complete, *cut)), stream=stream
    )
    assert found == ["stop"] * len(complete) + cut


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(
    ("reason", "found"), [("stop", "stop"), ("length", "length"), ("load", "load")]
)
def test_ollama_ends_by_its_own_word(reason: str, found: str, stream: bool) -> None:
    assert endings("ollama_chat", ollama(reason), stream=stream) == [found]


@pytest.mark.parametrize(
    "family", ["openai", "azure", "mistral", "anthropic", "gemini"]
)
def test_no_finish_reason_is_a_cut_off_answer(family: str) -> None:
    assert endings(family, FAMILIES[family][0](None, False), stream=False) == ["none"]


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_what_vllm_stopped_at_is_no_finish_reason(stream: bool) -> None:
    replies = (
        openai("stop", stream, stop_reason=stopped_at)
        for stopped_at in (None, 128009, "</s>")
    )
    assert endings("openai", *replies, stream=stream) == ["stop"] * 3


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_text_beside_a_call_ends_with_the_call(shape: str, stream: bool) -> None:
    with run_loopback(reply_with_calls(("look", {}), text=SUMMARY)) as server:
        assert (
            RecordingCaller(profile(server, shape, stream=stream))
            .summarise()
            .finish_reason
            == "tool_calls"
        )


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (b'{"output": {"message": {}}, "stopReason": "end_turn"}', "end_turn"),
        (
            b'\x00\x0b:event-type\x07{"stopReason":"model_context_window_exceeded"}\x9a',
            "model_context_window_exceeded",
        ),
        (b'{"object": "response", "status": "incomplete", "output": []}', "incomplete"),
        (b'{"text": "she wrote \\"finish_reason\\": \\"length\\" into it"}', None),
        (b'{"choices": [{"message": {"content": "x"}}]}', ""),
    ],
    ids=["bedrock", "bedrock stream", "responses", "in a text", "none"],
)
def test_the_finish_reason_is_found_in_pieces_of_any_size(
    reply: bytes, found: str | None
) -> None:
    for size in (1, 7, len(reply)):
        activity = NetworkActivity()
        for start in range(0, len(reply), size):
            activity.add_piece(reply[start : start + size])
        assert activity.ending == found
