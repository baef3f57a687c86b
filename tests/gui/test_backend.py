"""BackendClient emits events, drops late ones, replaces a dead worker; the notice of it stays on
top."""

import gc
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from weakref import ref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from core.app.events import Event, OpenRequest
from core.app.processes import WorkerProcess
from core.app.remote_methods import LATEST
from core.app.rpc import Call, Failed, Returned, Update, call_of
from core.app.services.preview import OpenService, PreviewService
from core.app.worker import CallQueue, EventEmitter, InterruptReason
from core.presentation.model import Notice
from gui.backend import BackendClient, collect_due
from gui.remote_call import PendingCall, PendingCalls
from gui.window_content import WindowContent
from tests.core.app.fake_service_host import FakeServiceHost
from tests.gui.window_space import settle, shown_window


class Log(QObject):
    def __init__(self, backend: BackendClient) -> None:
        super().__init__(backend)
        self.events: list[Event] = []
        self.sent: list[object] = []
        backend.notice.connect(self.note)
        backend.reading.connect(self.note)
        backend.working.connect(self.note)
        backend.started.connect(self.sent.append)

    def note(self, event: Event) -> None:
        self.events.append(event)

    def words(self) -> list[str]:
        return [event.title for event in self.events if isinstance(event, Notice)]


@pytest.fixture
def backend(qtbot: QtBot) -> Iterator[BackendClient]:
    backend = BackendClient(host_factory=FakeServiceHost)
    backend.start()
    yield backend
    backend.close()


@pytest.fixture
def log(backend: BackendClient) -> Log:
    return Log(backend)


def test_answers_to_an_older_file_are_dropped(
    qtbot: QtBot, backend: BackendClient, log: Log
) -> None:
    backend.open(OpenRequest("bad"))
    with qtbot.waitSignal(backend.idle, timeout=10_000):
        backend.open(OpenRequest("b"))
    assert log.words() == []


def test_the_whole_preview_is_asked_after_the_last_draft(
    qtbot: QtBot, backend: BackendClient, log: Log
) -> None:
    for value in (0.1, 0.2):
        backend.set_value("top", value, provisional=True)
    assert not backend.is_up_to_date
    qtbot.waitUntil(lambda: backend.is_up_to_date, timeout=10_000)
    assert log.sent[-1] == call_of(PreviewService.change, (("top", 0.2),), False)


def test_a_change_includes_those_that_are_not_confirmed(
    qtbot: QtBot, backend: BackendClient, log: Log
) -> None:
    backend.set_value("top", 0.3)
    backend.set_value("bottom", 0.2)
    qtbot.waitUntil(lambda: backend.is_up_to_date, timeout=10_000)
    backend.set_value("bottom", 0.1)
    assert [call.arguments[0] for call in log.sent if isinstance(call, Call)] == [
        (("top", 0.3),), (("top", 0.3), ("bottom", 0.2)), (("bottom", 0.1),),
    ]  # fmt: skip


def test_a_deaf_worker_is_replaced_after_cancel(
    qtbot: QtBot, backend: BackendClient, log: Log
) -> None:
    with qtbot.waitSignal(backend.working, timeout=10_000):
        backend.open(OpenRequest("deaf"))
    with qtbot.waitSignal(backend.idle, timeout=10_000):
        backend.cancel()
    assert log.words() == ["Cancelled."]
    with qtbot.waitSignal(backend.reading, timeout=10_000):
        backend.open(OpenRequest("again"))


def test_a_crash_is_told_and_work_goes_on(
    qtbot: QtBot, backend: BackendClient, log: Log
) -> None:
    backend.open(OpenRequest("crash"))
    qtbot.waitUntil(lambda: len(log.words()) == 2, timeout=20_000)
    assert log.words() == [
        "Reading was interrupted.",
        "Reading crash stopped twice (exit code 9).",
    ]
    notice = log.events[-1]
    assert isinstance(notice, Notice)
    assert notice.actions[0].argument == "crash"
    with qtbot.waitSignal(backend.reading, timeout=10_000):
        backend.open(OpenRequest("again"))


def test_a_file_that_a_dead_worker_lost_is_opened_by_reading_it_again(
    qtbot: QtBot, backend: BackendClient, log: Log
) -> None:
    backend.open(OpenRequest("crash", "claude_code"))
    qtbot.waitUntil(lambda: len(log.words()) == 2, timeout=20_000)
    with qtbot.waitSignal(backend.notice, timeout=10_000):
        backend.reload()  # this call ends the new worker, too
    assert (
        log.sent == [call_of(OpenService.open, OpenRequest("crash", "claude_code"))] * 3
    )
    with qtbot.waitSignal(backend.reading, timeout=10_000):
        backend.open(OpenRequest("again"))
    backend.reload()
    assert log.sent[-1] == call_of(OpenService.reload)


def test_a_worker_that_cannot_start_is_given_up_after_four_tries(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.backend.START_PAUSES_MS", (0, 10, 40))
    backend = BackendClient(host_factory=_ending_host)
    log, tries = Log(backend), list[int]()
    start = backend._worker.start
    backend._worker.start = lambda: tries.append(1) or start()  # type: ignore[method-assign,func-returns-value]
    with qtbot.waitSignal(backend.notice, timeout=30_000):
        backend.open(OpenRequest("a"))
    qtbot.wait(300)
    assert log.words() == ["Foldline's background process cannot start (exit code 7)."]
    assert len(tries) == 4
    assert not backend.is_busy
    backend.close()


def _ending_host(emit: EventEmitter, interrupted: InterruptReason) -> FakeServiceHost:
    os._exit(7)


def test_while_a_thread_reads_the_collector_runs_by_call_only(
    qtbot: QtBot, backend: BackendClient
) -> None:
    class Circle:
        def __init__(self) -> None:
            self.me = self

    seen = ref(Circle())
    made: list[list[int]] = [[] for _ in range(gc.get_threshold()[0] + 1)]
    assert made
    assert seen() is not None
    collect_due()
    assert seen() is None
    backend.close()
    assert gc.isenabled()


def test_closing_leaves_no_process_and_no_thread(qtbot: QtBot) -> None:
    before = threading.active_count()
    backend = BackendClient(host_factory=FakeServiceHost)
    backend.open(OpenRequest("a"))
    worker: WorkerProcess = backend._worker
    backend.close()
    assert not worker.is_alive
    assert threading.active_count() <= before


def test_an_answer_to_a_widget_that_was_closed_meanwhile_is_ignored(
    qtbot: QtBot,
) -> None:
    class Page(QObject):
        def show(self, words: str, value: int) -> None:
            self.setObjectName(f"{words}{value}")

    kept, closed = Page(), Page()
    for page in (kept, closed):
        call = PendingCall[int]("count", print, print).done(partial(page.show, "n"))
        if page is closed:
            delete(page)
        call.answer(Returned(3))
    assert kept.objectName() == "n3"


def test_the_latest_call_counts_for_each_caller_and_one_that_is_replaced_hears_so() -> (
    None
):
    calls, heard = PendingCalls(lambda _: None), list[tuple[int, object]]()
    page = Call("page", options=LATEST)

    def ask(serial: int, caller: int) -> None:
        pending = PendingCall[int]("page", print, lambda: None)
        pending.progress(lambda value: heard.append((serial, value)))
        pending.done(lambda value: heard.append((serial, value)))
        pending.replaced(lambda: heard.append((serial, "replaced")))
        calls.add(serial, replace(page, caller=caller), pending)

    for serial, caller in enumerate((10, 20, 10), 1):
        ask(serial, caller)
    calls.answer(1, Failed())  # the worker ends the call that is replaced
    calls.answer(2, Returned(5))
    calls.answer(3, Update(6))
    calls.answer(3, Returned(7))
    assert heard == [(1, "replaced"), (2, 5), (3, 6), (3, 7)]


def test_the_queue_of_the_worker_keeps_a_call_for_each_caller() -> None:
    queue = CallQueue()
    page = Call("page", options=LATEST)
    for serial, caller in enumerate((10, 20, 10), 1):
        queue.put(serial, replace(page, caller=caller))
    assert [queue.take(0) for _ in range(2)] == [(2, page), (3, page)]


def test_an_error_goes_when_the_same_call_succeeds() -> None:
    told = list[Notice]()
    calls, methods = (
        PendingCalls(told.append),
        ("Profiles.use", "Profiles.save", "Profiles.use"),
    )
    for serial, method in enumerate(methods):
        calls.add(
            serial, Call(method), PendingCall[None](method, told.append, lambda: None)
        )
    calls.answer(0, Failed(Notice("error", "There is no profile 'b'.", "")))
    calls.answer(1, Returned(None))
    assert [(notice.title, notice.topic) for notice in told] == [
        ("There is no profile 'b'.", "Profiles.use")
    ]
    calls.answer(2, Returned(None))
    assert told[1:] == [Notice("info", "", "", topic="Profiles.use")]


@pytest.fixture
def space(qtbot: QtBot, tmp_path: Path) -> Iterator[WindowContent]:
    path = tmp_path / "chats.jsonl"
    talks = [[{"role": "user", "content": f"Fix the retry, part {n}."}] for n in (1, 2)]
    path.write_text("\n".join(json.dumps({"messages": talk}) for talk in talks))
    with shown_window() as space:
        space.open_controller.open(OpenRequest(str(path), conversation=2))
        settle(qtbot, space)
        space.backend.set_value("compression.preserve-threshold", 0.35)
        settle(qtbot, space)
        yield space


def _kill(space: WindowContent) -> None:
    process = space.backend._worker._process
    assert process is not None
    process.kill()


def _says(space: WindowContent) -> str:
    return space.bar.notices[0].title if space.bar.notices else ""


def _ways_back(space: WindowContent) -> list[QPushButton]:
    buttons = space.bar.findChildren(QPushButton)
    return [one for one in buttons if one.text() == "Open again" and one.isVisible()]


def test_a_lost_worker_is_replaced_once_with_the_same_view(
    qtbot: QtBot, space: WindowContent
) -> None:
    _kill(space)
    qtbot.waitUntil(lambda: _says(space).startswith("Opened again"), timeout=60_000)
    settle(qtbot, space)
    assert _says(space) == "Opened again; nothing was lost."
    assert space.page.isEnabled()
    assert "conversation 2 of 2" in space.toolbar.chip.text()
    view = space.backend._view
    assert view is not None
    assert view.layers.resolve().number("compression.preserve-threshold") == 0.35


def _speaks(space: WindowContent, words: str) -> bool:
    return _says(space).startswith(words)


def _lose_twice(qtbot: QtBot, space: WindowContent) -> None:
    for words in ("Opened again", "Reading chats.jsonl stopped twice"):
        _kill(space)
        qtbot.waitUntil(partial(_speaks, space, words), timeout=60_000)


def test_the_way_back_stays_on_top(qtbot: QtBot, space: WindowContent) -> None:
    _lose_twice(qtbot, space)
    assert not space.page.isEnabled()
    for press in (
        space.window.actions_by_id["compact"].trigger,
        space.window.actions_by_id["compare"].trigger,
        space.window.actions_by_id["replay"].trigger,
        lambda: space.toolbar.strategy.activated.emit(1),
        lambda: space.page.ruler.handle_moved.emit(
            "compression.preserve-threshold", 0.3, True
        ),
    ):
        space.bar.dismiss()  # even if it was closed
        press()
        qtbot.waitUntil(lambda: bool(_ways_back(space)))
        settle(qtbot, space)
        assert _says(space).startswith("Reading chats.jsonl stopped twice")
        assert "No transcript is open." not in [one.title for one in space.bar.notices]


@pytest.mark.parametrize("by_key", [False, True])
def test_what_was_open_is_opened_again_as_it_was(
    qtbot: QtBot, space: WindowContent, by_key: bool
) -> None:
    _lose_twice(qtbot, space)
    qtbot.waitUntil(lambda: bool(_ways_back(space)))
    if by_key:
        space.window.actions_by_id["reload"].trigger()
    else:
        _ways_back(space)[-1].click()
    settle(qtbot, space)
    assert "conversation 2 of 2" in space.toolbar.chip.text()
    assert [one.title for one in space.bar.notices if one.topic == "worker"] == [
        "Opened again; nothing was lost."
    ]
    assert space.page.isEnabled()
    space.window.actions_by_id["compact"].trigger()
    settle(qtbot, space)
    assert space.page.preview is not None
