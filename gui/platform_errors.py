"""Explains in one sentence why Qt cannot open a window; Qt itself would abort the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

LibraryProbe = Callable[[str], bool]

_LIBRARIES = (
    ("libEGL.so.1", "libegl1"),
    ("libGL.so.1", "libgl1"),
    ("libfontconfig.so.1", "libfontconfig1"),
    ("libX11.so.6", "libx11-6"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libfreetype.so.6", "libfreetype6"),
    ("libxcb-cursor.so.0", "libxcb-cursor0"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"),
    ("libxcb-util.so.1", "libxcb-util1"),
    ("libxcb-image.so.0", "libxcb-image0"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    ("libxcb-randr.so.0", "libxcb-randr0"),
    ("libxcb-render.so.0", "libxcb-render0"),
    ("libxcb-render-util.so.0", "libxcb-render-util0"),
    ("libxcb-shape.so.0", "libxcb-shape0"),
    ("libxcb-shm.so.0", "libxcb-shm0"),
    ("libxcb-sync.so.1", "libxcb-sync1"),
    ("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    ("libxcb-xkb.so.1", "libxcb-xkb1"),
    ("libX11-xcb.so.1", "libx11-xcb1"),
)
"""The libraries that Qt needs on Linux, with their Debian packages."""
_DISPLAY_ADVICE = (
    "start Foldline from a desktop session, or under xvfb-run (apt install xvfb)"
)


def display_error(environ: Mapping[str, str]) -> str:
    """Return the error for a Linux session without a display, "" if Qt may try."""
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    if not sys.platform.startswith("linux") or any(environ.get(name) for name in names):
        return ""
    return f"There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; {_DISPLAY_ADVICE}."


def missing_libraries_error(can_load: LibraryProbe | None = None) -> str:
    """Return the error for system libraries that Qt needs and the loader does not find, "" for
    none."""
    missing = [row for row in _LIBRARIES if not (can_load or _can_load)(row[0])]
    if not missing:
        return ""
    names = ", ".join(name for name, _ in missing)
    packages = " ".join(package for _, package in missing)
    is_single = len(missing) == 1
    return (
        f"The system {'library' if is_single else 'libraries'} {names} "
        f"{'is' if is_single else 'are'} missing; "
        f"install {'it' if is_single else 'them'} with: apt install {packages}."
    )


def _can_load(name: str) -> bool:
    import ctypes  # late: needed after a failure only

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def start_error(environ: Mapping[str, str]) -> str:
    """Return the error for a display that Qt could not use."""
    if error := missing_libraries_error():
        return error
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    variables = ", ".join(
        f"{name}={environ[name]}" for name in names if environ.get(name)
    )
    return f"The display cannot be used ({variables}): it refuses the connection; {_DISPLAY_ADVICE}."


def exit_on_fatal(kind: object, context: object, text: str) -> None:
    """Qt message handler during start-up: turns a fatal message into one sentence and exit code
    2."""
    if getattr(kind, "name", "") == "QtFatalMsg":
        print(start_error(os.environ), file=sys.stderr, flush=True)
        os._exit(2)  # Qt would abort as soon as this returns
