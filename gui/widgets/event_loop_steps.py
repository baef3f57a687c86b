"""Spreads work over turns of the event loop, so that keys, ticks and paints come in between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from PySide6.QtCore import QObject, QTimer

PAUSE_MS = 5
"""Between two looks at the clock: what waits for the loop has its turn."""


class StepScheduler(QObject):
    """Carries out the steps of one iterator, each in a turn of its own; another one takes its place.

    Every other turn is left to the paints that the step before has asked for.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[None] = iter(())
        self._is_resting = False
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._on_turn)

    @property
    def is_busy(self) -> bool:
        """True while steps are left."""
        return self._timer.isActive()

    def begin(self, steps: Iterator[None]) -> None:
        """Carry these out from a later turn on; what is left of others is dropped."""
        self._steps, self._is_resting = steps, False
        self._timer.start()

    def add(self, steps: Iterator[None]) -> None:
        """Carry these out behind those that are left."""
        self._steps = chain(self._steps, steps)
        self._timer.start()

    def finish(self) -> None:
        """Carry out at once what is left."""
        self._timer.stop()
        for _ in self._steps:
            pass

    def drop(self) -> None:
        """Forget what is left."""
        self._timer.stop()
        self._steps = iter(())

    def _on_turn(self) -> None:
        self._is_resting = not self._is_resting
        if self._is_resting:
            try:
                next(self._steps)
            except StopIteration:
                self._timer.stop()
