"""What the network may do during a call of a model: one host, no redirect, replies of a bounded size."""

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

MOST_BYTES = 64 << 20
"""Unpacked bytes of one reply."""
_STEP = 1 << 20  # bytes that are unpacked at once
_GZIP = zlib.MAX_WBITS | 16
_PACKINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
"""Encodings of replies that are read, and whether they are packed."""

_call: ContextVar[tuple[NetworkActivity, str] | None] = ContextVar("call of a model", default=None)
"""What is heard in the call that goes on, and the one host that it may speak to ("": any)."""


@contextmanager
def watched_connection(heard: NetworkActivity, base_url: str) -> Iterator[None]:
    """Hold the requests made in here to the rules; those of other code in this process are left alone."""
    token = _call.set((heard, host_of(base_url)))
    try:
        yield
    finally:
        _call.reset(token)


def install_client_rules() -> None:
    """Put the rules below every client that litellm or a library of a provider makes; called once."""
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
        heard, host = call
        _check_request(request, heard, host)
        response = await own(transport, request)
        try:
            reading = _checked(request, response, heard)
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
        heard, host = call
        _check_request(request, heard, host)
        response = own(transport, request)
        try:
            reading = _checked(request, response, heard)
        except InvalidAnswerError:
            response.close()
            raise
        response.stream = _Reply(response.stream, reading)
        return response

    return handle


def _no_aiohttp(own: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """aiohttp unpacks and follows redirects out of our sight, so that no call of a model goes through it."""

    @wraps(own)
    async def request(*args: Any, **kwargs: Any) -> Any:
        if (call := _call.get()) is not None:
            raise call[0].stopped(InvalidAnswerError(FailureCause.TRANSPORT))
        return await own(*args, **kwargs)

    return request


def _check_request(request: httpx.Request, heard: NetworkActivity, only: str) -> None:
    """Raises InvalidAnswerError, before anything is sent, for a host that is not the profile's."""
    host = host_of(str(request.url))
    if only and host != only:
        fault = InvalidAnswerError(FailureCause.REDIRECT, where=only, other=host)
        is_side_call = heard.status >= 300  # what litellm asks for beside a call that has failed already
        raise fault if is_side_call else heard.stopped(fault)
    request.headers["accept-encoding"] = "gzip"


def _checked(request: httpx.Request, response: httpx.Response, heard: NetworkActivity) -> _ReplyUnpacker:
    """How the reply is to be read. Raises InvalidAnswerError for a redirect and an encoding not asked for."""
    heard.at, heard.status, heard.tail = time.monotonic(), response.status_code, b""
    heard.fault = None
    if 300 <= response.status_code < 400:
        here = str(request.url)
        other = _target(here, response.headers.get("location", ""))
        raise heard.stopped(InvalidAnswerError(FailureCause.REDIRECT, where=host_of(here), other=other))
    packing = response.headers.pop("content-encoding", "").strip().lower()
    if packing not in _PACKINGS:
        raise heard.stopped(InvalidAnswerError(FailureCause.PACKING))
    return _ReplyUnpacker(heard, _PACKINGS[packing])


def _target(here: str, location: str) -> str:
    try:
        host = host_of(urljoin(here, location)) if location else ""
    except ValueError:
        host = ""
    return host if host.isprintable() and 0 < len(host) < 260 else "an address that it does not name"


class _ReplyUnpacker:
    """Unpacks a reply piece by piece, never more than ``_STEP`` bytes at once and ``MOST_BYTES`` in all."""

    def __init__(self, heard: NetworkActivity, packed: bool) -> None:
        self._heard = heard
        self._packed = packed
        self._gzip = zlib.decompressobj(_GZIP)
        self._left = MOST_BYTES

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What a piece of the reply holds. Raises InvalidAnswerError where it is too large or damaged."""
        self._heard.at = time.monotonic()
        for piece in self._unpacked(data) if self._packed else (data,):
            self._left -= len(piece)
            if self._left < 0:
                raise self._heard.stopped(InvalidAnswerError(FailureCause.TOO_LARGE))
            self._heard.took(piece)
            yield piece

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        made = b""
        while data or len(made) == _STEP:  # a full step may have left some behind
            if self._gzip.eof:
                self._gzip = zlib.decompressobj(_GZIP)
            try:
                made = self._gzip.decompress(data, _STEP)
            except zlib.error:
                raise self._heard.stopped(InvalidAnswerError(FailureCause.GARBAGE)) from None
            yield made
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
