"""The probe before Qt: each way a window cannot be shown has a sentence with a way out."""

from __future__ import annotations

import socket
from pathlib import Path
from threading import Thread

import pytest

from gui import display
from gui.display import Display, library_trouble, probe, wayland_answers, x_answers


def _yes(name: str) -> bool:
    return True


def _no(name: str) -> bool:
    return False


def test_no_display_at_all() -> None:
    assert "neither DISPLAY nor WAYLAND_DISPLAY" in probe({}, system="linux", loads=_yes).trouble


def test_a_display_that_does_not_answer() -> None:
    found = probe({"DISPLAY": ":7"}, system="linux", loads=_yes, x=_no)
    assert found.trouble.startswith("The display :7 does not answer")


@pytest.mark.parametrize(
    ("library", "package"), [("libEGL.so.1", "libegl1"), ("libxcb-cursor.so.0", "libxcb-cursor0")]
)
def test_a_missing_library_is_named_with_its_package(library: str, package: str) -> None:
    def loads(name: str) -> bool:
        return name != library

    found = probe({"DISPLAY": ":7"}, system="linux", loads=loads, x=_yes)
    wanted = f"The system library {library} is missing; install it with: apt install {package}."
    assert found.trouble == wanted


def test_an_explicit_platform_counts_as_usable() -> None:
    assert probe({"QT_QPA_PLATFORM": "offscreen"}, system="linux", loads=_yes) == Display("")


def test_offscreen_without_the_libraries_of_qt_does_not() -> None:
    assert "libEGL.so.1" in library_trouble(_no)


def test_x_is_used_where_only_x_answers() -> None:
    both = {"DISPLAY": ":7", "WAYLAND_DISPLAY": "wayland-0"}
    assert probe(both, system="linux", loads=_yes, x=_yes, wayland=_no) == Display("", "xcb")
    assert probe(both, system="linux", loads=_yes, x=_no, wayland=_yes) == Display("", "wayland")


def test_other_systems_always_have_a_display() -> None:
    assert probe({}, system="darwin") == Display("")


def test_a_socket_that_closes_at_once_is_no_x_server(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "x:3"))
        server.listen(1)
        assert wayland_answers(str(tmp_path / "x:3"))
    assert not x_answers(f"{tmp_path}/x:3")
    assert not x_answers("nonsense")


def test_a_server_without_other_clients_keeps_one_until_qt_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An X server whose last client leaves starts anew, and refuses whoever comes meanwhile."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "x:3"))
        server.listen(1)
        clients: list[socket.socket] = []
        greeting = Thread(target=lambda: clients.append(_greeted(server)))
        greeting.start()

        def admits(name: str) -> bool:
            greeting.join()
            return not _has_left(clients[0])

        monkeypatch.setattr(display, "_x_admits", admits)
        assert x_answers(f"{tmp_path}/x:3")
        assert not _has_left(clients[0])
        clients[0].close()


def _greeted(server: socket.socket) -> socket.socket:
    client, _ = server.accept()
    client.recv(64)
    client.sendall(b"\1")
    return client


def _has_left(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
