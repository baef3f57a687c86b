"""Summaries by a model, end to end over a real server on the loopback address."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.errors import Cancelled, CompactionFailed
from core.llm.protocol import (
    CallFinished,
    CallRetrying,
    CallStarted,
    RequestLightened,
    TextReceived,
)
from core.strategies.registry import find_strategy
from core.summarize.model_summariser import probe_model
from tests.core.llm.model_asking import KEY, RecordingCaller, profile, request
from tests.core.strategies.strategy_running import context
from tests.support import loopback
from tests.support.builders import ai, exchange, human, talk
from tests.support.loopback import (
    DRIPPING,
    OK,
    OVERFLOW,
    SUMMARY,
    Loopback,
    Reply,
    run_loopback,
)
from tests.support.source_tree import ROOT

SHAPES = [
    ("openai", True),
    ("openai", False),
    ("anthropic", True),
    ("anthropic", False),
]
IDS = ["openai-stream", "openai-whole", "anthropic-stream", "anthropic-whole"]


@pytest.mark.parametrize(("shape", "stream"), SHAPES, ids=IDS)
def test_a_summary_comes_over_both_shapes(shape: str, stream: bool) -> None:
    with run_loopback(replace(OK, thinking="hm")) as server:
        asker = RecordingCaller(profile(server, shape, stream=stream))
        answer = asker.summarise()
    assert (answer.text, answer.finish_reason) == (SUMMARY, "stop")
    assert (answer.input_tokens, answer.output_tokens, answer.retries) == (
        *loopback.USAGE,
        0,
    )
    assert [type(event) for event in (asker.events[0], asker.events[-1])] == [
        CallStarted,
        CallFinished,
    ]
    assert server.log[0].path == (
        "/v1/messages" if shape == "anthropic" else "/v1/chat/completions"
    )


@pytest.mark.parametrize(("shape", "stream"), SHAPES, ids=IDS)
def test_the_request_carries_flattened_text_key_and_limit(
    shape: str, stream: bool
) -> None:
    with run_loopback() as server:
        RecordingCaller(
            profile(server, shape, stream=stream, parameters={"temperature": 0.5})
        ).summarise()
    (request,) = server.log
    assert 'name="Read">\ndef parse(): ...' in request.text
    assert "private thoughts" not in request.text
    assert "tools" not in request.body
    assert request.body["max_tokens"] == 8000
    assert request.body["temperature"] == 0.5
    assert KEY in (request.headers.get("x-api-key") or request.headers["authorization"])


def test_a_server_of_ones_own_never_gets_a_key_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    with run_loopback() as server:
        RecordingCaller(profile(server), key="").summarise()
    assert "environment" not in str(server.log[0].headers)


def test_text_is_told_while_it_comes() -> None:
    with run_loopback(replace(DRIPPING, text="word " * 20)) as server:
        asker = RecordingCaller(profile(server))
        answer = asker.summarise()
    texts = [
        event.text
        for event in asker.events_of(TextReceived)
        if isinstance(event, TextReceived)
    ]
    assert len(texts) >= 2
    assert all(answer.text.startswith(text) for text in texts)


@pytest.mark.parametrize(("shape", "stream"), SHAPES, ids=IDS)
def test_a_broken_connection_is_not_tried_again_behind_our_back(
    shape: str, stream: bool
) -> None:
    with (
        run_loopback(loopback.CUT_OFF) as server,
        pytest.raises(CompactionFailed, match="broke off"),
    ):
        RecordingCaller(profile(server, shape, stream=stream), retries=0).summarise()
    assert len(server.log) == 1


@pytest.mark.parametrize(("shape", "stream"), SHAPES, ids=IDS)
@pytest.mark.parametrize(
    "reply", [loopback.SLOW, DRIPPING], ids=["silent", "streaming"]
)
def test_cancel_returns_at_once_and_ends_the_connection(
    reply: Reply, shape: str, stream: bool
) -> None:
    if not stream:
        reply = loopback.SLOW
    with run_loopback(reply) as server:
        watch = Stopwatch(server)
        with pytest.raises(Cancelled):
            RecordingCaller(
                profile(server, shape, stream=stream), cancelled=watch
            ).summarise()
        assert watch.seconds < 15  # not the minutes of the reply
        assert server.log[0].closed.wait(60)


class Stopwatch:
    """Cancels shortly after the server received the request, and measures from then on."""

    def __init__(self, server: Loopback) -> None:
        self._server = server
        self._asked: float | None = None
        self._cancelled: float | None = None

    def __call__(self) -> bool:
        now = time.monotonic()
        if self._asked is None and self._server.log:
            self._asked = now
        if (
            self._cancelled is None
            and self._asked is not None
            and now - self._asked > 0.1
        ):
            self._cancelled = now
        return self._cancelled is not None

    @property
    def seconds(self) -> float:
        """Seconds since the cancellation."""
        assert self._cancelled is not None
        return time.monotonic() - self._cancelled


@pytest.mark.parametrize(
    "fault",
    [loopback.TOO_MANY, loopback.BROKEN, loopback.CUT_OFF, loopback.BAD_GATEWAY],
)
def test_what_may_pass_is_tried_again_told_and_recorded(fault: Reply) -> None:
    with run_loopback(fault, OK) as server:
        asker = RecordingCaller(profile(server), retries=2)
        answer = asker.summarise()
    assert (answer.text, answer.retries, len(answer.steps)) == (SUMMARY, 1, 1)
    assert len(server.log) == len(asker.events_of(CallStarted)) == 2
    assert len(asker.events_of(CallRetrying)) == 1


@pytest.mark.parametrize(
    "fault", [loopback.UNAUTHORISED, loopback.NOT_FOUND, loopback.GARBAGE]
)
def test_what_will_not_pass_is_not_tried_again(fault: Reply) -> None:
    with run_loopback(fault) as server:
        with pytest.raises(CompactionFailed, match=r"\(1 try, "):
            RecordingCaller(profile(server), retries=2).summarise()
        assert len(server.log) == 1


def test_the_server_says_how_long_to_wait_and_cancel_ends_the_wait() -> None:
    with run_loopback(
        replace(loopback.TOO_MANY, headers=(("Retry-After", "20"),))
    ) as server:
        asker = RecordingCaller(profile(server), retries=1)
        asker.cancelled = lambda: bool(asker.events_of(CallRetrying))
        with pytest.raises(Cancelled):
            asker.summarise()
    (event,) = asker.events_of(CallRetrying)
    assert isinstance(event, CallRetrying)
    assert event.wait == 20


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_request_that_does_not_fit_becomes_lighter(shape: str) -> None:
    big = request(
        human("start"),
        *exchange("c1", "Read", "x " * 3000),
        *exchange("c2", "Bash", "y " * 500),
        ai("end"),
    )
    with run_loopback(OVERFLOW, OVERFLOW, OVERFLOW, OK) as server:
        asker = RecordingCaller(profile(server, shape), retries=1)
        answer = asker.summarise(big)
    sizes = [len(asked.text) for asked in server.log]
    assert sizes == sorted(sizes, reverse=True)
    assert [
        len(answer.steps),
        len(answer.warnings),
        len(asker.events_of(RequestLightened)),
    ] == [
        3,
        3,
        3,
    ]
    assert "6,000 characters left out" in server.log[1].text
    assert "y y" in server.log[1].text
    assert "y y" not in server.log[2].text
    assert "A digest of" in server.log[3].text


@pytest.mark.req("REQ-CS-006A.2")
@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (loopback.EMPTY, "wrote an empty summary"),
        (loopback.TOO_LONG, r"was cut off \(finish reason: (?:length|max_tokens)\)"),
        (
            replace(loopback.TOO_LONG, text=""),
            r"was cut off \(finish reason: (?:length|max_tokens)\)",
        ),
        (loopback.REFUSED, "refused to write the summary"),
    ],
)
@pytest.mark.parametrize(("shape", "stream"), SHAPES, ids=IDS)
def test_an_answer_that_is_none_is_an_error(
    reply: Reply, cause: str, shape: str, stream: bool
) -> None:
    # fix SU-01
    with run_loopback(reply) as server:
        asker = RecordingCaller(profile(server, shape, stream=stream))
        given = replace(context(talk(30)), summariser=lambda name: asker.summariser)
        with pytest.raises(
            CompactionFailed, match=rf"^middle-out: .*work \(m\) {cause}"
        ):
            find_strategy("middle-out").compress(given)


@pytest.mark.parametrize("stream", [True, False])
def test_the_offline_summariser_is_a_provider_of_litellm(stream: bool) -> None:
    asker = RecordingCaller(
        profile(provider="embedded", model="snapshot", stream=stream), key=""
    )
    answer = asker.summarise(
        replace(request(), prompt="Write <state_snapshot> with <current_progress>.")
    )
    assert answer.text
    assert "transcript_" not in answer.text
    assert answer.cost == 0.0
    assert answer.output_tokens


def test_litellm_loads_without_network_and_reads_no_env_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-of-a-stranger\n")
    code = (
        "import os, socket, sys\n"
        "def refuse(*a, **k): sys.exit('a socket was tried')\n"
        "socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse\n"
        "from core.llm.litellm_adapter import load_litellm\n"
        "litellm = load_litellm()\n"
        "assert not litellm.telemetry and litellm.suppress_debug_info\n"
        "assert 'OPENAI_API_KEY' not in os.environ\n"
    )
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", code]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_a_probe_asks_once_and_takes_any_answer() -> None:
    with run_loopback(loopback.TOO_LONG) as server:
        assert probe_model(profile(server), KEY, lambda: False).seconds > 0
    assert "Are you there?" in server.log[0].text
