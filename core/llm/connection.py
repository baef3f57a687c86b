"""Network rules for model calls: one host, one way to it, no redirects, replies of limited size."""

from __future__ import annotations

import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any
from urllib.parse import urljoin

import aiohttp
import httpx

from core.llm.call_errors import FailureCause, InvalidAnswerError, NetworkActivity
from core.llm.destination import Destination, url_host

MAX_REPLY_BYTES = 64 << 20  # largest unpacked reply
_CHUNK_BYTES = 1 << 20  # bytes unpacked at once
_GZIP = zlib.MAX_WBITS | 16
_ENCODINGS = {"": False, "identity": False, "gzip": True, "x-gzip": True}
"""Accepted content encodings, and whether they are compressed."""


@cache
def _certificate_checks() -> ssl.SSLContext:
    """Return the checks of certificates; SSL_CERT_FILE and SSL_CERT_DIR name further ones. Loading
    them takes a tenth of a second."""
    return httpx.create_ssl_context()


@dataclass(slots=True)
class _WatchedCall:
    """A call with its connections. They are its own, since litellm's follow the proxies of the
    environment and, with some variables, check no certificates."""

    activity: NetworkActivity
    destination: Destination
    is_over: bool = False
    _connections: httpx.AsyncHTTPTransport | None = None
    _blocking_connections: httpx.HTTPTransport | None = None

    @property
    def connections(self) -> httpx.AsyncHTTPTransport:
        if self._connections is None:
            self._connections = httpx.AsyncHTTPTransport(
                verify=self._tls, proxy=self._proxy
            )
        return self._connections

    @property
    def blocking_connections(self) -> httpx.HTTPTransport:
        if self._blocking_connections is None:
            self._blocking_connections = httpx.HTTPTransport(
                verify=self._tls, proxy=self._proxy
            )
        return self._blocking_connections

    @property
    def _proxy(self) -> str | None:
        return self.destination.proxy or None

    @property
    def _tls(self) -> ssl.SSLContext | bool:
        addresses = (self.destination.base, self.destination.proxy)
        # Loading the certificates takes a tenth of a second, which plain http does not need.
        return (
            _certificate_checks()
            if any(one.startswith("https:") for one in addresses)
            else False
        )

    async def close(self) -> None:
        self.is_over = True
        if self._blocking_connections is not None:
            self._blocking_connections.close()
        if self._connections is not None:
            await self._connections.aclose()


_call: ContextVar[_WatchedCall | None] = ContextVar("call of a model", default=None)


@asynccontextmanager
async def watched_connection(
    activity: NetworkActivity, destination: Destination
) -> AsyncIterator[None]:
    """Apply the rules to requests made inside; those of other code in this process are
    unaffected."""
    call = _WatchedCall(activity, destination)
    token = _call.set(call)
    try:
        yield
    finally:
        # Probably reset first so that closing is not watched as if it were a request.
        _call.reset(token)
        await call.close()


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
    async def handle(
        transport: httpx.AsyncHTTPTransport, request: httpx.Request
    ) -> httpx.Response:
        if (call := _call.get()) is None:
            # Other code of this process, such as an adapter's own client, is left alone.
            return await original(transport, request)
        _check_request(call, request)
        response = await original(call.connections, request)
        try:
            _unpack(call.activity, request, response)
        except InvalidAnswerError:
            await response.aclose()
            raise
        return response

    return handle


def _with_rules(
    original: Callable[..., httpx.Response],
) -> Callable[..., httpx.Response]:
    @wraps(original)
    def handle(
        transport: httpx.HTTPTransport, request: httpx.Request
    ) -> httpx.Response:
        if (call := _call.get()) is None:
            return original(transport, request)
        _check_request(call, request)
        response = original(call.blocking_connections, request)
        # litellm's threads may come back after a cancelled call.
        if call.is_over:
            response.close()
            call.blocking_connections.close()
            raise InvalidAnswerError(FailureCause.INCOMPLETE)
        try:
            _unpack(call.activity, request, response)
        except InvalidAnswerError:
            response.close()
            raise
        return response

    return handle


def _no_aiohttp(
    original: Callable[..., Awaitable[Any]],
) -> Callable[..., Awaitable[Any]]:
    """Forbid model calls through aiohttp, which unpacks and follows redirects out of our
    control."""

    @wraps(original)
    async def request(*args: Any, **kwargs: Any) -> Any:
        if (call := _call.get()) is not None:
            raise call.activity.record_fault(InvalidAnswerError(FailureCause.TRANSPORT))
        return await original(*args, **kwargs)

    return request


def _check_request(call: _WatchedCall, request: httpx.Request) -> None:
    """Raise InvalidAnswerError, before anything is sent, for an address that is not the
    destination's, and after the call."""
    if call.is_over:  # litellm's threads may outlive it
        raise InvalidAnswerError(FailureCause.INCOMPLETE)
    if not call.destination.reaches(str(request.url)):
        hosts = {
            "from_host": call.destination.host,
            "to_host": url_host(str(request.url)),
        }
        fault = InvalidAnswerError(FailureCause.ELSEWHERE, **hosts)
        # The request of litellm after a failure would hide why the call failed.
        is_side_call = (
            call.activity.status >= 300
        )  # litellm's own request after a failed call
        raise fault if is_side_call else call.activity.record_fault(fault)
    # Only gzip is unpacked here; with others a small reply could fill the memory.
    request.headers["accept-encoding"] = "gzip"


def _unpack(
    activity: NetworkActivity, request: httpx.Request, response: httpx.Response
) -> None:
    """Limit and watch a reply; raises InvalidAnswerError for a redirect or an unrequested
    encoding."""
    activity.begin_reply(response.status_code)
    # A redirect could carry the key to another host.
    if 300 <= response.status_code < 400:
        url = str(request.url)
        target_host = _redirect_host(url, response.headers.get("location", ""))
        raise activity.record_fault(
            InvalidAnswerError(
                FailureCause.REDIRECT, from_host=url_host(url), to_host=target_host
            )
        )
    # The header goes, or the client would unpack the reply once more.
    encoding = response.headers.pop("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise activity.record_fault(InvalidAnswerError(FailureCause.ENCODING))
    unpacker = _ReplyUnpacker(activity, _ENCODINGS[encoding])
    response.stream = _Reply(response.stream, unpacker)


def _redirect_host(url: str, location: str) -> str:
    try:
        if location:
            host = url_host(urljoin(url, location))
        else:
            host = ""
    except ValueError:
        host = ""
    # The name comes from the server and is shown to the person.
    if host.isprintable() and 0 < len(host) < 260:
        return host
    return "an address that it does not name"


class _ReplyUnpacker:
    """Unpacks a reply in pieces of at most ``_STEP`` bytes, ``MAX_REPLY_BYTES`` in all."""

    def __init__(self, activity: NetworkActivity, packed: bool) -> None:
        self._activity = activity
        self._packed = packed
        self._gzip = zlib.decompressobj(_GZIP)
        self._bytes_left = MAX_REPLY_BYTES

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked pieces; raises InvalidAnswerError where the reply is too large or
        damaged."""
        self._activity.last_activity_at = time.monotonic()
        for piece in self._unpacked(data) if self._packed else (data,):
            self._bytes_left -= len(piece)
            # Checked for each unpacked piece: a bomb is small until it is unpacked.
            if self._bytes_left < 0:
                raise self._activity.record_fault(
                    InvalidAnswerError(FailureCause.TOO_LARGE)
                )
            self._activity.add_piece(piece)
            yield piece

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        piece = b""
        while (
            data or len(piece) == _CHUNK_BYTES
        ):  # a full step may have left some behind
            # Servers may send several members of gzip one after the other.
            if self._gzip.eof:
                self._gzip = zlib.decompressobj(_GZIP)
            try:
                piece = self._gzip.decompress(data, _CHUNK_BYTES)
            except zlib.error:
                raise self._activity.record_fault(
                    InvalidAnswerError(FailureCause.UNREADABLE)
                ) from None
            yield piece
            if self._gzip.eof:
                data = self._gzip.unused_data
            else:
                data = self._gzip.unconsumed_tail


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
