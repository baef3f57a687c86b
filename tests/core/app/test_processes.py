"""The worker process: order, coalescing, interruption, faults, ends of all kinds; calls and
answers."""

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from core.app.events import (
    CompactionRequest,
    Event,
    IdleEvent,
    OpenRequest,
    ReadingProgressEvent,
    WorkerReadyEvent,
    WorkingEvent,
)
from core.app.processes import WorkerProcess, next_reply
from core.app.remote_methods import (
    ANY_TIME,
    LATEST_OF_FILE,
    SERVICES,
    ServiceEntry,
)
from core.app.rpc import (
    Answer,
    Call,
    CallRunner,
    Failed,
    Returned,
    Update,
    call_of,
)
from core.app.services.ask import AskService
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.prompts import PromptService
from core.app.worker import (
    CallQueue,
    EventEmitter,
    InterruptReason,
    WorkerSignal,
    notice_of_error,
    stopped_twice_notice,
)
from core.common.errors import Cancelled, InputError
from core.llm.client import model_loop
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from tests.core.app.fake_service_host import FakeServiceHost


class WorkerClient:
    def __init__(self) -> None:
        self.worker = WorkerProcess(FakeServiceHost)
        self.connection = self.worker.start()

    def next(self) -> tuple[int, Event | Answer]:
        assert self.connection.poll(10), "the worker is silent"
        reply = next_reply(self.connection)
        assert reply is not None, "the worker ended"
        return self.next() if isinstance(reply[1], WorkerReadyEvent) else reply

    def has_ended(self) -> bool:
        """Return whether nothing comes from the worker any more but that it was ready."""
        reply = next_reply(self.connection)
        if reply is not None and isinstance(reply[1], WorkerReadyEvent):
            reply = next_reply(self.connection)
        return reply is None

    def open(self, path: str) -> None:
        self.worker.send(call_of(OpenService.open, OpenRequest(path)))

    def opened(self, path: str) -> list[Any]:
        return self.until_idle(
            self.worker.send(call_of(OpenService.open, OpenRequest(path)))
        )

    def until_idle(self, serial: int) -> list[Any]:
        """Return the events until the worker is idle, and the notices of failed calls."""
        events: list[Any] = []
        while not (
            isinstance((reply := self.next())[1], IdleEvent) and reply[0] >= serial
        ):
            if isinstance(reply[1], Failed) and reply[1].notice is not None:
                events.append(reply[1].notice)
            elif not isinstance(reply[1], (IdleEvent, Returned, Failed)):
                events.append(reply[1])
        return events


@pytest.fixture(scope="module")
def talk() -> Iterator[WorkerClient]:
    talk = WorkerClient()
    yield talk
    talk.worker.send(WorkerSignal.CLOSE)
    talk.worker.wait_for_end()
    talk.worker.release()


class EagerServiceHost(FakeServiceHost):
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
    worker.send(WorkerSignal.CLOSE)
    worker.wait_for_end()
    worker.release()


def test_a_call_sent_ahead_is_taken_over_by_the_same_call_only(
    talk: WorkerClient,
) -> None:
    worker, calls = (
        talk.worker,
        [call_of(OpenService.open, OpenRequest(path)) for path in "ab"],
    )
    worker.send_ahead(calls[0])
    first = worker.serial
    assert worker.send(calls[0]) == first
    assert worker.send(calls[0]) == first + 1
    worker.send_ahead(calls[0])
    assert worker.send(calls[1]) == first + 3
    talk.until_idle(worker.serial)


def test_stop_reading_and_newer_settings_reach_the_work(talk: WorkerClient) -> None:
    for command, reason in (
        (WorkerSignal.STOP_READING, "stop-reading"),
        (call_of(PreviewService.change, (), False), "newer"),
    ):
        talk.open("wait")
        talk.next()
        assert talk.until_idle(talk.worker.send(command))[0].title == reason


def test_a_message_is_read_while_a_model_writes(talk: WorkerClient) -> None:
    talk.open("model")
    assert talk.next()[1] == WorkingEvent("a model writes", 0.0)
    reading = talk.worker.send(call_of(InspectorService.body, "before", 3))
    assert talk.next() == (reading, Returned("before 3"))
    assert talk.until_idle(talk.worker.send(WorkerSignal.CANCEL)) == []


def test_what_changes_something_waits_for_the_model(talk: WorkerClient) -> None:
    talk.open("model")
    talk.next()
    talk.worker.send(call_of(PreviewService.change, (("a", 1),)))
    reading = talk.worker.send(call_of(InspectorService.body, "before", 4))
    assert talk.next() == (reading, Returned("before 4"))
    talk.until_idle(talk.worker.send(WorkerSignal.CANCEL))


@pytest.mark.parametrize(
    ("path", "name"), [("fault", "ZeroDivisionError"), ("panic", "BaseException")]
)
def test_a_fault_becomes_a_notice_and_work_goes_on(
    talk: WorkerClient, path: str, name: str
) -> None:
    (event,) = talk.opened(path)
    assert event.title == f"Something went wrong: {name}."
    assert "Traceback" in event.details
    assert talk.opened("c") == [ReadingProgressEvent(1.0, "c")]


def test_a_crash_ends_the_pipe_and_a_restart_works() -> None:
    talk = WorkerClient()
    talk.open("crash")
    assert talk.has_ended()
    talk.worker.release()
    talk.connection = talk.worker.start()
    assert talk.opened("d") == [ReadingProgressEvent(1.0, "d")]
    talk.worker.send(WorkerSignal.CLOSE)
    talk.worker.wait_for_end()
    talk.worker.release()


def test_a_deaf_worker_is_ended() -> None:
    talk = WorkerClient()
    talk.open("deaf")
    talk.next()
    talk.worker.send(WorkerSignal.CLOSE)
    talk.worker.wait_for_end()
    assert not talk.worker.is_alive
    assert talk.has_ended()
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
        call_of(AskService.run, False),
        call_of(PromptService.try_prompt, "middle-out", "text"),
        call_of(InspectorService.summary, 1),
    ],
)
def test_what_was_asked_of_a_file_is_not_begun_once_another_is_opened(
    moot: Call,
) -> None:
    inbox = CallQueue()
    inbox.put(1, moot)
    inbox.put(2, call_of(OpenService.open, OpenRequest("b.json")))
    assert inbox.take(0) == (2, call_of(OpenService.open, OpenRequest("b.json")))


def test_the_worker_never_imports_qt(talk: WorkerClient) -> None:
    (event,) = talk.until_idle(talk.worker.send(call_of(PreviewService.undo)))
    assert not any(
        name.startswith(("PySide6", "shiboken", "gui")) for name in event.text.split()
    )


class NumberService:
    closed = 0

    def count(self, end: int, *, first: int = 0) -> Iterator[int]:
        try:
            yield from range(first, end)
        finally:
            NumberService.closed += 1

    def refuse(self) -> Iterator[int]:
        yield 1
        raise InputError("No number.", "Give one.")

    def cancelled(self) -> int:
        raise Cancelled

    def prices(self) -> Generator[float, None, None]:
        yield 2e-6

    def private(self) -> None: ...


def test_a_way_out_in_the_window_names_no_option_of_the_command_line() -> None:
    hint = (
        'Choose another file ("foldline list formats" shows what can be read); '
        "--format NAME reads it as that format."
    )
    notice = notice_of_error(InputError("x.json is no transcript.", hint), "open")
    assert (notice.title, notice.text) == (
        "x.json is no transcript.",
        "Choose another file.",
    )


class Caller:
    """A runner and the answers that it sent, as (serial, answer)."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Answer]] = []
        self.runner = CallRunner(
            lambda serial, answer: self.answers.append((serial, answer)),
            notice_of_error,
        )
        self.serial = 0

    def start(self, call: Call) -> None:
        self.serial += 1
        self.runner.start(self.serial, call, {"NumberService": NumberService()})

    def finish(self) -> list[tuple[int, Answer]]:
        while self.runner.next_serial is not None:
            self.runner.step()
        return self.answers


@pytest.fixture
def caller(monkeypatch: pytest.MonkeyPatch) -> Caller:
    methods = dict.fromkeys(("refuse", "cancelled"), ANY_TIME)
    methods |= {"count": LATEST_OF_FILE, "prices": ANY_TIME.shown_by("rows.price")}
    entry = ServiceEntry("", methods)
    monkeypatch.setitem(SERVICES, "NumberService", entry)
    return Caller()


def test_calls_take_turns_and_a_cancelled_one_has_no_notice(caller: Caller) -> None:
    caller.start(call_of(NumberService.count, 2))
    caller.start(call_of(NumberService.refuse))
    caller.start(call_of(NumberService.cancelled))
    assert caller.finish() == [
        (3, Failed()), (1, Update(0)), (2, Update(1)), (1, Update(1)),
        (2, Failed(Notice("error", "No number.", "Give one."))), (1, Returned(None)),
    ]  # fmt: skip


def test_a_newer_call_of_a_latest_method_ends_the_older_one(caller: Caller) -> None:
    before = NumberService.closed
    caller.start(call_of(NumberService.count, 9))
    caller.runner.step()
    caller.start(call_of(NumberService.count, 2, first=1))
    assert NumberService.closed == before + 1
    assert caller.finish() == [
        (1, Update(0)),
        (1, Failed()),
        (2, Update(1)),
        (2, Returned(None)),
    ]


@pytest.mark.parametrize(
    "method", ["NumberService.private", "NumberService.__init__", "os.system"]
)
def test_only_declared_methods_are_called(caller: Caller, method: str) -> None:
    caller.start(Call(method))
    ((_, answer),) = caller.finish()
    assert isinstance(answer, Failed)
    assert answer.notice.severity == "error"


def test_the_window_gets_pages_of_what_others_get_as_values(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.app.rpc.load_presenter", {"rows.price": str}.get)
    caller.start(call_of(NumberService.prices))
    assert caller.finish() == [(1, Update("2e-06")), (1, Returned(None))]
    assert list(NumberService().prices()) == [2e-6]


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess()
    yield worker
    worker.send(WorkerSignal.CLOSE)
    worker.wait_for_end()
    worker.release()


def events(pipe: Connection) -> Iterator[Event | Answer]:
    while (reply := next_reply(pipe)) is not None:
        if isinstance(reply[1], WorkerReadyEvent):
            continue
        yield reply[1]
        if isinstance(reply[1], IdleEvent):
            return


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_worker_killed_at_work_is_replaced_and_the_file_is_as_it_was(
    worker: WorkerProcess, tmp_path: Path
) -> None:
    path = tmp_path / "large.jsonl"  # it takes a while to read and to count
    turns = [
        {"role": ("user", "assistant")[n % 2], "content": f"line {n} " * 60}
        for n in range(800)
    ]
    path.write_text("\n".join(map(json.dumps, turns)))
    before, opening = (
        path.read_bytes(),
        call_of(OpenService.open, OpenRequest(str(path))),
    )
    pipe = worker.start()
    worker.send(opening)
    next(events(pipe))
    killed(worker, pipe, path)  # while it reads
    pipe = worker.start()
    worker.send(opening)
    found = list(events(pipe))
    assert any(isinstance(event, Screen) for event in found)
    assert not any(
        isinstance(event, Notice) and event.severity == "error" for event in found
    )
    worker.send(call_of(PreviewService.compact, CompactionRequest()))
    killed(worker, pipe, path)  # while it previews
    assert path.read_bytes() == before


def killed(worker: WorkerProcess, pipe: Connection, path: Path) -> None:
    """Kill the worker; its pipe ends, and the notice offers to open the file again."""
    process = worker._process
    assert process is not None
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    while next_reply(pipe) is not None:  # until the pipe ends, which it does
        pass
    notice = stopped_twice_notice(worker.ending(), str(path))
    assert f"{notice.title} {notice.text}" == (
        f"Reading {path.name} stopped twice; the system ended it (signal 9), "
        "often because memory ran out."
    )
    assert str(path) in notice.details
    assert [(action.label, action.argument) for action in notice.actions] == [
        ("Open again", str(path))
    ]
    worker.release()
