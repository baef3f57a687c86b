"""The version of Foldline."""

from __future__ import annotations


def installed_version() -> str:
    """Return the installed version, or "unknown" in a folder that was never installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("foldline")
    except PackageNotFoundError:
        return "unknown"
