"""A scripted model server on the loopback address, in the shapes of OpenAI (Chat Completions, and
Responses) and Anthropic."""

import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from core.common.json_value import Json
from tests.support.sampling import sampled

SUMMARY = (
    "<state_snapshot>\n<overall_goal>Ship the parser.</overall_goal>\n<current_progress>Der Parser liest "
    "alle Dateien; die Tests laufen hier und müssen dort auch laufen: UploadClient, toEpochHours, R-5581, "
    "src/a.py, src/file.py.</current_progress>\n</state_snapshot>"
)
"""In another language than the samples, with a name of each: a summary of all of them."""
USAGE = (120, 30)  # input and output tokens that every whole answer reports


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The server's reply to one request. ``cut`` ends the connection after so many pieces; ``pace``
    waits so many seconds before each piece, ``delay`` before the whole answer; ``raw`` is a body
    sent as it is."""

    text: str = SUMMARY
    status: int = 200
    finish: str = "stop"  # as OpenAI names it; "refusal" and "length" are translated for Anthropic
    code: str = ""
    raw: bytes | None = None
    delay: float = 0.0
    pace: float = 0.0
    cut: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    thinking: str = ""
    calls: tuple[
        tuple[str, str], ...
    ] = ()  # name and arguments of the tools it calls, as text
    call_id: str = "toolu"  # the ids of its calls begin so
    usage: tuple[int, int] = USAGE  # input and output tokens that it reports


def reply_with_calls(*calls: tuple[str, Json], text: str = "") -> Reply:
    """Return a reply that calls tools; arguments that are no text become JSON."""
    written = (
        (name, given if isinstance(given, str) else json.dumps(given))
        for name, given in calls
    )
    return Reply(text=text, calls=tuple(written))


OK = Reply()
UNAUTHORISED = Reply(
    text="Incorrect API key provided: sk-secret-0123456789.",
    status=401,
    code="invalid_api_key",
)
FORBIDDEN = Reply(
    text="Your account may not use this model.", status=403, code="permission_error"
)
NOT_FOUND = Reply(text="The model does not exist.", status=404, code="model_not_found")
TOO_MANY = Reply(text="Rate limit reached.", status=429, code="rate_limit_exceeded")
BROKEN = Reply(text="The server had an error.", status=500, code="server_error")
BAD_GATEWAY = Reply(status=502, raw=b"<html><body>502 Bad Gateway</body></html>")
UNAVAILABLE = Reply(text="Overloaded.", status=503, code="overloaded")
OVERFLOW = Reply(
    text="prompt is too long: this model's maximum context length is 8192 tokens, your messages are 9000 "
    "tokens.",
    status=400,
    code="context_length_exceeded",
)
SLOW = Reply(delay=30.0)
DRIPPING = Reply(text="word " * 20_000, pace=0.05)  # longer than anybody waits
CUT_OFF = Reply(text="word " * 20, cut=4)
EMPTY = Reply(text="")
REFUSED = Reply(text="", finish="refusal")
TOO_LONG = Reply(text="<state_snapshot> and then", finish="length")
GARBAGE = Reply(raw=b"\x00 this is no JSON {{{")


@dataclass(slots=True)
class ReceivedRequest:
    """One request as it arrived. ``closed`` is set when the client ended the connection too
    early."""

    path: str
    headers: dict[str, str]
    body: Json
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def text(self) -> str:
        system = self.body.get("system", "")
        return "\n".join(
            _texts([system, *(one.get("content") for one in self.body["messages"])])
        )


def _texts(contents: list[Json]) -> Iterator[str]:
    for content in contents:
        blocks = content if isinstance(content, list) else [{"text": content or ""}]
        for block in blocks:
            yield (
                block["text"]
                if "text" in block
                else json.dumps(block, ensure_ascii=False)
            )


class Loopback:
    """The running server: ``script`` is used request by request, its last reply repeats."""

    def __init__(self, *script: Reply) -> None:
        self.script = list(script) or [OK]
        self.log: list[ReceivedRequest] = []
        self.skips_delays = threading.Event()
        """Once set, nothing waits any more: what is left of a slow reply is sent at once."""
        self._lock = threading.Lock()
        self._server = _Server(self)
        self.base = f"http://127.0.0.1:{self._server.server_port}"

    def reply_to(self, received: ReceivedRequest) -> Reply:
        with self._lock:
            self.log.append(received)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def base_url(self, provider: str) -> str:
        """The base URL of a profile: Anthropic's ends before /v1, OpenAI's after it."""
        return self.base if provider == "anthropic" else f"{self.base}/v1"

    def start(self) -> None:
        poll = {"poll_interval": 0.02}
        threading.Thread(
            target=self._server.serve_forever, kwargs=poll, daemon=True
        ).start()

    def stop(self) -> None:
        """End the server; a reply that is still slow is left to its thread."""
        self._server.stopped.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, loopback: Loopback) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.loopback = loopback
        self.stopped = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


@contextmanager
def run_loopback(*script: Reply) -> Iterator[Loopback]:
    loopback = Loopback(*script)
    loopback.start()
    try:
        yield loopback
    finally:
        loopback.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    received: ReceivedRequest

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.received = ReceivedRequest(self.path, headers, body)
        reply = self.server.loopback.reply_to(self.received)
        try:
            self._wait(reply.delay)
            self._answer(
                reply, is_anthropic=self.path.split("?")[0].endswith("/messages")
            )
        except ConnectionError:  # reset: what was sent was not read any more
            self.received.closed.set()

    def _wait(self, seconds: float) -> None:
        """Sleep, but notice at once when the client goes away or the server stops."""
        end = time.monotonic() + seconds
        hurry, stopped = self.server.loopback.skips_delays, self.server.stopped
        while (left := end - time.monotonic()) > 0 and not (
            hurry.is_set() or stopped.is_set()
        ):
            ready, _, _ = select.select([self.connection], [], [], min(left, 0.05))
            if ready and not self.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionResetError

    def _answer(self, reply: Reply, *, is_anthropic: bool) -> None:
        if reply.raw is not None:
            self._send(reply, reply.raw, "text/html")
        elif reply.status != 200:
            error = {"message": reply.text, "type": reply.code, "code": reply.code}
            if is_anthropic:
                error["type"] = (
                    "invalid_request_error" if reply.status == 400 else reply.code
                )
            self._send(reply, json.dumps({"type": "error", "error": error}).encode())
        elif not self.received.body.get("stream"):
            made = _openai
            if is_anthropic:
                made = _anthropic
            elif self.path.endswith("/responses"):
                made = _responses
            whole = made(reply)
            self._send(reply, json.dumps(whole).encode(), cut=reply.cut is not None)
        else:
            events = _openai_events
            if is_anthropic:
                events = _anthropic_events
            elif self.path.endswith("/responses"):
                events = _responses_events
            self._stream(reply, events(reply))

    def _send(
        self,
        reply: Reply,
        body: bytes,
        kind: str = "application/json",
        cut: bool = False,
    ) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.close_connection = True

    def _stream(self, reply: Reply, events: Iterator[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for place, event in enumerate(events):
            if place == reply.cut:
                self.close_connection = True
                return
            self._wait(reply.pace)
            data = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


_PIECE = 12
_PIECES = sampled(1 << 30, 8)


def _pieces(reply: Reply, text: str) -> list[str]:
    """Return a text in pieces of 12 characters, a long one that comes at once in ``_PIECES``: a
    client works a millisecond at each."""
    is_whole = not reply.pace and reply.cut is None
    width = _PIECE
    if is_whole:
        width = max(_PIECE, -(-len(text) // _PIECES))
    return [text[start : start + width] for start in range(0, len(text), width)]


def _openai(reply: Reply) -> Json:
    refused = reply.finish == "refusal"
    message: Json = {"role": "assistant", "content": reply.text, "refusal": None}
    if refused:
        message |= {"content": None, "refusal": "I cannot help with that."}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            _openai_call(reply, place) for place in range(len(reply.calls))
        ]
    choice = {"index": 0, "message": message, "finish_reason": _openai_finish(reply)}
    head = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    return head | {"usage": _openai_usage(reply)}


def _openai_usage(reply: Reply) -> Json:
    given, written = reply.usage
    return {
        "prompt_tokens": given,
        "completion_tokens": written,
        "total_tokens": given + written,
    }


def _responses(reply: Reply) -> Json:
    """Return a whole answer of OpenAI's Responses."""
    output: list[Json] = [
        {
            "type": "function_call",
            "id": f"fc_{reply.call_id}_{place}",
            "call_id": f"{reply.call_id}_{place}",
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
        for place, (name, arguments) in enumerate(reply.calls)
    ]
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        said = {"type": "message", "id": f"msg_{reply.call_id}", "role": "assistant"}
        output.append({**said, "status": "completed", "content": [part]})
    given, written = reply.usage
    usage = {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + written,
    }
    return {
        "id": f"resp_{reply.call_id}",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": usage,
    }


def _responses_events(reply: Reply) -> Iterator[str]:
    whole = _responses(reply)
    events: list[Json] = [{"type": "response.created", "response": whole}]
    for place, item in enumerate(whole["output"]):
        done = {"type": "response.output_item.done", "output_index": place}
        events.append({**done, "item": item})
    events.append({"type": "response.completed", "response": whole})
    for number, event in enumerate(events):
        numbered = {**event, "sequence_number": number}
        yield f"event: {event['type']}\ndata: {json.dumps(numbered)}\n\n"


def _openai_finish(reply: Reply) -> str:
    if reply.finish == "refusal":
        return "stop"
    return "tool_calls" if reply.calls and reply.finish == "stop" else reply.finish


def _openai_call(reply: Reply, place: int) -> Json:
    name, arguments = reply.calls[place]
    return {
        "id": f"{reply.call_id}_{place}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _openai_call_deltas(reply: Reply) -> Iterator[Json]:
    for place, (_, arguments) in enumerate(reply.calls):
        whole = _openai_call(reply, place)
        whole["function"]["arguments"] = ""
        yield {"tool_calls": [{"index": place, **whole}]}
        for piece in _pieces(reply, arguments):
            yield {"tool_calls": [{"index": place, "function": {"arguments": piece}}]}


def _openai_events(reply: Reply) -> Iterator[str]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    refused = reply.finish == "refusal"
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in _pieces(reply, reply.thinking)]
    pieces: list[Json] = [{"content": one} for one in _pieces(reply, reply.text)]
    deltas += [{"refusal": "I cannot help."}] if refused else pieces
    deltas += _openai_call_deltas(reply)
    for delta in deltas:
        choices = [{"index": 0, "delta": delta, "finish_reason": None}]
        yield f"data: {json.dumps(head | {'choices': choices})}\n\n"
    end = {"index": 0, "delta": {}, "finish_reason": _openai_finish(reply)}
    yield f"data: {json.dumps(head | {'choices': [end]})}\n\n"
    yield f"data: {json.dumps(head | {'choices': [], 'usage': _openai_usage(reply)})}\n\n"
    yield "data: [DONE]\n\n"


_STOPS = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}


def _anthropic(reply: Reply) -> Json:
    content = (
        [{"type": "thinking", "thinking": reply.thinking, "signature": "s"}]
        if reply.thinking
        else []
    )
    content += [{"type": "text", "text": reply.text}] if reply.text else []
    content += [_anthropic_call(reply, place) for place in range(len(reply.calls))]
    stop = {"stop_reason": _anthropic_stop(reply), "stop_sequence": None}
    head: Json = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
    }
    return {**head, **stop, "usage": _anthropic_usage(reply)}


def _anthropic_usage(reply: Reply) -> Json:
    return {"input_tokens": reply.usage[0], "output_tokens": reply.usage[1]}


def _anthropic_stop(reply: Reply) -> str:
    return (
        "tool_use" if reply.calls and reply.finish == "stop" else _STOPS[reply.finish]
    )


def _anthropic_call(reply: Reply, place: int, *, whole: bool = True) -> Json:
    name, arguments = reply.calls[place]
    given = json.loads(arguments) if whole else {}
    return {
        "type": "tool_use",
        "id": f"{reply.call_id}_{place}",
        "name": name,
        "input": given,
    }


def _anthropic_events(reply: Reply) -> Iterator[str]:
    whole = _anthropic(replace(reply, text="", thinking="", calls=()))
    start = whole | {"content": [], "stop_reason": None}
    start["usage"] = {"input_tokens": reply.usage[0], "output_tokens": 1}
    yield _event("message_start", message=start)
    blocks = [("thinking", reply.thinking)] if reply.thinking else []
    for index, (kind, text) in enumerate([*blocks, ("text", reply.text)]):
        yield _event(
            "content_block_start", index=index, content_block={"type": kind, kind: ""}
        )
        deltas = [
            {"type": f"{kind}_delta", kind: piece} for piece in _pieces(reply, text)
        ]
        deltas += (
            [{"type": "signature_delta", "signature": "s"}]
            if kind == "thinking"
            else []
        )
        yield from _deltas(index, deltas)
    for place, (_, arguments) in enumerate(reply.calls):
        index, block = (
            len(blocks) + 1 + place,
            _anthropic_call(reply, place, whole=False),
        )
        yield _event("content_block_start", index=index, content_block=block)
        pieces = _pieces(reply, arguments)
        yield from _deltas(
            index, [{"type": "input_json_delta", "partial_json": one} for one in pieces]
        )
    stop = {"stop_reason": _anthropic_stop(reply), "stop_sequence": None}
    yield _event("message_delta", delta=stop, usage={"output_tokens": reply.usage[1]})
    yield _event("message_stop")


def _deltas(index: int, deltas: list[dict[str, str]]) -> Iterator[str]:
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Json) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
