"""The asyncio loop on which calls of models run and can be cancelled."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cache
from threading import Thread
from typing import Any, TypeVar

_POLL_SECONDS = 0.02
_T = TypeVar("_T")


class EventLoopThread:
    """An asyncio loop on a thread of its own: calls of models run there and can be cancelled."""

    def __init__(self) -> None:
        import asyncio  # late: the window loads this module and calls no model

        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, name="models", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, _T], poll: Callable[[], None]) -> _T:
        """The result of ``work``, waiting for it on the caller's thread.

        ``poll`` is called every 20 ms and once at the end, on the caller's thread; what it raises
        cancels the work, which ends its connection, and is raised at once.
        """
        import asyncio
        from concurrent.futures import wait

        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while not future.done():
                poll()
                wait((future,), _POLL_SECONDS)
            poll()
        except BaseException:
            future.cancel()
            raise
        return future.result()


@cache
def model_loop() -> EventLoopThread:
    """The loop of this process, started at the first call of a model."""
    return EventLoopThread()
