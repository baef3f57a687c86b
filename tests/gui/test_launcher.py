"""The launcher passes commands to the command line and everything else to the window; errors are one
sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.command_names import is_command
from core.common.errors import InputError
from gui import entry

ROOT = Path(__file__).resolve().parents[2]
BEFORE_THE_PAINT = {
    "gc",
    *("core", "core.cli", "core.cli.command_names", "core.common", "core.common.errors", "core.common.paths"),
    *("core.presentation", "core.presentation.palette"),
    *("gui", "gui.app", "gui.arguments", "gui.entry", "gui.language", "gui.launcher", "gui.main_window"),
    *("gui.platform_errors", "gui.saved_state", "gui.start_page", "gui.widgets"),
    *("gui.widgets.appearance", "gui.widgets.basic_widgets", "gui.widgets.style_sheet", "gui.widgets.theme"),
}
"""Each module costs the first paint up to a millisecond: adding one needs a reason."""


def _python(code: str) -> str:
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environ, check=True
    )
    return done.stdout


def test_words_that_are_commands() -> None:
    assert is_command(["inspect", "x"])
    assert is_command(["--version"])
    assert not is_command([])
    assert not is_command(["session.jsonl"])


_TO_THE_PAINT = (
    "import gui.launcher, core.cli.command_names, gui.entry; gui.entry.load_qt(); import gui.app\n"
)


def test_before_the_first_paint_nothing_loads_but_qt_and_these() -> None:
    bare = _python("import PySide6.QtWidgets, sys; print(*sys.modules)").split()
    loaded = _python(f"{_TO_THE_PAINT}import sys; print(*sys.modules)").split()
    assert set(loaded) - {*bare} <= BEFORE_THE_PAINT


def test_no_source_is_read_to_import_what_the_window_needs() -> None:
    """PySide's own import would read all of it."""
    read = _python(
        f"{_TO_THE_PAINT}import core.presentation.model, linecache; print(*linecache.cache)"
    ).split()
    assert not [one for one in read if one.startswith((f"{ROOT / 'core'}", f"{ROOT / 'gui'}"))]


def test_a_worker_is_started_before_what_is_said_to_it_is_loaded() -> None:
    loaded = _python("import core.app.processes, sys; print(*sys.modules)").split()
    assert {one for one in loaded if one.startswith("core")} == {
        *("core", "core.app", "core.app.processes", "core.common", "core.common.process_pool")
    }


def test_the_window_loads_neither_strategies_nor_prompts_to_show_a_transcript() -> None:
    loaded = _python("import gui.start_up, sys; print(*sys.modules)").split()
    assert not {"core.strategies.base", "core.settings.prompts"} & {*loaded}


def test_the_launcher_loads_no_qt() -> None:
    """Workers import the launcher again when they start; Qt would cost each of them 100 ms."""
    assert "PySide6" not in _python("import gui.launcher, gui.entry, sys; print(*sys.modules)").split()


def test_bad_usage_exits_2(capfd: pytest.CaptureFixture[str]) -> None:
    assert entry.run_window(["/no/such/file"]) == 2
    assert capfd.readouterr().err.startswith("There is no file /no/such/file.")


@pytest.mark.parametrize(("with_file", "steps"), [(True, ["worker", "Qt"]), (False, ["Qt"])])
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
