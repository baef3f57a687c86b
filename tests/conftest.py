"""Fixtures of every test: private folders, no log lines, no window left open, shared data."""

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from core.common.process_pool import ProcessPool
from tests.support.font_sets import use_fonts
from tests.support.pool_here import run_here

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Shared machines make time limits per example flaky; a fixed seed keeps red tests red and green
# ones green.
settings.register_profile(
    "foldline",
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.load_profile("foldline")

_PRINTED = "told"
_DEFERRED_DELETE = (
    52  # QEvent.Type.DeferredDelete, spelled out so that Qt is not imported here
)

_HOME_FOLDERS = {
    "HOME": "",
    "XDG_CONFIG_HOME": "config",
    "XDG_CACHE_HOME": "cache",
    "XDG_STATE_HOME": "state",
    "XDG_DATA_HOME": "data",
    "XDG_RUNTIME_DIR": "run",
}


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(50_000)  # as a worker has it
    folder = use_fonts(Path.home())
    if folder is not None:
        config.add_cleanup(folder.cleanup)
    config.addinivalue_line(
        "markers",
        "logs: the test provokes warnings in the log and looks at them itself",
    )
    config.addinivalue_line(
        "markers", "processes: the test runs a pool of real processes"
    )


def pytest_collection_finish() -> None:
    # what was imported and collected lives to the end; looking at it again and again takes time
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, text in getattr(report, "user_properties", ()):
                if name == _PRINTED and report.when == "call":
                    terminalreporter.write_line(f"\n{text}")


@pytest.fixture
def print_at_end(
    record_property: Callable[[str, object], None],
) -> Callable[[str], None]:
    return partial(record_property, _PRINTED)


@pytest.fixture(scope="session", autouse=True)
def session_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder for what outlives a test, such as a worker of several tests."""
    home_folder = tmp_path_factory.mktemp("house")
    os.environ.update(
        {name: str(home_folder / folder) for name, folder in _HOME_FOLDERS.items()}
    )
    return home_folder


@pytest.fixture(scope="session")
def new_homes(session_home: Path) -> Iterator[Path]:
    """Folders for the homes of tests, numbered here: pytest's ``mktemp`` lists all that were made
    so far."""
    return (session_home / f"home{number}" for number in count())


@pytest.fixture(autouse=True)
def home(new_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, so that nothing reads or writes the machine's."""
    place = next(new_homes)
    place.mkdir(mode=0o700)
    for name, folder in _HOME_FOLDERS.items():
        monkeypatch.setenv(name, os.path.join(place, folder))
    return place


@pytest.fixture(autouse=True)
def jobs_in_this_process(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the jobs of process pools here: new processes would import everything again for each
    test. A test of the processes themselves has the mark ``processes``."""
    if request.node.get_closest_marker("processes") is None:
        monkeypatch.setattr(ProcessPool, "run_polling", run_here)


@pytest.fixture
def qtbot(qapp: Any, request: pytest.FixtureRequest) -> Any:
    """pytest-qt's, with longer waits; Qt is loaded only by tests that use it."""
    from tests.support.patience import PatientBot

    return PatientBot(request)


@pytest.fixture(autouse=True)
def quiet_logs(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fail on log records from WARNING up, unless the test is marked ``logs``."""
    yield
    if request.node.get_closest_marker("logs") is not None:
        return
    records = [
        record for when in ("setup", "call") for record in caplog.get_records(when)
    ]
    unexpected = [
        f"{record.name}: {record.getMessage()}"
        for record in records
        if record.levelno >= logging.WARNING
    ]
    assert not unexpected, f"unexpected log lines: {unexpected}"


@pytest.fixture(autouse=True)
def closed_windows() -> Iterator[None]:
    """Fail where a test leaves a top-level widget open; checked only where a test loaded Qt."""
    before = _windows()
    yield
    windows_left = _new_windows(before)
    if windows_left:  # perhaps only a reference cycle that Python has not yet swept up
        del windows_left
        gc.collect()
        windows_left = _new_windows(before)
    names = [
        f"{type(widget).__name__} {widget.objectName()!r}" for widget in windows_left
    ]
    for widget in windows_left:
        widget.deleteLater()
    assert not names, f"top-level widgets left behind: {names}"


def _windows() -> list[Any]:
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None or widgets.QApplication.instance() is None:
        return []
    widgets.QApplication.sendPostedEvents(None, _DEFERRED_DELETE)
    found = widgets.QApplication.topLevelWidgets()
    return [
        one
        for one in found
        if one.parent() is None and one.metaObject().className() != "QTipLabel"
    ]


def _new_windows(before: list[Any]) -> list[Any]:
    return [one for one in _windows() if not any(one is old for old in before)]


def _shared(folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"{folder} is not beside the project")
    return path


@pytest.fixture(scope="session")
def corpus() -> Path:
    return _shared("corpus")


@pytest.fixture(scope="session")
def golden() -> Path:
    return _shared("golden")
