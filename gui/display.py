"""Asks, before Qt loads, whether a window can be shown here: Qt itself would abort the process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _socket import socket

Loads = Callable[[str], bool]
Answers = Callable[[str], bool]

_ANSWER_SECONDS = 2.0
_HELLO = b"l\0\x0b\0\0\0\0\0\0\0\0\0"
"""An X11 setup request without authorisation: a live server answers it, if only with a refusal."""

GUI_LIBRARIES = (
    ("libEGL.so.1", "libegl1"),
    ("libGL.so.1", "libgl1"),
    ("libfontconfig.so.1", "libfontconfig1"),
    ("libX11.so.6", "libx11-6"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libfreetype.so.6", "libfreetype6"),
)
"""What Qt needs on every platform: library and its Debian package."""
XCB_LIBRARIES = (
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
WAYLAND_LIBRARIES = (
    ("libwayland-client.so.0", "libwayland-client0"),
    ("libwayland-cursor.so.0", "libwayland-cursor0"),
)


class Display(NamedTuple):  # no dataclass: the first paint waits for this module
    """``trouble`` is a sentence with cause and way out, empty where a window can be shown.

    ``platform`` is the Qt platform to ask for, empty where Qt may choose.
    """

    trouble: str
    platform: str = ""


def library_loads(name: str) -> bool:
    """True where the system's loader finds a library."""
    import ctypes  # late, as below: an offscreen start needs neither this nor sockets

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def x_answers(display: str) -> bool:
    """True where an X server answers behind ``display`` ("host:number.screen") and lets us in."""
    host, _, rest = display.rpartition(":")
    number = rest.split(".", 1)[0]
    line = _x_line(host, int(number)) if number.isdigit() else None
    if line is None:
        return False
    if not _x_admits(display):
        line.close()
        return False
    line.detach()  # open to the end: a server whose only client leaves starts anew, and would refuse Qt
    return True


def _x_line(host: str, number: int) -> socket | None:
    import _socket  # the module of sockets makes enums for 2 ms, and the first paint waits

    path = f"/tmp/.X11-unix/X{number}"
    if host.startswith("/"):
        tries = [(_socket.AF_UNIX, f"{host}:{number}")]
    elif host in ("", "unix"):
        tries = [(_socket.AF_UNIX, "\0" + path), (_socket.AF_UNIX, path)]
    else:
        return _answering(_socket.AF_INET, (host.removeprefix("tcp/"), 6000 + number))
    return next((line for family, address in tries if (line := _answering(family, address))), None)


def _answering(family: int, address: str | tuple[str, int], hello: bytes = _HELLO) -> socket | None:
    """An open line to who listens there and answers a hello, if there is one to say; None for nobody."""
    import _socket  # as above

    line = _socket.socket(family, _socket.SOCK_STREAM)
    try:
        line.settimeout(_ANSWER_SECONDS)
        line.connect(address)
        if hello:
            line.sendall(hello)
        if not hello or line.recv(1):
            return line
    except OSError:
        pass
    line.close()
    return None


def _x_admits(display: str) -> bool:
    """Connect as Qt will, with the person's authority file; true where that cannot be tried."""
    import ctypes

    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    xcb.xcb_connection_has_error.argtypes = (ctypes.c_void_p,)
    xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    connection = xcb.xcb_connect(display.encode(), None)
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not failed


def wayland_answers(path: str) -> bool:
    """True where a compositor listens on the socket ``path``."""
    import _socket  # as above

    line = _answering(_socket.AF_UNIX, path, hello=b"")
    if line is not None:
        line.close()
    return line is not None


def _wayland_path(environ: Mapping[str, str]) -> str:
    return str(Path(environ.get("XDG_RUNTIME_DIR", "/"), environ["WAYLAND_DISPLAY"]))


def library_trouble(loads: Loads = library_loads) -> str:
    """Which of the libraries that Qt needs everywhere are missing; empty where none is."""
    return _missing(GUI_LIBRARIES, loads)


def _missing(libraries: tuple[tuple[str, str], ...], loads: Loads) -> str:
    missing = [(name, package) for name, package in libraries if not loads(name)]
    if not missing:
        return ""
    names = ", ".join(name for name, _ in missing)
    packages = " ".join(package for _, package in missing)
    many = len(missing) > 1
    return (
        f"The system {'libraries' if many else 'library'} {names} {'are' if many else 'is'} missing; "
        f"install {'them' if many else 'it'} with: apt install {packages}."
    )


def probe(
    environ: Mapping[str, str],
    *,
    system: str = sys.platform,
    loads: Loads = library_loads,
    x: Answers = x_answers,
    wayland: Answers = wayland_answers,
) -> Display:
    """Find out whether Qt can open a window here, and by which platform."""
    if not system.startswith("linux"):
        return Display("")
    asked = environ.get("QT_QPA_PLATFORM", "").split(":", 1)[0].split(";", 1)[0]
    if asked and asked != "xcb" and not asked.startswith("wayland"):
        return Display("")  # where a library is missing, importing Qt says so: library_trouble
    if trouble := library_trouble(loads):
        return Display(trouble)
    troubles = []
    if environ.get("WAYLAND_DISPLAY") and asked != "xcb":
        trouble = _wayland_trouble(environ, loads, wayland)
        if not trouble:
            return Display("", asked or "wayland")
        troubles.append(trouble)
    if environ.get("DISPLAY") and not asked.startswith("wayland"):
        trouble = _x_trouble(environ["DISPLAY"], loads, x)
        if not trouble:
            return Display("", asked or "xcb")
        troubles.append(trouble)
    return Display(troubles[-1] if troubles else _NO_DISPLAY)


_NO_DISPLAY = (
    "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; "
    "start Foldline from a desktop session, or under xvfb-run (apt install xvfb)."
)


def _x_trouble(display: str, loads: Loads, answers: Answers) -> str:
    if not answers(display):
        return (
            f"The display {display} does not answer or refuses the connection; check DISPLAY and xauth, "
            "or start Foldline under xvfb-run (apt install xvfb)."
        )
    return _missing(XCB_LIBRARIES, loads)


def _wayland_trouble(environ: Mapping[str, str], loads: Loads, answers: Answers) -> str:
    path = _wayland_path(environ)
    if not answers(path):
        return f"The Wayland compositor at {path} does not answer; check WAYLAND_DISPLAY."
    return _missing(WAYLAND_LIBRARIES, loads)
