"""The asyncio loop for model calls, which can be cancelled there."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cache
from threading import Thread
from typing import Any, TypeVar

_POLL_SECONDS = 0.02
_T = TypeVar("_T")


class EventLoopThread:
    """An asyncio loop on its own thread."""

    def __init__(self) -> None:
        import asyncio  # late: the window loads this module and calls no model

        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, name="models", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, _T], poll: Callable[[], None]) -> _T:
        """Run ``work`` and wait for its result on the caller's thread. ``poll`` is called there every 20 ms
        and once at the end; what it raises cancels the work, which ends its connection, and is raised at
        once."""
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
    """Return the loop of this process, started at the first call."""
    return EventLoopThread()
