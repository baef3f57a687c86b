"""If no window can be opened, one sentence says why, with the way out and exit code 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gui.platform_errors import missing_libraries_error

ROOT = Path(__file__).resolve().parents[2]


def _opened(**environ: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    del environment["QT_QPA_PLATFORM"]
    return subprocess.run(
        [sys.executable, "-m", "gui"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**environment, **environ},
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")
@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":4711"}, "DISPLAY=:4711"),
        ({"WAYLAND_DISPLAY": "wayland-4711"}, "WAYLAND_DISPLAY=wayland-4711"),
    ],
)
def test_without_a_display_one_sentence_and_exit_2(environ: dict[str, str], said: str) -> None:
    done = _opened(**environ)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr or ("DISPLAY" in str(environ) and missing_libraries_error() in done.stderr)


def test_a_missing_library_is_named_with_its_package() -> None:
    said = missing_libraries_error(lambda name: "cursor" not in name)
    assert said == (
        "The system library libxcb-cursor.so.0 is missing; install it with: apt install libxcb-cursor0."
    )
    assert missing_libraries_error(lambda name: True) == ""
