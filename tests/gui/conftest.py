"""Workers of the window's tests."""

from __future__ import annotations

from tests.warm_worker import warm_context, warm_workers

__all__ = ["warm_context", "warm_workers"]
