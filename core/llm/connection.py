"""Network rules for model calls: one host, no redirects, replies of limited size."""

from __future__ import annotations

import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any
from urllib.parse import urljoin

import aiohttp
import httpx

from core.llm.call_errors import FailureCause, InvalidAnswerError, NetworkActivity, url_host

MAX_REPLY_BYTES = 64 << 20  # largest unpacked reply
_CHUNK_BYTES = 1 << 20  # bytes unpacked at once
_GZIP = zlib.MAX_WBITS | 16
_ENCODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
"""Accepted content encodings, and whether they are compressed."""

_call: ContextVar[tuple[NetworkActivity, str] | None] = ContextVar("call of a model", default=None)
"""Network activity of the current call, and its only allowed host ("": any)."""


@contextmanager
def watched_connection(activity: NetworkActivity, base_url: str) -> Iterator[None]:
    """Apply the rules to requests made inside; those of other code in this process are unaffected."""
    token = _call.set((activity, url_host(base_url)))
    try:
        yield
    finally:
        _call.reset(token)


def install_client_rules() -> None:
    """Apply the rules to every client made by litellm or a provider's library; called once."""
    for kind, name, rule in (
        (httpx.AsyncHTTPTransport, "handle_async_request", _with_async_rules),
        (httpx.HTTPTransport, "handle_request", _with_rules),
        (aiohttp.ClientSession, "_request", _no_aiohttp),
    ):
        setattr(kind, name, rule(getattr(kind, name)))


def _with_async_rules(
    original: Callable[..., Awaitable[httpx.Response]],
) -> Callable[..., Awaitable[httpx.Response]]:
    @wraps(original)
    async def handle(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        _check_request(request)
        response = await original(transport, request)
        try:
            _unpack(request, response)
        except InvalidAnswerError:
            await response.aclose()
            raise
        return response

    return handle


def _with_rules(original: Callable[..., httpx.Response]) -> Callable[..., httpx.Response]:
    @wraps(original)
    def handle(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        _check_request(request)
        response = original(transport, request)
        try:
            _unpack(request, response)
        except InvalidAnswerError:
            response.close()
            raise
        return response

    return handle


def _no_aiohttp(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Forbid model calls through aiohttp, which unpacks and follows redirects out of our control."""

    @wraps(original)
    async def request(*args: Any, **kwargs: Any) -> Any:
        if (call := _call.get()) is not None:
            raise call[0].record_fault(InvalidAnswerError(FailureCause.TRANSPORT))
        return await original(*args, **kwargs)

    return request


def _check_request(request: httpx.Request) -> None:
    """Raise InvalidAnswerError, before anything is sent, for a host that is not the profile's."""
    if (call := _call.get()) is None:
        return
    activity, allowed_host = call
    host = url_host(str(request.url))
    if allowed_host and host != allowed_host:
        fault = InvalidAnswerError(FailureCause.REDIRECT, from_host=allowed_host, to_host=host)
        is_side_call = activity.status >= 300  # litellm's own request after a failed call
        raise fault if is_side_call else activity.record_fault(fault)
    request.headers["accept-encoding"] = "gzip"


def _unpack(request: httpx.Request, response: httpx.Response) -> None:
    """Limit and watch a reply; raises InvalidAnswerError for a redirect or an unrequested encoding."""
    if (call := _call.get()) is None:
        return
    activity = call[0]
    activity.last_activity_at, activity.status, activity.tail = time.monotonic(), response.status_code, b""
    activity.fault = None
    if 300 <= response.status_code < 400:
        url = str(request.url)
        target_host = _redirect_host(url, response.headers.get("location", ""))
        raise activity.record_fault(
            InvalidAnswerError(FailureCause.REDIRECT, from_host=url_host(url), to_host=target_host)
        )
    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise activity.record_fault(InvalidAnswerError(FailureCause.ENCODING))
    unpacker = _ReplyUnpacker(activity, _ENCODINGS[encoding])
    response.stream = _Reply(response.stream, unpacker)


def _redirect_host(url: str, location: str) -> str:
    try:
        host = url_host(urljoin(url, location)) if location else ""
    except ValueError:
        host = ""
    return host if host.isprintable() and 0 < len(host) < 260 else "an address that it does not name"


class _ReplyUnpacker:
    """Unpacks a reply in pieces of at most ``_STEP`` bytes, ``MAX_REPLY_BYTES`` in all."""

    def __init__(self, activity: NetworkActivity, packed: bool) -> None:
        self._activity = activity
        self._packed = packed
        self._gzip = zlib.decompressobj(_GZIP)
        self._bytes_left = MAX_REPLY_BYTES

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked pieces; raises InvalidAnswerError where the reply is too large or damaged."""
        self._activity.last_activity_at = time.monotonic()
        for piece in self._unpacked(data) if self._packed else (data,):
            self._bytes_left -= len(piece)
            if self._bytes_left < 0:
                raise self._activity.record_fault(InvalidAnswerError(FailureCause.TOO_LARGE))
            self._activity.add_piece(piece)
            yield piece

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        piece = b""
        while data or len(piece) == _CHUNK_BYTES:  # a full step may have left some behind
            if self._gzip.eof:
                self._gzip = zlib.decompressobj(_GZIP)
            try:
                piece = self._gzip.decompress(data, _CHUNK_BYTES)
            except zlib.error:
                raise self._activity.record_fault(InvalidAnswerError(FailureCause.UNREADABLE)) from None
            yield piece
            data = self._gzip.unused_data if self._gzip.eof else self._gzip.unconsumed_tail


class _Reply(httpx.AsyncByteStream, httpx.SyncByteStream):
    """A reply that is unpacked as it is read, by a client of either kind."""

    def __init__(self, stream: Any, unpacker: _ReplyUnpacker) -> None:
        self._stream, self._unpacker = stream, unpacker

    def __iter__(self) -> Iterator[bytes]:
        for data in self._stream:
            yield from self._unpacker.pieces(data)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            for piece in self._unpacker.pieces(data):
                yield piece

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()
