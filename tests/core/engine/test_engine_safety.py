"""A run of the loop loses nothing, ends without an error, and does not ask a model in vain."""

import itertools
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest

from core.common.errors import CompactionFailed, InputError
from core.engine.history_store import CompressionEnded, CompressionStarted, EngineEvent
from core.engine.passes import SessionEnvironment
from core.engine.session import AgentSession
from core.llm.protocol import SummaryRequest, SummaryResponse
from tests.core.engine.engine_running import RecordingSummariser, SessionRecorder, count
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, exchange, human, talk
from tests.support.narrowing import known


def test_what_is_added_while_a_run_begins_loses_no_stub() -> None:
    late = human("typed while it compacts")

    def add(event: EngineEvent) -> None:
        if isinstance(event, CompressionStarted):
            session.add(late)

    environment = SessionEnvironment(
        count=count, summariser=lambda profile: RecordingSummariser(), limit=20_000
    )
    session = AgentSession(
        values(compression__strategy="stub-and-retrieve"), environment, add
    )
    for number in range(8):
        for message in exchange(
            f"c{number}", "bash", f"precious {number} " * 900, command="ls"
        ):
            session.add(message)
    session.add(ai("done"))
    session.before_send()
    text = "".join(
        str(block) for message in session.messages for block in message.blocks
    )
    handles = set(re.findall(r"r-[0-9a-f]+", text))
    assert handles
    assert all("precious" in session.expand(handle) for handle in handles)
    assert session.messages[-1] == late


def test_a_listener_that_raises_after_the_run_does_not_end_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(event: EngineEvent) -> None:
        if isinstance(event, CompressionEnded):
            raise RuntimeError("a listener of the agent")

    environment = SessionEnvironment(
        count=count, summariser=lambda profile: RecordingSummariser(), limit=400
    )
    session = AgentSession(
        values(compression__strategy="top-down-truncation"), environment, fail
    )
    for message in talk(40, "word " * 20):
        session.add(message)
    run = session.before_send()
    assert run is not None
    assert run.no_op is None
    assert len(session.messages) < 40
    assert "a listener of the agent" in caplog.text
    caplog.clear()


@pytest.mark.parametrize("name", ["tiered", "middle-out", "hybrid", "one-shot"])
def test_a_model_that_is_down_is_asked_ever_less_often(name: str) -> None:
    turns_asked: list[int] = []

    class Down:
        profile = model = "down"

        def summarise(self, request: SummaryRequest) -> SummaryResponse:
            turns_asked.append(session.store.additions)
            raise CompactionFailed("down: HTTP 500")

    environment = SessionEnvironment(
        count=count, summariser=lambda profile: Down(), limit=1_500
    )
    session = AgentSession(values(compression__strategy=name), environment)
    for _ in range(300):
        session.add(human("question " + "y" * 60))
        session.add(ai("talk " * 20))
        for check in (session.before_send, session.after_user, session.after_tools):
            with suppress(CompactionFailed):
                check()
    assert 1 < len(set(turns_asked)) <= 30
    gaps = [
        later - sooner for sooner, later in itertools.pairwise(sorted(set(turns_asked)))
    ]
    assert gaps[-1] > gaps[0]


def test_new_settings_end_the_pause_after_a_failed_model() -> None:
    recorder = SessionRecorder(
        talk(40, "word " * 20), compression__strategy="middle-out"
    )
    recorder.summariser.text = ""
    for _ in range(3):
        with suppress(CompactionFailed):
            recorder.session.before_send()
        recorder.session.add(human("one more"))
    assert len(recorder.summariser.requests) == 1
    recorder.summariser.text = "A summary of all that was said."
    recorder.set(compression__strategy="middle-out", compression__summary_tokens=50)
    assert known(recorder.session.before_send()).no_op is None


@pytest.mark.parametrize(
    ("name", "limit"), [("claude-code", 8_000), ("opencode-2", 32_000)]
)
def test_a_window_in_which_a_preset_cannot_work_is_refused(
    name: str, limit: int
) -> None:
    with pytest.raises(
        InputError, match=f"{name} cannot work in a window of {limit:,} tokens"
    ):
        SessionRecorder(limit=limit, compression__strategy=name)


def test_a_loop_without_a_known_window_is_refused() -> None:
    with pytest.raises(InputError, match="is not known"):
        SessionRecorder(limit=None, compression__strategy="tiered")


def test_settings_that_can_never_be_due_are_refused_later_as_well() -> None:
    loop = SessionRecorder(limit=400, compression__strategy="top-down-truncation")
    before = loop.session.values
    with pytest.raises(InputError, match="cannot work in a window of 400 tokens"):
        loop.set(compression__strategy="roo")
    assert loop.session.values is before


def test_a_run_that_misses_its_target_says_by_how_much() -> None:
    loop = SessionRecorder(
        talk(20, "word " * 20),
        limit=2_000,
        wrap_environment=lambda base: replace(base, base=1_900),
        compression__strategy="top-down-truncation",
    )
    run = loop.session.compress()
    assert run.no_op is None
    above = loop.session.used - (run.target or 0)
    assert f"{above:,} above the target of" in run.warnings[0]


@pytest.mark.parametrize("name", ["top-down-truncation", "one-shot"])
def test_threads_add_while_runs_go_on_and_nothing_is_lost(name: str) -> None:
    loop = SessionRecorder(limit=3_000, compression__strategy=name)
    threads, each = 4, 40

    def add_all(thread: int) -> None:
        for number in range(each):
            loop.session.add(human(f"thread {thread} message {number} " + "word " * 20))

    with ThreadPoolExecutor(threads + 1) as pool:
        adding = [pool.submit(add_all, thread) for thread in range(threads)]
        runs = [loop.session.before_send()]
        while not all(one.done() for one in adding):
            runs.append(loop.session.before_send())
    applied = [run for run in runs if run is not None and run.no_op is None]
    removed = sum(len(run.fates) - len(run.messages) for run in applied)
    store = loop.session.store
    assert store.additions == threads * each
    assert store.total == store.estimate(store.raw)
    assert len(store.raw) == threads * each - removed
    assert applied
