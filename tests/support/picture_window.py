"""Pictures of a window at work: ``python -m tests.support.picture_window NAME THEME SIZE
OUT.png…``.

``put-back`` and ``agent`` show hybrid, ``writing`` the question before a call and a growing
summary. A real window on a real worker calls a loopback server; the agent there calls the four
tools by a script.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from core.common.paths import bundled_samples
from core.settings.schema import HYBRID_MODE, LIMIT, STRATEGY, SettingValue
from core.strategies.hybrid import NAME
from core.strategies.hybrid_agent import METADATA, MODE, RESULT, SEGMENT, VERIFY
from core.transcript.scopes import ALL
from tests.support.loopback import Reply, reply_with_calls, run_loopback

if TYPE_CHECKING:
    from gui.window_content import WindowContent

PUT_BACK = 17  # the log of a failed run
SEEN = (4, 17, 26)
"""Results that the agent compresses one by one, by index."""
SUMMARY = (
    "Reproduced the flaky upload on CI: the server closes idle connections after 5 s, the pool keeps them "
    "for 30 s. Ruled out the fake store and the number of retries. Nothing is changed yet."
)
AGENT_REPLIES = (
    reply_with_calls((METADATA, {})),
    reply_with_calls(
        *(
            (RESULT, {"message_index": place, "strategy": "use_curator_cache"})
            for place in SEEN
        )
    ),
    reply_with_calls((VERIFY, {})),
    reply_with_calls(
        (
            SEGMENT,
            {
                "start_index": 145,
                "end_index": 147,
                "summary": "The test is stable now.",
            },
        ),
        (SEGMENT, {"start_index": 41, "end_index": 57, "summary": SUMMARY}),
        (SEGMENT, {"start_index": 1, "end_index": 40, "summary": SUMMARY}),
    ),
    reply_with_calls((VERIFY, {})),
    Reply(text="The target is reached."),
)
SNAPSHOT = """<state_snapshot>
<overall_goal>Make the upload test reliable on CI without touching the public API.</overall_goal>
<key_knowledge>
- The server closes idle connections after 5 s; the pool kept them for 30 s.
- should_retry keeps its signature; no new dependencies.
</key_knowledge>
<current_progress>
- src/acme_uploader/retry.py: edited, retries only before the first body byte.
- tests/upload/test_half_closed.py: written, passes.
</current_progress>
</state_snapshot>"""


def _show_all(space: WindowContent) -> None:
    space.backend.set_scope(ALL)
    _wait(space)


def put_back(space: WindowContent, out: Sequence[str]) -> None:
    _set(space, {STRATEGY: NAME, LIMIT: 120_000})
    _show_all(space)
    space.backend.restore_message(PUT_BACK, True)
    _wait(space)
    space.page.go_to("before", PUT_BACK)
    space.page.show_tab("why")
    _wait(space)
    space.window.grab().save(out[0])


def agent(space: WindowContent, out: Sequence[str]) -> None:
    _set(space, {STRATEGY: NAME, LIMIT: 120_000, HYBRID_MODE: MODE})
    _show_all(space)
    space.dialogs.choose_summary_profile("haiku")
    _wait(space)
    space.backend.compact()  # asks; only what was asked can be agreed to
    _wait(space)
    space.backend.compact(agreed=True)
    _wait(space)
    space.page.show_run_report()
    _wait(space)
    space.window.grab().save(out[0])


def writing(space: WindowContent, out: Sequence[str]) -> None:
    from PySide6.QtTest import QTest  # noqa: TID251 - the window is what is pictured

    seen: list[str] = []
    space.backend.writing.connect(lambda one: seen.append(one.text))
    space.dialogs.choose_summary_profile("haiku")
    _wait(space)
    space.backend.compact()
    _wait(space)
    space.window.grab().save(out[0])
    space.backend.compact(agreed=True)
    while not seen or len(seen[-1]) < 300:
        QTest.qWait(50)
    space.window.grab().save(out[1])
    space.backend.cancel()
    _wait(space)


PICTURES: Mapping[
    str, tuple[Callable[[WindowContent, Sequence[str]], None], tuple[Reply, ...]]
] = {
    "put-back": (put_back, AGENT_REPLIES),
    "agent": (agent, AGENT_REPLIES),
    "writing": (writing, (Reply(text=SNAPSHOT, pace=0.1),)),
}


def main(name: str, theme: str, size: str, *out: str) -> None:
    home = tempfile.mkdtemp()
    places = dict.fromkeys(
        ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), home
    )
    os.environ.update({**places, "LOCAL_KEY": "not-a-key"})
    take, replies = PICTURES[name]
    with run_loopback(*replies) as server:
        from core.settings.profile import Profile
        from core.settings_store.profile_store import ProfileStore
        from gui.app import build_app, build_window, dispose_window
        from gui.arguments import StartOptions
        from gui.saved_state import WindowState
        from gui.start_up import fill_window

        url = server.base_url("anthropic")
        ProfileStore().save(
            Profile(
                name="haiku",
                provider="anthropic",
                model="claude-haiku-4-5",
                base_url=url,
                key_env="LOCAL_KEY",
            )
        )
        app = build_app()
        window = build_window(
            app, StartOptions(), WindowState(theme=theme), saves_state=False
        )
        width, height = (int(part) for part in size.split("x"))
        window.resize(width, height)
        window.show()
        space = fill_window(window)
        space.open_path(str(bundled_samples()[0].path))
        _wait(space)
        take(space, out)
        dispose_window(window)


def _set(space: WindowContent, values: Mapping[str, SettingValue]) -> None:
    for key, value in values.items():
        space.backend.set_value(key, value)
        _wait(space)


def _wait(space: WindowContent) -> None:
    from PySide6.QtTest import QTest  # noqa: TID251 - the window is what is pictured

    QTest.qWait(50)
    while not space.backend.is_up_to_date:
        QTest.qWait(20)
    QTest.qWait(50)


if __name__ == "__main__":
    main(*sys.argv[1:])
