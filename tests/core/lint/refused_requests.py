"""Requests that an API refuses, each with its kind; made by hand from the rules of the providers."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from core.common.json_value import Json

_PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
_JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(40)).decode()
_TIFF = base64.b64encode(b"II*\0" + bytes(40)).decode()


class RefusedRequest(NamedTuple):
    """``mends``: the repair leaves no error."""

    api: str
    kind: str
    request: Mapping[str, Json]
    mends: bool = True


def _image(mime: str, data: str) -> Json:
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": mime, "data": data},
    }


def _user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def _answer(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def _text(words: str) -> Json:
    return {"type": "text", "text": words}


def _use(**fields: Json) -> Json:
    return {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}, **fields}


def _result(**fields: Json) -> Json:
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok", **fields}


def _called(use: Json, *later: Json) -> list[Json]:
    return [_user(_text("go")), _answer(use), *later, _answer(_text("done"))]


def _anthropic() -> Iterator[tuple[str, list[Json]]]:
    result = _user(_result())
    yield "text in front of a result", _called(_use(), _user(_text("hm"), _result()))
    yield "a message in front of a result", _called(_use(), _user(_text("hm")), result)
    odd = _use(id="call|fc.1")
    yield "an id with a bar", _called(odd, _user(_result(tool_use_id="call|fc.1")))
    yield "a name with a dot", _called(_use(name="mcp.server"), result)
    yield "a name with a blank", _called(_use(name="read file"), result)
    yield "a name of 201 letters", _called(_use(name="n" * 201), result)
    yield "an empty name", _called(_use(name=""), result)
    system = {"role": "system", "content": "be brief"}
    yield (
        "the system inside",
        [_user(_text("a")), _answer(_text("b")), system, _user(_text("c"))],
    )
    yield "a call of the user", [_user(_text("a")), _user(_use()), _answer(_text("b"))]
    both = _user(_result(), _use(id="toolu_2"))
    yield "a call of the user behind a result", _called(_use(), both)
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    yield (
        "thinking of the user behind a result",
        _called(_use(), _user(_result(), thought)),
    )
    yield "an input that is a text", _called(_use(input='{"a": 1}'), result)
    yield "an input that is a list", _called(_use(input=[1]), result)
    yield "an image in TIFF", [_user(_text("a"), _image("image/tiff", _TIFF))]
    yield "an image in BMP", [_user(_text("a"), _image("image/bmp", "Qk0="))]
    yield "base64 with a star", [_user(_text("a"), _image("image/png", "iVBOR*0KGgo"))]
    yield "JPEG that says PNG", [_user(_text("a"), _image("image/png", _JPEG))]
    yield (
        "an image of the model",
        [_user(_text("a")), _answer(_image("image/png", _PNG))],
    )
    yield "an empty text", [_user(_text("a"), _text("")), _answer(_text("b"))]
    yield "a text of blanks", [_user(_text(" \n")), _answer(_text("b"))]
    yield "an empty list", [_user(), _answer(_text("b")), _user(_text("c"))]
    yield "an empty string", [{"role": "user", "content": ""}, _answer(_text("b"))]
    yield "no content", [{"role": "user"}, _answer(_text("b"))]
    yield "no role", [{"content": "a"}, _answer(_text("b"), _use()), result]
    yield "a call without an id", _called({**_use(), "id": None}, result)
    no_input = {key: value for key, value in _use().items() if key != "input"}
    yield "a call without an input", _called(no_input, result)
    yield (
        "a result that is an object",
        _called(_use(), _user(_result(content={"a": 1}))),
    )
    yield (
        "an error mark that is a text",
        _called(_use(), _user(_result(is_error="yes"))),
    )
    yield (
        "a part of another API",
        [_user({"type": "input_text", "text": "a"}, _text("b"))],
    )
    unsigned = {"type": "thinking", "thinking": "hm"}
    yield (
        "thinking without a signature",
        [_user(_text("a")), _answer(unsigned, _text("b"))],
    )
    marked = {**unsigned, "signature": "s", "cache_control": {"type": "ephemeral"}}
    yield "a cache mark on thinking", [_user(_text("a")), _answer(marked, _text("b"))]
    hidden = {"type": "redacted_thinking", "data": "cw==", "cache_control": {}}
    yield (
        "a cache mark on hidden thinking",
        [_user(_text("a")), _answer(hidden, _text("b"))],
    )
    yield "thinking of the user", [_user({**unsigned, "signature": "s"}, _text("a"))]


def _with_budget() -> Iterator[tuple[str, list[Json]]]:
    """Yield what is refused of a request that asks for thinking with a budget."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    asked, result = _user(_text("go")), _user(_result())
    yield "words before thinking", [asked, _answer(_text("b"), thought, _use()), result]
    yield "a call without thinking", [asked, _answer(_text("b"), _use()), result]
    yield (
        "an old answer that thinks late",
        [asked, _answer(_text("b"), thought, _text("c")), asked],
    )
    yield "thinking at the end", [asked, _answer(thought)]
    redacted = {"type": "redacted_thinking", "data": "cw=="}
    yield "hidden thinking at the end", [asked, _answer(_text("b"), redacted)]


def _call(**fields: Json) -> Json:
    function = {"name": "read", "arguments": "{}", **fields}
    return {"id": "call_1", "type": "function", "function": function}


def _calling(call: Json, **answer: Json) -> list[Json]:
    tool = {"role": "tool", "tool_call_id": "call_1", "content": "ok", **answer}
    asking = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [
        {"role": "user", "content": "go"},
        asking,
        tool,
        {"role": "assistant", "content": "b"},
    ]


def _openai() -> Iterator[tuple[str, list[Json]]]:
    url = f"data:image/png;base64,{_PNG}"
    picture = {"type": "image_url", "image_url": {"url": url}}
    yield "a name with a dot", _calling(_call(name="mcp.read"))
    yield "a name of 65 letters", _calling(_call(name="n" * 65))
    long = {**_calling(_call())[1]["tool_calls"][0], "id": "i" * 41}
    yield "an id of 41 letters", _calling(long, tool_call_id="i" * 41)
    yield "arguments that are an object", _calling(_call(arguments={"a": 1}))
    yield "an image of a tool", _calling(_call(), content=[picture])
    drawn = {"role": "assistant", "content": [picture]}
    yield "an image of the model", [{"role": "user", "content": "a"}, drawn]
    tiff = {
        "type": "image_url",
        "image_url": {"url": f"data:image/tiff;base64,{_TIFF}"},
    }
    yield "an image in TIFF", [{"role": "user", "content": [tiff]}]
    broken = {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,iVBOR*0KG"},
    }
    yield "base64 with a star", [{"role": "user", "content": [broken]}]
    bare = {"type": "image_url", "image_url": url}
    yield "an image without its object", [{"role": "user", "content": [bare]}]
    yield "an unknown role", [{"role": "human", "content": "a"}, *_calling(_call())[1:]]
    yield (
        "content that is a number",
        [{"role": "user", "content": 7}, *_calling(_call())],
    )
    calls = {"role": "user", "content": "a", "tool_calls": [_call()]}
    yield "calls of the user", [calls, _calling(_call())[2]]
    nothing = {"role": "assistant", "content": None}
    yield "an answer of nothing", [{"role": "user", "content": "a"}, nothing]
    late = _calling(_call())
    yield (
        "words before the result",
        [*late[:2], {"role": "user", "content": "hm"}, *late[2:]],
    )
    nobody = {"role": "tool", "content": "ok"}
    yield "a result without an id", [*late[:2], nobody, late[3]]


def _words(role: str, kind: str, text: str) -> Json:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _responses() -> Iterator[tuple[str, list[Json]]]:
    go, done = (
        _words("user", "input_text", "go"),
        _words("assistant", "output_text", "done"),
    )
    call = {
        "type": "function_call",
        "call_id": "call_1",
        "name": "read",
        "arguments": "{}",
    }
    output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    yield (
        "an output that is an object",
        [go, call, {**output, "output": {"a": 1}}, done],
    )
    yield "an output that is a number", [go, call, {**output, "output": 7}, done]
    yield "a name with a blank", [go, {**call, "name": "read file"}, output, done]
    long = "i" * 65
    yield "an id of 65 letters", [
        go, {**call, "call_id": long}, {**output, "call_id": long}, done,
    ]  # fmt: skip
    yield (
        "arguments that are an object",
        [go, {**call, "arguments": {"a": 1}}, output, done],
    )
    yield "words of the user as output", [_words("user", "output_text", "go"), done]
    yield "words of the model as input", [go, _words("assistant", "input_text", "done")]
    yield "an unknown role", [_words("human", "input_text", "go"), call, output, done]
    picture = {"type": "input_image", "image_url": f"data:image/tiff;base64,{_TIFF}"}
    yield (
        "an image in TIFF",
        [{"type": "message", "role": "user", "content": [picture]}, done],
    )
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    yield "reasoning at the end", [go, thought]
    yield "reasoning twice in one answer", [go, thought, thought, done]
    named = {**done, "id": "msg_1"}
    yield "words twice under one id", [go, named, go, named]
    yield "words twice under one id in a row", [go, named, named]
    again = {**call, "id": "fc_1"}
    yield (
        "the id of an earlier call's item",
        [go, again, output, {**again, "call_id": "b"}, {**output, "call_id": "b"}],
    )
    yield "reasoning behind the last words", [go, done, thought]
    yield "reasoning before an output", [go, call, thought, output, done]
    yield "the id of another item", [go, {**call, "id": "item_7"}, output, done]
    yield (
        "a call without an id",
        [go, {key: call[key] for key in call if key != "call_id"}, done],
    )


def _contents(*turns: tuple[str, Sequence[Json]]) -> list[Json]:
    return [{"role": role, "parts": list(parts)} for role, parts in turns]


def _gemini() -> Iterator[tuple[str, list[Json]]]:
    go, done = ("user", [{"text": "go"}]), ("model", [{"text": "done"}])
    call = {"functionCall": {"name": "read", "args": {}}}
    answer = {"functionResponse": {"name": "read", "response": {"output": "ok"}}}
    asked = ("model", [call])
    yield (
        "two responses for one call",
        _contents(go, asked, ("user", [answer, answer]), done),
    )
    yield "a response for no call", _contents(go, done, ("user", [answer]), done)
    two = ("model", [call, call])
    yield (
        "responses in two contents",
        _contents(go, two, ("user", [answer]), ("user", [answer]), done),
    )
    words = ("user", [{"text": "hm"}])
    yield (
        "words between two responses",
        _contents(go, two, ("user", [answer]), words, ("user", [answer]), done),
    )
    yield (
        "words in front of a response",
        _contents(go, asked, words, ("user", [answer]), done),
    )
    yield "an answer of no part at the end", _contents(go, ("model", []))
    text = {"functionResponse": {"name": "read", "response": "ok"}}
    yield "a response that is a text", _contents(go, asked, ("user", [text]), done)
    yield (
        "an unknown role",
        [*_contents(go), {"role": "assistant", "parts": [{"text": "b"}]}],
    )
    named = {"functionCall": {"name": "9 lives", "args": {}}}
    back = {"functionResponse": {"name": "9 lives", "response": {}}}
    yield (
        "a name that begins with a digit",
        _contents(go, ("model", [named]), ("user", [back])),
    )
    listed = {"functionCall": {"name": "read", "args": [1]}}
    yield (
        "arguments that are a list",
        _contents(go, ("model", [listed]), ("user", [answer]), done),
    )
    yield "an empty text", _contents(("user", [{"text": "go"}, {"text": ""}]), done)
    yield "no part", _contents(go, ("model", []), ("user", [{"text": "c"}]))
    tiff = {"inlineData": {"mimeType": "image/tiff", "data": _TIFF}}
    yield "an image in TIFF", _contents(("user", [{"text": "a"}, tiff]), done)
    broken = {"inlineData": {"mimeType": "image/png", "data": "iVBOR*0KG"}}
    yield "base64 with a star", _contents(("user", [{"text": "a"}, broken]), done)
    both = {"text": "a", "functionCall": {"name": "read", "args": {}}}
    yield (
        "text and call in one part",
        _contents(go, ("model", [both]), ("user", [answer]), done),
    )
    yield "a call of the user", _contents(("user", [call, {"text": "a"}]), done)


def _gemini_3() -> Iterator[tuple[str, list[Json]]]:
    go, done = ("user", [{"text": "go"}]), ("model", [{"text": "done"}])
    call = {"functionCall": {"name": "read", "args": {}}}
    signed = {**call, "thoughtSignature": "c2ln"}
    answer = ("user", [{"functionResponse": {"name": "read", "response": {}}}])
    yield "a call without its signature", _contents(go, ("model", [call]), answer)
    yield (
        "a second step without its signature",
        _contents(go, ("model", [signed]), answer, ("model", [call]), answer, done),
    )


def refused_requests() -> tuple[RefusedRequest, ...]:
    """Return the requests as they would be sent."""
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    head = {"model": "claude-sonnet-4-5", "system": "You work.", "tools": tools}
    return (
        *(
            RefusedRequest("anthropic", kind, {**head, "messages": m})
            for kind, m in _anthropic()
        ),
        *(
            RefusedRequest(
                "anthropic",
                kind,
                {**head, "thinking": {"type": "enabled"}, "messages": m},
            )
            for kind, m in _with_budget()
        ),
        *(RefusedRequest("openai", kind, {"messages": m}) for kind, m in _openai()),
        *(
            RefusedRequest("responses", kind, {"model": "gpt-5", "input": m})
            for kind, m in _responses()
        ),
        *(RefusedRequest("gemini", kind, {"contents": m}) for kind, m in _gemini()),
        *(
            RefusedRequest("gemini", kind, {"model": "gemini-3-pro", "contents": m})
            for kind, m in _gemini_3()
        ),
    )
