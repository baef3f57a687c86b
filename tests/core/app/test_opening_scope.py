"""The part of a session that a window shows: the current context of a compacted one, until one is
chosen."""

import json
from pathlib import Path

from core.app.services.compare import ReplayService
from core.app.services.preview import OpenService, PreviewService
from tests.core.app.recording_workspace import BOTTOM, RecordingHandler
from tests.core.cli.running_cli import SESSION
from tests.support.forked_session import Line, ai, boundary, summary, text, user


def grow(path: Path, *lines: Line) -> None:
    path.write_text(
        path.read_text("utf-8") + "".join(f"{json.dumps(line)}\n" for line in lines),
        "utf-8",
    )


def test_the_scope_in_which_a_file_opens_follows_a_file_that_grows(
    tmp_path: Path,
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("", "utf-8")
    grow(path, user("u", None, "the main task"), ai("a", "u", text("Well.")))
    sample = RecordingHandler(path)
    sample(PreviewService.change, ((BOTTOM, 0.3),))
    grow(
        path,
        boundary("b", preTokens=50, postTokens=90),
        summary("s", "b"),
        user("v", "s", "and on"),
    )
    assert sample.screen(OpenService.reload).heading.scope == "current"
    assert sample.screen(PreviewService.undo).heading.scope == "current"
    sample(PreviewService.set_scope, "all")
    grow(path, ai("w", "v", text("Yes.")))
    assert sample.screen(OpenService.reload).heading.scope == "all"  # as it was chosen


def test_over_time_goes_through_the_whole_session_from_its_current_context() -> None:
    sample = RecordingHandler(SESSION)
    page = sample.call(ReplayService.replay, ("none",))[-1]
    assert (page.source.options.scope, page.result.scope) == ("all", "all")
    sample(PreviewService.set_scope, "before:1")
    assert sample.call(ReplayService.replay, ("none",))[-1].result.scope == "before:1"
