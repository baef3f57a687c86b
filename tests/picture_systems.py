"""Pictures of hybrid: ``python -m tests.picture_systems put-back|agent THEME SIZE OUT.png``.

A real window on a real worker; the agent is a loopback server that calls the four tools by a script.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from core.common.paths import bundled_samples
from core.settings.keys import HYBRID_MODE, LIMIT, STRATEGY
from core.settings.schema import SettingValue
from core.strategies.hybrid.agent_mode import MODE
from core.strategies.hybrid.agent_tools import METADATA, RESULT, SEGMENT, VERIFY
from core.strategies.hybrid.strategy import NAME
from tests.loopback import Reply, reply_with_calls, run_loopback

if TYPE_CHECKING:
    from gui.workspace import Workspace

PUT_BACK = 17  # the log of a failed run
SEEN = (4, 17, 26)
"""Results that the agent compresses one by one, by index."""

SUMMARY = (
    "Reproduced the flaky upload on CI: the server closes idle connections after 5 s, the pool keeps them "
    "for 30 s. Ruled out the fake store and the number of retries. Nothing is changed yet."
)
SCRIPT = (
    reply_with_calls((METADATA, {})),
    reply_with_calls(
        *((RESULT, {"message_index": place, "strategy": "use_curator_cache"}) for place in SEEN)
    ),
    reply_with_calls((VERIFY, {})),
    reply_with_calls(
        (SEGMENT, {"start_index": 145, "end_index": 147, "summary": "The test is stable now."}),
        (SEGMENT, {"start_index": 41, "end_index": 57, "summary": SUMMARY}),
        (SEGMENT, {"start_index": 1, "end_index": 40, "summary": SUMMARY}),
    ),
    reply_with_calls((VERIFY, {})),
    Reply("The target is reached."),
)


def put_back(space: Workspace) -> None:
    """Restore a result; the Why tab shows it."""
    _set(space, {STRATEGY: NAME, LIMIT: 120_000})
    space.session.restore_message(PUT_BACK, True)
    _wait(space)
    space.page.go_to("before", PUT_BACK)
    space.page.show_tab("why")
    _wait(space)


def agent(space: Workspace) -> None:
    """Show a run of the agent."""
    _set(space, {STRATEGY: NAME, LIMIT: 120_000, HYBRID_MODE: MODE})
    space.dialogs.use_profile("haiku")
    _wait(space)
    space.session.compact(agreed=True)
    _wait(space)
    space.page.show_run_report()
    _wait(space)


PICTURES: Mapping[str, Callable[[Workspace], None]] = {"put-back": put_back, "agent": agent}


def main(name: str, theme: str, size: str, out: Path) -> int:
    """Take one of the pictures."""
    home = Path(tempfile.mkdtemp())
    for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = str(home)
    os.environ["LOCAL_KEY"] = "not-a-key"
    with run_loopback(*SCRIPT) as server:
        from core.configuration.profile_store import ProfileStore
        from core.settings.profile import Profile

        url = server.base_url("anthropic")
        ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5", url, key_env="LOCAL_KEY"))
        with _window(theme, size) as space:
            PICTURES[name](space)
            space.window.grab().save(str(out))
    return 0


@contextmanager
def _window(theme: str, size: str) -> Iterator[Workspace]:
    """A window of that size with the first sample open."""
    from gui.app import build_app, build_window, dispose_window
    from gui.arguments import StartOptions
    from gui.saved_state import WindowState
    from gui.start_up import fill_window

    window = build_window(build_app(), StartOptions(), WindowState(theme=theme), saves_state=False)
    width, height = (int(part) for part in size.split("x"))
    window.resize(width, height)
    window.show()
    space = fill_window(window)
    space.open_path(str(bundled_samples()[0].path))
    _wait(space)
    yield space
    dispose_window(window)


def _set(space: Workspace, values: Mapping[str, SettingValue]) -> None:
    for key, value in values.items():
        space.session.set_value(key, value)
        _wait(space)


def _wait(space: Workspace) -> None:
    from PySide6.QtTest import QTest  # noqa: TID251 - the window is what is pictured

    QTest.qWait(50)
    while not space.session.is_up_to_date:
        QTest.qWait(20)
    QTest.qWait(50)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])))
