"""Counts the functions of the product, and their files, that everyday things go through.

``python -m tests.tools.followed`` follows a window and its worker: a sample that is opened, a
switch of the strategy and the choice of a message, until they are shown; then ``foldline compact
FILE -o OUT``.
"""

import os
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

from core.app.rpc import CallRunner
from core.app.services.service_host import make_host
from core.app.worker import EventEmitter, InterruptReason, ServiceHostProtocol
from core.cli.main import run_command_line
from core.common.paths import bundled_samples
from gui.app import build_app, build_window, dispose_window
from gui.arguments import StartOptions
from gui.saved_state import WindowState
from gui.start_up import fill_window
from tests.support.source_tree import ROOT

SAMPLE = str(bundled_samples()[0].path)
PRODUCT = tuple(f"{ROOT / folder}{os.sep}" for folder in ("core", "gui"))


def follow(log: Path) -> set[str]:
    """Write each function that is called from now on to ``log``, unless it is in the returned set,
    which each call of a worker empties."""
    seen, file = set[str](), log.open("a", encoding="utf-8", buffering=1)

    def take(frame: object, event: str, _: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if (
            event == "call"
            and code.co_filename.startswith(PRODUCT)
            and not code.co_name.startswith("<")
        ):
            name = f"{code.co_filename}:{code.co_firstlineno} {code.co_name}"
            if code is CallRunner.start.__code__:
                seen.clear()
            if name not in seen:
                seen.add(name)
                file.write(f"{name}\n")

    threading.setprofile(take)
    sys.setprofile(take)
    return seen


def followed_host(
    log: Path, emit: EventEmitter, interrupted: InterruptReason
) -> ServiceHostProtocol:
    follow(log)
    return make_host(emit, interrupted)


def follow_window(log: Path) -> None:
    app = build_app()
    window = build_window(
        app, StartOptions(theme="light"), WindowState(theme="light"), saves_state=False
    )
    window.show()
    space = fill_window(window, partial(followed_host, log))
    space.open_path(SAMPLE)
    switch, message = (
        partial(space.backend.set_strategy, "one-shot"),
        partial(space.page.go_to, "before", 9),
    )
    seen = follow(log)
    steps = (
        ("opening", str),
        ("a switch of the strategy", switch),
        ("the choice of a message", message),
    )
    for what, act in steps:
        os.truncate(log, 0)
        seen.clear()
        act()
        while not space.page.preview or not space.backend.is_up_to_date:
            app.processEvents()
        space.page.finish()
        app.processEvents()
        report(what, log)
    dispose_window(window)


def report(what: str, log: Path) -> None:
    functions = {*log.read_text("utf-8").splitlines()}
    files = {name.rpartition(":")[0] for name in functions}
    print(f"{what}: {len(functions):,} functions in {len(files):,} files")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= dict.fromkeys(
            ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), folder
        )
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        follow_window(Path(folder, "window.log"))
        follow(command := Path(folder, "command.log"))
        run_command_line(["compact", SAMPLE, "-o", f"{folder}/out.jsonl", "--quiet"])
        report("compact -o", command)
