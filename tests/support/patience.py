"""A QtBot with longer waits, for slow or busy machines."""

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot

PATIENCE_MS = 120_000
"""No wait for something that will come ends earlier; one that ends is a failure, not a slow day."""


class PatientBot(QtBot):
    """Waits at least PATIENCE_MS where a timeout fails the test."""

    def waitUntil(
        self, callback: Callable[[], bool | None], *, timeout: int = 0
    ) -> None:
        super().waitUntil(callback, timeout=max(timeout, PATIENCE_MS))

    def waitSignal(
        self, signal: Any, *, timeout: int = 0, raising: bool | None = None, **more: Any
    ) -> Any:
        """Keep a wait with ``raising`` False short: it checks that no signal is sent."""
        wait = timeout if raising is False else max(timeout, PATIENCE_MS)
        return super().waitSignal(signal, timeout=wait, raising=raising, **more)

    def waitActive(self, widget: Any, *, timeout: int = 0) -> Any:
        return super().waitActive(widget, timeout=max(timeout, PATIENCE_MS))

    def waitExposed(self, widget: Any, *, timeout: int = 0) -> Any:
        return super().waitExposed(widget, timeout=max(timeout, PATIENCE_MS))
