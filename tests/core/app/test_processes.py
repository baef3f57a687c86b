"""The worker process: order, coalescing, interruption, faults, shutdown."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import cast

import pytest

from core.app.messages import (
    Command,
    Compact,
    CountSecrets,
    Event,
    Idle,
    Look,
    LookSummary,
    Open,
    Reading,
    RunProbes,
    Set,
    StopReading,
    Working,
)
from core.app.processes import Worker, model_loop, next_reply
from core.app.services.settings_commands import TryPrompt
from core.app.worker import Emit, Inbox, Interrupted, Signal, serve
from core.common.errors import Cancelled
from core.presentation.model import Notice
from tests.core.app.fake_desk import FakeDesk


class Talk:
    """A worker and its pipe, with what the tests ask of it."""

    def __init__(self) -> None:
        self.worker = Worker(FakeDesk)
        self.connection = self.worker.start()

    def next(self) -> tuple[int, Event]:
        assert self.connection.poll(10), "the worker is silent"
        reply = next_reply(self.connection)
        assert reply is not None, "the worker ended"
        return reply

    def until_idle(self, serial: int) -> list[Event]:
        events: list[Event] = []
        while not (isinstance((reply := self.next())[1], Idle) and reply[0] >= serial):
            if not isinstance(reply[1], Idle):
                events.append(reply[1])
        return events


@pytest.fixture(scope="module")
def talk() -> Iterator[Talk]:
    talk = Talk()
    yield talk
    talk.worker.ask_to_end()
    talk.worker.release()


def test_answers_carry_the_serial_of_their_command(talk: Talk) -> None:
    serial = talk.worker.send(Open("a"))
    assert talk.next() == (serial, Reading(1.0, "a"))
    assert talk.next() == (serial, Idle())


class EagerDesk(FakeDesk):
    """Says so when it is made."""

    def __init__(self, emit: Emit, interrupted: Interrupted) -> None:
        super().__init__(emit, interrupted)
        emit(Reading(0.0, "made"))


def test_a_worker_that_started_ahead_is_taken_over_and_has_its_desk_before_anything_is_asked() -> None:
    worker = Worker(EagerDesk)
    worker.start_ahead()
    first = worker._process
    connection = worker.start()
    assert worker._process is first
    assert connection.poll(10)
    assert next_reply(connection) == (0, Reading(0.0, "made"))
    worker.ask_to_end()
    worker.release()


class Ears:
    """Our end of a pipe; what arrives is heard here, and the first Idle ends the talk."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self.heard: list[Event] = []

    def send(self, reply: tuple[int, Event]) -> None:
        self.heard.append(reply[1])
        if reply[1] == Idle():
            self._inbox.put(2, Signal.CLOSE)


def test_a_desk_that_cannot_be_made_ahead_is_made_for_the_first_command() -> None:
    tries: list[str] = []

    def make(emit: Emit, interrupted: Interrupted) -> FakeDesk:
        tries.append("")
        if len(tries) == 1:
            raise OSError("too early")
        return FakeDesk(emit, interrupted)

    inbox = Inbox()
    inbox.put(1, Open("a"))
    ears = Ears(inbox)
    serve(cast("Connection", ears), inbox, make)
    assert ears.heard == [Reading(1.0, "a"), Idle()]


def test_the_worker_never_imports_qt(talk: Talk) -> None:
    (event,) = talk.until_idle(talk.worker.send(Look("before", 0)))
    assert isinstance(event, Notice)
    assert not any(name.startswith(("PySide6", "shiboken", "gui")) for name in event.text.split())


def test_cancel_stops_the_work(talk: Talk) -> None:
    talk.worker.send(Open("wait"))
    assert isinstance(talk.next()[1], Working)
    assert talk.until_idle(talk.worker.cancel()) == []


def test_stop_reading_and_newer_settings_reach_the_work(talk: Talk) -> None:
    for command, reason in ((StopReading(), "stop-reading"), (Set(), "newer")):
        talk.worker.send(Open("wait"))
        talk.next()
        events = talk.until_idle(talk.worker.send(command))
        assert isinstance(events[0], Notice)
        assert events[0].what == reason


def test_a_second_open_cancels_the_first(talk: Talk) -> None:
    talk.worker.send(Open("wait"))
    talk.next()
    assert talk.until_idle(talk.worker.send(Open("b"))) == [Reading(1.0, "b")]


@pytest.mark.parametrize(("path", "name"), [("fault", "ZeroDivisionError"), ("panic", "BaseException")])
def test_a_fault_becomes_a_notice_and_work_goes_on(talk: Talk, path: str, name: str) -> None:
    (event,) = talk.until_idle(talk.worker.send(Open(path)))
    assert isinstance(event, Notice)
    assert event.what == f"Something went wrong: {name}."
    assert "Traceback" in event.details
    assert talk.until_idle(talk.worker.send(Open("c"))) == [Reading(1.0, "c")]


def test_bad_input_is_a_sentence_without_a_traceback(talk: Talk) -> None:
    events = talk.until_idle(talk.worker.send(Open("bad")))
    assert events == [Notice("error", "bad.jsonl, line 3: not JSON.", "Remove it.")]


def test_waiting_drafts_become_one() -> None:
    inbox = Inbox()
    for serial, value in enumerate((0.1, 0.2, 0.3), 1):
        inbox.put(serial, Set((("top", value),), draft=True))
    inbox.put(4, Set((("top", 0.3),)))
    assert inbox.take(0) == (3, Set((("top", 0.3),), draft=True))
    assert inbox.take(0) == (4, Set((("top", 0.3),)))


def test_cancel_forgets_what_waits() -> None:
    inbox = Inbox()
    inbox.put(1, Look("before", 1))
    inbox.put(2, Signal.CANCEL)
    assert inbox.take(0) == (2, None)
    assert inbox.interruption(1) == "cancel"


def test_a_crash_ends_the_pipe_and_a_restart_works() -> None:
    talk = Talk()
    talk.worker.send(Open("crash"))
    assert next_reply(talk.connection) is None
    talk.worker.release()
    talk.connection = talk.worker.start()
    assert talk.until_idle(talk.worker.send(Open("d"))) == [Reading(1.0, "d")]
    talk.worker.ask_to_end()
    talk.worker.release()


def test_a_deaf_worker_is_ended() -> None:
    talk = Talk()
    talk.worker.send(Open("deaf"))
    talk.next()
    talk.worker.ask_to_end()
    assert not talk.worker.is_alive
    assert next_reply(talk.connection) is None
    talk.worker.release()


async def _later(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return threading.current_thread().name


def test_the_loop_of_model_calls_has_a_thread_of_its_own() -> None:
    assert model_loop().run(_later(0.03), lambda: None) == "models"
    assert model_loop() is model_loop()


def test_what_a_poll_raises_cancels_the_work() -> None:
    ended = threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(300)
        finally:
            ended.set()

    def poll() -> None:
        if time.monotonic() - start > 0.1:
            raise Cancelled

    start = time.monotonic()
    with pytest.raises(Cancelled):
        model_loop().run(work(), poll)
    assert ended.wait(60)
    assert time.monotonic() - start < 60  # not the minutes of the work


@pytest.mark.parametrize(
    "moot", [Compact(), RunProbes(), TryPrompt("middle-out", "text"), LookSummary(), CountSecrets("atif")]
)
def test_what_was_asked_of_a_file_is_not_begun_once_another_is_opened(moot: Command) -> None:
    """Least of all a call that is paid for."""
    inbox = Inbox()
    inbox.put(1, moot)
    inbox.put(2, Open("b.json"))
    assert inbox.take(0) == (2, Open("b.json"))


def test_settings_that_wait_survive_an_open() -> None:
    inbox = Inbox()
    inbox.put(1, Set((("context-limit", 5000),)))
    inbox.put(2, Look("before", 0))
    inbox.put(3, Open("b.json"))
    assert [inbox.take(0), inbox.take(0)] == [(1, Set((("context-limit", 5000),))), (3, Open("b.json"))]
