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

from core.llm.call_errors import FailureCause, InvalidAnswerError, NetworkActivity, host_of

MOST_BYTES = 64 << 20  # largest unpacked reply
_STEP = 1 << 20  # bytes unpacked at once
_GZIP = zlib.MAX_WBITS | 16
_ENCODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
"""Accepted content encodings, and whether they are compressed."""

_call: ContextVar[tuple[NetworkActivity, str] | None] = ContextVar("call of a model", default=None)
"""Network activity of the current call, and its only allowed host ("": any)."""


@contextmanager
def watched_connection(activity: NetworkActivity, base_url: str) -> Iterator[None]:
    """Apply the rules to requests made inside; those of other code in this process are unaffected."""
    token = _call.set((activity, host_of(base_url)))
    try:
        yield
    finally:
        _call.reset(token)


def install_client_rules() -> None:
    """Apply the rules to every client made by litellm or a provider's library; called once."""
    for kind, name, rule in (
        (httpx.AsyncHTTPTransport, "handle_async_request", _async_rule),
        (httpx.HTTPTransport, "handle_request", _rule),
        (aiohttp.ClientSession, "_request", _no_aiohttp),
    ):
        setattr(kind, name, rule(getattr(kind, name)))


def _async_rule(own: Callable[..., Awaitable[httpx.Response]]) -> Callable[..., Awaitable[httpx.Response]]:
    @wraps(own)
    async def handle(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        if (call := _call.get()) is None:
            return await own(transport, request)
        activity, host = call
        _check_request(request, activity, host)
        response = await own(transport, request)
        try:
            reading = _unpacker(request, response, activity)
        except InvalidAnswerError:
            await response.aclose()
            raise
        response.stream = _AsyncReply(response.stream, reading)
        return response

    return handle


def _rule(own: Callable[..., httpx.Response]) -> Callable[..., httpx.Response]:
    @wraps(own)
    def handle(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if (call := _call.get()) is None:
            return own(transport, request)
        activity, host = call
        _check_request(request, activity, host)
        response = own(transport, request)
        try:
            reading = _unpacker(request, response, activity)
        except InvalidAnswerError:
            response.close()
            raise
        response.stream = _Reply(response.stream, reading)
        return response

    return handle


def _no_aiohttp(own: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Forbid model calls through aiohttp, which unpacks and follows redirects out of our control."""

    @wraps(own)
    async def request(*args: Any, **kwargs: Any) -> Any:
        if (call := _call.get()) is not None:
            raise call[0].stopped(InvalidAnswerError(FailureCause.TRANSPORT))
        return await own(*args, **kwargs)

    return request


def _check_request(request: httpx.Request, activity: NetworkActivity, only: str) -> None:
    """Raise InvalidAnswerError, before anything is sent, for a host that is not the profile's."""
    host = host_of(str(request.url))
    if only and host != only:
        fault = InvalidAnswerError(FailureCause.REDIRECT, where=only, other=host)
        is_side_call = activity.status >= 300  # litellm's own request after a failed call
        raise fault if is_side_call else activity.stopped(fault)
    request.headers["accept-encoding"] = "gzip"


def _unpacker(request: httpx.Request, response: httpx.Response, activity: NetworkActivity) -> _ReplyUnpacker:
    """Return the reader of a reply; raises InvalidAnswerError for a redirect or an unrequested encoding."""
    activity.last_sign_at, activity.status, activity.tail = time.monotonic(), response.status_code, b""
    activity.fault = None
    if 300 <= response.status_code < 400:
        url = str(request.url)
        other = _redirect_host(url, response.headers.get("location", ""))
        raise activity.stopped(InvalidAnswerError(FailureCause.REDIRECT, where=host_of(url), other=other))
    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise activity.stopped(InvalidAnswerError(FailureCause.PACKING))
    return _ReplyUnpacker(activity, _ENCODINGS[encoding])


def _redirect_host(url: str, location: str) -> str:
    try:
        host = host_of(urljoin(url, location)) if location else ""
    except ValueError:
        host = ""
    return host if host.isprintable() and 0 < len(host) < 260 else "an address that it does not name"


class _ReplyUnpacker:
    """Unpacks a reply in pieces of at most ``_STEP`` bytes, ``MOST_BYTES`` in all."""

    def __init__(self, activity: NetworkActivity, packed: bool) -> None:
        self._activity = activity
        self._packed = packed
        self._gzip = zlib.decompressobj(_GZIP)
        self._bytes_left = MOST_BYTES

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked pieces; raises InvalidAnswerError where the reply is too large or damaged."""
        self._activity.last_sign_at = time.monotonic()
        for piece in self._unpacked(data) if self._packed else (data,):
            self._bytes_left -= len(piece)
            if self._bytes_left < 0:
                raise self._activity.stopped(InvalidAnswerError(FailureCause.TOO_LARGE))
            self._activity.received(piece)
            yield piece

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        piece = b""
        while data or len(piece) == _STEP:  # a full step may have left some behind
            if self._gzip.eof:
                self._gzip = zlib.decompressobj(_GZIP)
            try:
                piece = self._gzip.decompress(data, _STEP)
            except zlib.error:
                raise self._activity.stopped(InvalidAnswerError(FailureCause.GARBAGE)) from None
            yield piece
            data = self._gzip.unused_data if self._gzip.eof else self._gzip.unconsumed_tail


class _AsyncReply(httpx.AsyncByteStream):
    def __init__(self, stream: Any, reading: _ReplyUnpacker) -> None:
        self._stream, self._reading = stream, reading

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            for piece in self._reading.pieces(data):
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Reply(httpx.SyncByteStream):
    def __init__(self, stream: Any, reading: _ReplyUnpacker) -> None:
        self._stream, self._reading = stream, reading

    def __iter__(self) -> Iterator[bytes]:
        for data in self._stream:
            yield from self._reading.pieces(data)

    def close(self) -> None:
        self._stream.close()
