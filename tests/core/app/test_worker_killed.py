"""A killed worker: its end is reported, and the next one opens the file again."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from core.app.events import CompactionRequest, Event, IdleEvent, OpenRequest
from core.app.processes import WorkerProcess, next_reply
from core.app.rpc import Answer, call_of
from core.app.services.preview import OpenService, PreviewService
from core.app.worker import restart_notice
from core.presentation.model import Notice, Screen

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess()
    yield worker
    worker.ask_to_end()
    worker.release()


def events(pipe: Connection) -> Iterator[Event | Answer]:
    while (reply := next_reply(pipe)) is not None:
        yield reply[1]
        if isinstance(reply[1], IdleEvent):
            return


def test_a_worker_killed_at_work_is_replaced_and_the_file_is_as_it_was(
    worker: WorkerProcess, tmp_path: Path
) -> None:
    path = tmp_path / "large.jsonl"  # it takes a while to read and to count
    turns = [{"role": ("user", "assistant")[n % 2], "content": f"line {n} " * 60} for n in range(800)]
    path.write_text("\n".join(map(json.dumps, turns)))
    before, opening = path.read_bytes(), call_of(OpenService.open, OpenRequest(str(path)))
    pipe = worker.start()
    worker.send(opening)
    next(events(pipe))
    killed(worker, pipe, path)  # while it reads
    pipe = worker.start()
    worker.send(opening)
    found = list(events(pipe))
    assert any(isinstance(event, Screen) for event in found)
    assert not any(isinstance(event, Notice) and event.severity == "error" for event in found)
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
    notice = restart_notice(worker.ending(), str(path))
    assert notice.title == "The worker process ended unexpectedly (signal 9)."
    assert [(action.label, action.argument) for action in notice.actions] == [("Open it again", str(path))]
    worker.release()
