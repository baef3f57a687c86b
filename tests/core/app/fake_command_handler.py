"""A command handler without a core, for tests of the worker process: the path names the behaviour."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from core.app.messages import (
    ChangeSettingsCommand,
    Command,
    LoadBodyCommand,
    OpenFileCommand,
    ReadingProgressEvent,
    WorkingEvent,
)
from core.app.worker import EventEmitter, InterruptReason
from core.common.errors import Cancelled, InputError
from core.presentation.model import Notice


class FakeCommandHandler:
    """Records its commands; ``OpenFileCommand("…")`` names the behaviour."""

    services: Mapping[str, object] = {}

    def __init__(self, emit: EventEmitter, interrupted: InterruptReason) -> None:
        self._emit = emit
        self._interrupted = interrupted
        self._commands: list[str] = []

    def handle(self, command: Command) -> None:
        if isinstance(command, OpenFileCommand):
            self._open(command.path)
        elif isinstance(command, ChangeSettingsCommand):
            self._emit(Notice("info", "set", repr(command.values)))
            time.sleep(0.05 if command.draft else 0.0)
        elif isinstance(command, LoadBodyCommand):
            self._emit(Notice("info", "modules", " ".join(sorted(sys.modules))))

    def _open(self, path: str) -> None:
        if path == "wait":
            self._emit(WorkingEvent("waiting", 0.0))
            while not (reason := self._interrupted()):
                time.sleep(0.005)
            if reason == "cancel":
                raise Cancelled
            self._emit(Notice("info", reason, ""))
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
