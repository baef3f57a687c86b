"""What a start of the window loads, in which order; errors of a start are one sentence, with exit
code 2."""

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.cli.command_names import is_command
from core.common.errors import InputError
from gui import entry, launcher
from gui.platform_errors import missing_libraries_error
from tests.support.source_tree import ROOT

BEFORE_THE_PAINT = {
    "gc",
    *(
        "core",
        "core.cli",
        "core.cli.command_names",
        "core.common",
        "core.common.errors",
        "core.common.paths",
    ),
    *("core.presentation", "core.presentation.palette"),
    *(
        "gui",
        "gui.app",
        "gui.arguments",
        "gui.entry",
        "gui.language",
        "gui.launcher",
        "gui.main_window",
    ),
    *("gui.platform_errors", "gui.saved_state", "gui.start_page", "gui.widgets"),
    *("gui.widgets.basic_widgets", "gui.widgets.theme", "gui.widgets.theme"),
}
"""Each module costs the first paint up to a millisecond: adding one needs a reason."""


STAGES = (
    "import gui.launcher, gui.entry",
    "import core.cli.command_names; gui.entry.load_qt(); import gui.app",
    "import core.presentation.model, linecache; read = [*linecache.cache]",
    "import gui.start_up",
)
"""What the window imports from its start to the first transcript."""


def modules_after(*stages: str) -> list[set[str]]:
    """Return the modules that a process has loaded after each line of code, and the sources it has
    read."""
    code = "".join(f"{stage}; import sys; print(*sys.modules)\n" for stage in stages)
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", f"read = []\n{code}print(*read)"]
    done = subprocess.run(
        words, capture_output=True, text=True, env=environ, check=True
    )
    return [set(line.split()) for line in done.stdout.split("\n")]


def test_words_that_are_commands() -> None:
    assert is_command(["inspect", "x"])
    assert is_command(["--version"])
    assert not is_command([])
    assert not is_command(["session.jsonl"])


def test_each_stage_of_a_start_loads_only_what_it_needs() -> None:
    """Workers import the launcher again; PySide's own import would read all sources."""
    bare = modules_after("import PySide6.QtWidgets")[0]
    launcher, paint, _, transcript, read, *_ = modules_after(*STAGES)
    assert "PySide6" not in launcher
    assert paint - bare <= BEFORE_THE_PAINT
    assert not [
        one for one in read if one.startswith((f"{ROOT / 'core'}", f"{ROOT / 'gui'}"))
    ]
    assert not {"core.strategies.base", "core.settings.prompts"} & transcript


def test_a_worker_is_started_before_what_is_said_to_it_is_loaded() -> None:
    loaded = modules_after("import core.app.processes")[0]
    assert {one for one in loaded if one.startswith("core")} == {
        *(
            "core",
            "core.app",
            "core.app.processes",
            "core.common",
            "core.common.process_pool",
        )
    }


def test_an_interruption_while_modules_load_is_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["foldline", "strategies"])
    monkeypatch.setattr(
        "core.cli.main.prepare_streams", Mock(side_effect=KeyboardInterrupt)
    )
    assert launcher.main() == 130
    assert capsys.readouterr().err == "Cancelled.\n"


def test_bad_usage_exits_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert entry.run_window(["/no/such/file"]) == 2
    assert capfd.readouterr().err.startswith("There is no file /no/such/file.")


@pytest.mark.parametrize(
    ("with_file", "steps"), [(True, ["worker", "Qt"]), (False, ["Qt"])]
)
def test_with_a_file_the_worker_loads_while_qt_does(
    with_file: bool, steps: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, found = tmp_path / "session.jsonl", list[str]()
    path.write_text("{}\n")

    def load_qt() -> None:
        found.append("Qt")
        raise InputError("Qt is missing.", "Install it.")

    monkeypatch.setattr(entry, "_started_worker", lambda: found.append("worker"))
    monkeypatch.setattr(entry, "load_qt", load_qt)
    assert entry.run_window([str(path)] if with_file else []) == 2
    assert found == steps


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")
@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":4711"}, "DISPLAY=:4711"),
        ({"WAYLAND_DISPLAY": "wayland-4711"}, "WAYLAND_DISPLAY=wayland-4711"),
    ],
)
def test_without_a_display_one_sentence_and_exit_2(
    environ: dict[str, str], said: str
) -> None:
    left_out = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    words = [sys.executable, "-m", "gui"]
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=ROOT, env={**kept, **environ}
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr or (
        "DISPLAY" in str(environ) and missing_libraries_error() in done.stderr
    )


def test_a_missing_library_is_named_with_its_package() -> None:
    said = missing_libraries_error(lambda name: "cursor" not in name)
    assert said == (
        "The system library libxcb-cursor.so.0 is missing; install it with: apt install "
        "libxcb-cursor0."
    )
    assert missing_libraries_error(lambda name: True) == ""
