"""A command handler without a core, for tests of the worker process: the path names the
behaviour."""

import os
import sys
import time
from collections.abc import Callable, Mapping

from core.app.events import OpenRequest, ReadingProgressEvent, WorkingEvent
from core.app.worker import EventEmitter, InterruptReason
from core.common.errors import Cancelled, InputError
from core.presentation.model import Notice
from core.settings.schema import SettingChanges


def _nothing() -> None: ...


class FakeServiceHost:
    """``OpenRequest("…")`` names the behaviour."""

    def __init__(self, emit: EventEmitter, interrupted: InterruptReason) -> None:
        self.services: Mapping[str, object] = {
            "OpenService": self,
            "PreviewService": self,
            "InspectorService": self,
        }
        self.serve_reading: Callable[[], None] = _nothing
        self._emit = emit
        self._interrupted = interrupted

    def undo(self) -> None:
        self._emit(Notice("info", "modules", " ".join(sorted(sys.modules))))

    def body(self, side: str, index: int, is_whole: bool = False) -> str:
        return f"{side} {index}"

    def change(self, values: SettingChanges = (), provisional: bool = False) -> None:
        self._emit(Notice("info", "set", repr(values)))
        time.sleep(0.05 if provisional else 0.0)

    def reload(self) -> None: ...

    def open(self, request: OpenRequest) -> None:
        path = request.path
        if request.view is not None:
            self._emit(Notice("info", "opened again", str(request.view)))
        if path == "wait":
            self._wait()
        elif path == "model":
            self._wait_for_model()
        elif path == "deaf":
            self._emit(WorkingEvent("deaf", 0.0))
            time.sleep(30)
        elif path == "crash":
            os._exit(9)
        elif path == "fault":
            raise ZeroDivisionError("one by nothing")
        elif path == "panic":
            raise BaseException("stack overflow")
        elif path == "bad":
            raise InputError("bad.jsonl, line 3: not JSON.", "Remove it.")
        else:
            self._emit(ReadingProgressEvent(1.0, path))

    def _wait(self) -> None:
        self._emit(WorkingEvent("waiting", 0.0))
        while not (reason := self._interrupted()):
            time.sleep(0.005)
        if reason == "cancel":
            raise Cancelled
        self._emit(Notice("info", reason, ""))

    def _wait_for_model(self) -> None:
        self._emit(WorkingEvent("a model writes", 0.0))
        while self._interrupted() != "cancel":
            self.serve_reading()
            time.sleep(0.005)
        raise Cancelled
