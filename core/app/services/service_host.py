"""Makes the workspace of a window and its services, whose methods the worker process calls."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import chain, takewhile

from core.app.events import Event
from core.app.remote_methods import LoadedServices
from core.app.workspace import Workspace
from core.formats.registry import FORMATS
from core.presentation.model import Notice
from core.strategies.registry import STRATEGIES
from core.tokens.counter import load_table

_FIRST = ("OpenService", "PanelService")
"""The services that show a file once it is open."""


class ServiceHost(Workspace):
    """A workspace with its services. ``interrupted`` returns why the current work should end."""

    def __init__(
        self, emit: Callable[[Event], None], interrupted: Callable[[], str]
    ) -> None:
        super().__init__(emit, interrupted)
        self.services: dict[str, object] = LoadedServices(self)


def make_host(
    emit: Callable[[Event], None], interrupted: Callable[[], str]
) -> ServiceHost:
    """Return the program's call host.

    Until a file is to be opened, what the first one needs is loaded, too.
    """
    load_table()
    logging.getLogger("foldline").addHandler(_WarningNotices(emit))
    host = ServiceHost(emit, interrupted)
    services = (host.services[name] for name in _FIRST)
    first = chain(FORMATS, STRATEGIES, services)
    for _ in takewhile(lambda _: not interrupted(), first):
        pass
    return host


class _WarningNotices(logging.Handler):
    """Shows warnings of Foldline's log, as about plugins, in the window."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        super().__init__(logging.WARNING)
        self._emit_event = emit

    def emit(self, record: logging.LogRecord) -> None:
        self._emit_event(Notice("warning", record.getMessage(), ""))
