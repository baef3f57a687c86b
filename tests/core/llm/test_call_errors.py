"""Every failure of a call is one sentence without a secret; one host, no redirects, bounded size
and time."""

import base64
import gzip
import json
import re
import socket
import tracemalloc
from collections.abc import Iterator
from unittest.mock import Mock
from urllib.parse import quote

import httpx
import keyring
import pytest
from keyring.errors import InitError, KeyringLocked, NoKeyringError

from core.common.errors import CompactionFailed, InputError
from core.common.json_value import Json
from core.llm import connection
from core.llm.credentials import MIN_PART_LENGTH, SERVICE, find_key, without_key
from core.llm.litellm_adapter import load_litellm
from core.settings.profile import Profile
from tests.core.llm.model_asking import KEY, RecordingCaller, profile, request
from tests.support import loopback
from tests.support.builders import talk
from tests.support.loopback import DRIPPING, OK, Reply, run_loopback
from tests.support.sampling import sampled

SHAPES = ("openai", "anthropic")
NOBODY = "http://127.0.0.1:9/v1"
HEADERS = {"extra_headers": {"X-Team": "två"}}

FAILURES: tuple[tuple[Reply, str], ...] = (
    (
        loopback.UNAUTHORISED,
        "the server refused the key (HTTP 401): “Incorrect API key provided",
    ),
    (
        loopback.FORBIDDEN,
        "may not be used with the key (HTTP 403): “Your account may not use this model”",
    ),
    (loopback.NOT_FOUND, "no such model or address at 127.0.0.1:"),
    (loopback.TOO_MANY, "the server asks for fewer requests (HTTP 429)"),
    (loopback.BROKEN, "the server failed (HTTP 500): “The server had an error”"),
    (loopback.BAD_GATEWAY, "the server failed (HTTP 502)"),
    (loopback.UNAVAILABLE, "the server failed (HTTP 503)"),
    (
        Reply(text="Bad field.", status=400, code="invalid_request_error"),
        "rejected the request (HTTP 400): “Bad field”",
    ),
    (
        Reply(text="Pay.", status=429, code="insufficient_quota"),
        "no credit left (HTTP 429)",
    ),
    (
        Reply(text="", status=413, raw=b"<html>413</html>"),
        "does not fit the model's window",
    ),
    (loopback.CUT_OFF, "the answer broke off before its end ("),
    (loopback.GARBAGE, "the answer cannot be read"),
)


def failure(asker: RecordingCaller) -> CompactionFailed:
    with pytest.raises(CompactionFailed) as caught:
        asker.summarise(request(*talk(1)))
    assert KEY not in str(caught.value)
    return caught.value


@pytest.mark.req("REQ-CS-006A.2")
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("reply", "cause"), FAILURES, ids=[cause[:30] for _, cause in FAILURES]
)
def test_each_failure_is_one_sentence(
    reply: Reply, cause: str, shape: str, stream: bool
) -> None:
    with run_loopback(reply) as server:
        error = failure(RecordingCaller(profile(server, shape, stream=stream)))
    assert error.message.startswith("work (m): ")
    assert cause in error.message
    assert error.hint.startswith("The conversation is unchanged.")
    assert error.exit_code == 3


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stream", [True, False])
def test_a_silent_server_is_given_up_after_the_timeout(
    shape: str, stream: bool
) -> None:
    with run_loopback(loopback.SLOW) as server:
        error = failure(
            RecordingCaller(profile(server, shape, stream=stream, timeout=0.3))
        )
    assert re.search(r"no answer came within 0\.3 s \(1 try, \d\.\d s\)", error.message)


@pytest.mark.req("REQ-CS-006A.2")
@pytest.mark.parametrize(
    ("wrong", "key", "cause"),
    [
        (
            Profile(name="work", provider="openai", model="m"),
            "",
            "no key was given for openai",
        ),
        (
            Profile(name="work", provider="anthropic", model="m"),
            "",
            "no key was given for anthropic",
        ),
        (
            profile(parameters={"extra_headers": {"X-Team": "två"}}, base_url=NOBODY),
            KEY,
            "no request can carry",
        ),
        (profile(base_url=NOBODY), "k-ключ", "no request can carry"),
    ],
)
def test_a_profile_that_cannot_be_used(wrong: Profile, key: str, cause: str) -> None:
    assert cause in failure(RecordingCaller(wrong, key=key)).message


def test_a_key_of_two_lines_is_no_fault_of_the_base_url() -> None:
    with run_loopback() as server:
        error = failure(RecordingCaller(profile(server), key="k-one\nk-two"))
    assert "has a character that no request can carry" in error.message


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        (
            Profile(name="work", provider="antropic", model="m"),
            "no provider 'antropic' with chat models. Did you mean anthropic?",
        ),
        (
            Profile(name="work", provider="hosted_vllm", model="m"),
            "no address that is the same for everybody",
        ),
        (
            profile(base_url="models.local"),
            "the base URL cannot be used. It must begin with http://",
        ),
    ],
)
def test_a_profile_without_a_destination_is_refused_before_anything_is_sent(
    wrong: Profile, cause: str
) -> None:
    with pytest.raises(InputError, match=re.escape(cause)):
        RecordingCaller(wrong).summarise(request(*talk(1)))


@pytest.mark.parametrize(
    "text",
    [f"bad {KEY}.", "Bearer abc.def", "key AIzaSyA1234567890", "sk-ant-api03-abcdef"],
)
def test_keys_are_never_shown(text: str) -> None:
    shown = without_key(text, KEY)
    assert "[key]" in shown
    assert not any(word in shown for word in ("secret", "abc", "AIza"))


ECHOED = (
    *(KEY[:24], KEY[:6], KEY[-6:], KEY[4:14], KEY.upper(), "%73%6B-secret%2d0123"),
    "".join(f"%{ord(c):02x}" for c in KEY),
    *(
        "".join(f"\\\\u{ord(c):04x}" for c in KEY),
        "".join(f"&#{ord(c)};" for c in KEY),
        KEY.encode().hex(),
    ),
    *(base64.b64encode(b"x" * pad + KEY.encode()).decode() for pad in range(4)),
    *(" ".join(KEY), "\n".join((KEY[:9], KEY[9:])), KEY[:8] + "…" + KEY[-7:]),
)


@pytest.mark.parametrize("echoed", ECHOED)
def test_no_part_of_the_key_is_shown_in_whatever_form_it_comes_back(
    echoed: str,
) -> None:
    shown = without_key(f"no such key: {echoed} (of you).", KEY)
    assert shown.startswith("no such key: ")
    assert shown.endswith(" (of you).")
    left = shown.removeprefix("no such key: ").removesuffix(" (of you).")
    assert all(len(part) < MIN_PART_LENGTH for part in left.split("[key]"))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_key_without_a_known_beginning_that_a_server_echoes_in_parts_is_not_told(
    shape: str,
) -> None:
    key = "Zx9fQ2mVt7Lw4RbN8sKd"
    text = f"Wrong key {key[:12]}...{key[-8:]}, sent as {quote(key, safe='').replace('Z', '%5A')}"
    with run_loopback(Reply(text=text, status=401, code="invalid_api_key")) as server:
        error = failure(RecordingCaller(profile(server, shape, stream=False), key=key))
    assert "Wrong key [key]...[key], sent as [key]" in error.message


def _chat(**fields: Json) -> bytes:
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps(head | fields).encode()


def _chunks(*deltas: Json, finish: str = "stop") -> bytes:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choices: list[Json] = [
        {"index": 0, "delta": one, "finish_reason": None} for one in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    events = (json.dumps(head | {"choices": [one]}) for one in choices)
    return "".join(f"data: {one}\n\n" for one in (*events, "[DONE]")).encode()


NO_ANSWERS: tuple[tuple[str, bytes, str], ...] = (
    *(
        (one, one.encode(), "the answer cannot be read")
        for one in ("null", "[]", "3", '"text"', "{}", "<p>")
    ),
    ("no choices", _chat(choices=[]), "its list of choices is empty"),
    ("null choices", _chat(choices=None), "the answer cannot be read"),
    (
        "no message",
        _chat(choices=[{"index": 0, "message": None}]),
        "the answer cannot be read",
    ),
    (
        "an error",
        b'{"error": {"message": "No such thing", "code": 500}}',
        "answered with an error: “No such",
    ),
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("name", "raw", "cause"), NO_ANSWERS, ids=[one[0] for one in NO_ANSWERS]
)
def test_a_reply_with_status_200_is_no_failure_of_the_server_and_not_asked_for_again(
    name: str, raw: bytes, cause: str, shape: str
) -> None:
    with run_loopback(Reply(raw=raw)) as server:
        error = failure(
            RecordingCaller(profile(server, shape, stream=False), retries=2)
        )
    assert "(1 try, " in error.message
    assert "HTTP" not in error.message
    assert cause in error.message or (
        shape == "anthropic" and "the answer cannot be read" in error.message
    )


@pytest.mark.parametrize(
    "deltas",
    [
        (
            {"role": "assistant", "content": None, "refusal": None},
            {"refusal": "I can"},
            {"refusal": "not."},
        ),
        ({"role": "assistant", "content": ""}, {"refusal": "I cannot."}),
        ({"role": "assistant", "content": "", "refusal": "No."},),
    ],
)
def test_a_streamed_refusal_is_a_refusal(deltas: tuple[Json, ...]) -> None:
    with run_loopback(Reply(raw=_chunks(*deltas))) as server:
        assert RecordingCaller(profile(server)).summarise().finish_reason == "refusal"


BY_ENV = Profile(name="haiku", provider="anthropic", model="m", key_env="HAIKU_KEY")
BY_RING = Profile(name="haiku", provider="anthropic", model="m", key_ring="haiku")


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        keyring, "get_password", lambda service, entry: f"{service}/{entry}"
    )
    both = Profile(
        name="haiku",
        provider="anthropic",
        model="m",
        key_env="HAIKU_KEY",
        key_ring="haiku",
    )
    assert find_key(both, {"HAIKU_KEY": " abc\n"}) == "abc"
    assert (
        find_key(both, {"HAIKU_KEY": ""}) == find_key(BY_RING, {}) == f"{SERVICE}/haiku"
    )
    monkeypatch.setenv("HAIKU_KEY", "from outside")
    assert find_key(BY_ENV) == "from outside"


@pytest.mark.req("REQ-CS-006A.2")
def test_an_unset_variable_is_named_with_its_profile() -> None:
    for environment in ({}, {"HAIKU_KEY": "  "}):
        with pytest.raises(
            InputError, match=r"profile haiku has no key.*variable HAIKU_KEY is not set"
        ):
            find_key(BY_ENV, environment)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoKeyringError("none"), "offers no keyring"),
        (KeyringLocked("locked"), "is locked"),
        (InitError("no\nbus."), "does not answer (no bus)"),
        (OSError(2, "gone"), "does not answer"),
        (RuntimeError(), "does not answer (RuntimeError)"),
    ],
)
def test_a_failing_keyring_is_told(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    monkeypatch.setattr(keyring, "get_password", Mock(side_effect=error))
    with pytest.raises(InputError) as caught:
        find_key(BY_RING, {})
    assert caught.value.message.startswith("The profile haiku has no key: ")
    assert words in caught.value.message
    assert "\n" not in str(caught.value)


def test_a_missing_entry_says_how_to_store_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "get_password", lambda service, entry: None)
    with pytest.raises(InputError, match="keyring set foldline haiku"):
        find_key(BY_RING, {})


FAMILIES = (
    "openai",
    "anthropic",
    "gemini",
    "ollama",
    "mistral",
    "groq",
    "cohere",
    "huggingface",
)


@pytest.fixture(scope="module")
def second() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.0)
        yield server


def _sent_away(status: int, target: str) -> Reply:
    return Reply(status=status, raw=b"", headers=(("Location", target),))


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize(
    ("provider", "status"),
    [
        *((one, 307) for one in FAMILIES),
        *((FAMILIES[0], one) for one in (301, 302, 303, 308)),
    ],
)
def test_no_redirect_is_followed(
    provider: str, status: int, stream: bool, second: socket.socket
) -> None:
    elsewhere = f"localhost:{second.getsockname()[1]}"
    with run_loopback(
        _sent_away(status, f"http://{elsewhere}/v1/chat/completions")
    ) as server:
        error = failure(
            RecordingCaller(
                profile(server, provider, stream=stream, timeout=60.0), retries=2
            )
        )
        here = server.base.removeprefix("http://")
    assert (
        f"{here} sends the request on to {elsewhere}, and no redirect is followed (1 try"
        in error.message
    )
    assert error.exit_code == 3
    assert len(server.log) == 1
    with pytest.raises(BlockingIOError):  # nobody came
        second.accept()


def test_no_call_goes_through_a_client_that_cannot_be_watched() -> None:
    with run_loopback() as server:
        error = failure(
            RecordingCaller(profile(server, "aiohttp_openai", stream=False), retries=2)
        )
    assert "through aiohttp, which Foldline does not allow" in error.message
    assert server.log == []


@pytest.mark.parametrize(("shape", "stream"), [("openai", False), ("anthropic", True)])
def test_a_packed_reply_is_unpacked_within_bounds(
    shape: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, size, bound = sampled((64, 128, 120), (4, 64, 48))  # MB
    monkeypatch.setattr(connection, "MAX_REPLY_BYTES", limit << 20)
    packed = gzip.compress(b" " * (size << 20), 1)
    reply = Reply(raw=packed, headers=(("Content-Encoding", "gzip"),))
    with run_loopback(OK, reply) as server:
        asker = RecordingCaller(
            profile(server, shape, stream=stream, timeout=120.0), retries=2
        )
        asker.summarise()  # loads what calls need
        tracemalloc.start()
        error = failure(asker)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert "the answer is larger than 64 MB, so it was not read (1 try" in error.message
    assert most < bound << 20


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_reply_that_drips_ends_after_the_total_time(shape: str) -> None:
    with run_loopback(DRIPPING) as server:
        error = failure(
            RecordingCaller(
                profile(server, shape, timeout=60.0, total_timeout=0.5), retries=2
            )
        )
    assert "the call took longer than 0.5 s in all (1 try" in error.message
    assert "total_timeout" in error.hint


def test_other_code_of_the_process_keeps_its_redirects() -> None:
    load_litellm()
    body: Json = {"messages": [], "model": "m"}
    with (
        run_loopback() as target,
        run_loopback(_sent_away(307, f"{target.base}/chat")) as server,
    ):
        assert (
            httpx.post(
                f"{server.base}/chat", json=body, follow_redirects=True
            ).status_code
            == 200
        )
