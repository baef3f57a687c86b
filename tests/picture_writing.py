"""Pictures of a model at work: ``python -m tests.picture_writing THEME SIZE QUESTION.png WRITING.png``.

A real window on a real worker calls a loopback server that answers slowly.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from core.common.paths import bundled_samples
from tests.loopback import Reply, run_loopback

SUMMARY = """<state_snapshot>
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


def main(theme: str, size: str, question: Path, writing: Path) -> int:
    """Take both pictures; 0."""
    home = Path(tempfile.mkdtemp())
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(home)
    os.environ["LOCAL_KEY"] = "not-a-key"
    with run_loopback(Reply(SUMMARY, pace=0.1)) as server:
        from core.configuration.profile_store import ProfileStore
        from core.settings.profile import Profile

        url = server.base_url("anthropic")
        ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5", url, key_env="LOCAL_KEY"))
        _take(theme, size, question, writing)
    return 0


def _take(theme: str, size: str, question: Path, writing: Path) -> None:
    from PySide6.QtTest import QTest  # noqa: TID251 - the window is what is pictured

    from gui.app import build_app, build_window, dispose_window
    from gui.arguments import StartOptions
    from gui.saved_state import WindowState
    from gui.start_up import fill_window

    app = build_app()
    window = build_window(app, StartOptions(), WindowState(theme=theme), saves_state=False)
    width, height = (int(part) for part in size.split("x"))
    window.resize(width, height)
    window.show()
    space = fill_window(window)
    seen: list[str] = []
    space.session.writing.connect(lambda one: seen.append(one.text))
    space.open_path(str(bundled_samples()[0].path))
    _wait(space.session)
    space.dialogs.use_profile("haiku")
    _wait(space.session)
    space.session.compact()
    _wait(space.session)
    window.grab().save(str(question))
    space.session.compact(agreed=True)
    while not seen or len(seen[-1]) < 300:
        QTest.qWait(50)
    window.grab().save(str(writing))
    space.session.cancel()
    _wait(space.session)
    dispose_window(window)


def _wait(session: object) -> None:
    from PySide6.QtTest import QTest  # noqa: TID251 - the window is what is pictured

    QTest.qWait(50)
    while not getattr(session, "is_up_to_date", True):
        QTest.qWait(20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
