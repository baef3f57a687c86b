"""One host, no redirects, replies of limited size, calls of limited time: on real loopback servers."""

from __future__ import annotations

import socket
import tracemalloc
import zlib
from collections.abc import Iterator

import httpx
import pytest

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.litellm_adapter import load_litellm
from core.settings.profile import Profile
from tests.core.llm.model_asking import KEY, RecordingCaller, profile
from tests.loopback import DRIPPING, Reply, run_loopback

FAMILIES = ("openai", "anthropic", "gemini", "ollama", "mistral", "groq", "cohere", "huggingface")


@pytest.fixture(scope="module")
def second() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.0)
        yield server


def _visited(server: socket.socket) -> bool:
    try:
        connection, _ = server.accept()
    except BlockingIOError:
        return False
    connection.close()
    return True


def _sent_away(status: int, target: str) -> Reply:
    return Reply(status=status, raw=b"", headers=(("Location", target),))


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(
    ("provider", "status"),
    [*((one, 307) for one in FAMILIES), *((FAMILIES[0], one) for one in (301, 302, 303, 308))],
)
def test_no_redirect_is_followed(provider: str, status: int, stream: bool, second: socket.socket) -> None:
    elsewhere = f"localhost:{second.getsockname()[1]}"
    with run_loopback(_sent_away(status, f"http://{elsewhere}/v1/chat/completions")) as server:
        error = _failure(profile(server, provider, stream=stream, timeout=60.0))
        here = server.base.removeprefix("http://")
    assert f"{here} sends the request on to {elsewhere}, and no redirect is followed (1 try" in error.message
    assert error.exit_code == 3
    assert len(server.log) == 1
    assert not _visited(second)


def _failure(given: Profile) -> CompactionFailed:
    with pytest.raises(CompactionFailed) as caught:
        RecordingCaller(given, retries=2).summarise()
    assert KEY not in str(caught.value)
    return caught.value


def test_no_call_goes_through_a_client_that_cannot_be_watched() -> None:
    with run_loopback() as server:
        error = _failure(profile(server, "aiohttp_openai", stream=False))
    assert "through aiohttp, which Foldline does not allow" in error.message
    assert server.log == []


def _packed(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join([*(packer.compress(b" " * (1 << 20)) for _ in range(megabytes)), packer.flush()])


@pytest.mark.parametrize(("shape", "stream"), [("openai", False), ("anthropic", True)])
def test_a_packed_reply_is_unpacked_within_bounds(shape: str, stream: bool) -> None:
    with run_loopback(Reply(raw=_packed(256), headers=(("Content-Encoding", "gzip"),))) as server:
        load_litellm()
        tracemalloc.start()
        error = _failure(profile(server, shape, stream=stream, timeout=120.0))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert "the answer is larger than 64 MB, so it was not read (1 try" in error.message
    assert most < 200 << 20


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_reply_that_drips_ends_after_the_total_time(shape: str) -> None:
    with run_loopback(DRIPPING) as server:
        error = _failure(profile(server, shape, timeout=60.0, total_timeout=0.5))
    assert "the call took longer than 0.5 s in all (1 try" in error.message
    assert "total_timeout" in error.hint


def test_other_code_of_the_process_keeps_its_redirects() -> None:
    load_litellm()
    body: Json = {"messages": [], "model": "m"}
    with run_loopback() as target, run_loopback(_sent_away(307, f"{target.base}/chat")) as server:
        assert httpx.post(f"{server.base}/chat", json=body, follow_redirects=True).status_code == 200
