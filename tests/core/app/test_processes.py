"""The worker process: order, coalescing, interruption, faults, shutdown."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from core.app.events import CompactionRequest, Event, IdleEvent, OpenRequest, ReadingProgressEvent
from core.app.processes import WorkerProcess, next_reply
from core.app.rpc import Answer, Call, Failed, Returned, call_of
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.probes import ProbeService
from core.app.services.prompts import PromptService
from core.app.worker import CallQueue, EventEmitter, InterruptReason, WorkerSignal
from core.common.errors import Cancelled
from core.llm.client import model_loop
from tests.core.app.fake_service_host import FakeServiceHost


class WorkerClient:
    """A worker and its pipe."""

    def __init__(self) -> None:
        self.worker = WorkerProcess(FakeServiceHost)
        self.connection = self.worker.start()

    def next(self) -> tuple[int, Event | Answer]:
        assert self.connection.poll(10), "the worker is silent"
        reply = next_reply(self.connection)
        assert reply is not None, "the worker ended"
        return reply

    def open(self, path: str) -> None:
        self.worker.send(call_of(OpenService.open, OpenRequest(path)))

    def opened(self, path: str) -> list[Any]:
        return self.until_idle(self.worker.send(call_of(OpenService.open, OpenRequest(path))))

    def until_idle(self, serial: int) -> list[Any]:
        """Return the events until the worker is idle, and the notices of failed calls."""
        events: list[Any] = []
        while not (isinstance((reply := self.next())[1], IdleEvent) and reply[0] >= serial):
            if isinstance(reply[1], Failed) and reply[1].notice is not None:
                events.append(reply[1].notice)
            elif not isinstance(reply[1], (IdleEvent, Returned, Failed)):
                events.append(reply[1])
        return events


@pytest.fixture(scope="module")
def talk() -> Iterator[WorkerClient]:
    talk = WorkerClient()
    yield talk
    talk.worker.ask_to_end()
    talk.worker.release()


class EagerServiceHost(FakeServiceHost):
    """Sends a notice when it is made."""

    def __init__(self, emit: EventEmitter, interrupted: InterruptReason) -> None:
        super().__init__(emit, interrupted)
        emit(ReadingProgressEvent(0.0, "made"))


def test_a_worker_that_started_ahead_is_taken_over_with_its_services() -> None:
    worker = WorkerProcess(EagerServiceHost)
    worker.start_ahead()
    first = worker._process
    connection = worker.start()
    assert worker._process is first
    assert connection.poll(10)
    assert next_reply(connection) == (0, ReadingProgressEvent(0.0, "made"))
    worker.ask_to_end()
    worker.release()


def test_stop_reading_and_newer_settings_reach_the_work(talk: WorkerClient) -> None:
    for command, reason in (
        (WorkerSignal.STOP_READING, "stop-reading"),
        (call_of(PreviewService.change, (), False), "newer"),
    ):
        talk.open("wait")
        talk.next()
        assert talk.until_idle(talk.worker.send(command))[0].title == reason


@pytest.mark.parametrize(("path", "name"), [("fault", "ZeroDivisionError"), ("panic", "BaseException")])
def test_a_fault_becomes_a_notice_and_work_goes_on(talk: WorkerClient, path: str, name: str) -> None:
    (event,) = talk.opened(path)
    assert event.title == f"Something went wrong: {name}."
    assert "Traceback" in event.details
    assert talk.opened("c") == [ReadingProgressEvent(1.0, "c")]


def test_a_crash_ends_the_pipe_and_a_restart_works() -> None:
    talk = WorkerClient()
    talk.open("crash")
    assert next_reply(talk.connection) is None
    talk.worker.release()
    talk.connection = talk.worker.start()
    assert talk.opened("d") == [ReadingProgressEvent(1.0, "d")]
    talk.worker.ask_to_end()
    talk.worker.release()


def test_a_deaf_worker_is_ended() -> None:
    talk = WorkerClient()
    talk.open("deaf")
    talk.next()
    talk.worker.ask_to_end()
    assert not talk.worker.is_alive
    assert next_reply(talk.connection) is None
    talk.worker.release()


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
    "moot",
    [
        call_of(PreviewService.compact, CompactionRequest()),
        call_of(ProbeService.run, False),
        call_of(PromptService.try_prompt, "middle-out", "text"),
        call_of(InspectorService.summary, 1),
    ],
)
def test_what_was_asked_of_a_file_is_not_begun_once_another_is_opened(moot: Call) -> None:
    inbox = CallQueue()
    inbox.put(1, moot)
    inbox.put(2, call_of(OpenService.open, OpenRequest("b.json")))
    assert inbox.take(0) == (2, call_of(OpenService.open, OpenRequest("b.json")))


def test_the_worker_never_imports_qt(talk: WorkerClient) -> None:
    (event,) = talk.until_idle(talk.worker.send(call_of(PreviewService.undo)))
    assert not any(name.startswith(("PySide6", "shiboken", "gui")) for name in event.text.split())
