"""What is shown is one value: a step that comes back after it was replaced is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.services import lists
from core.app.services.compare import CompareService, ReplayService, SweepService
from core.app.services.inspector import InspectorService
from core.app.services.lists import MessageListService, PanelService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.prompts import PromptService
from core.app.services.side_by_side import SideBySideService
from core.common.errors import Cancelled
from core.presentation.dialog_model import PromptLocation
from core.presentation.screen_model import Screen
from core.preview.options import StageCache
from core.settings_store.settings_file import SavedSettings
from core.trials.trial import Trial
from tests.core.app.recording_workspace import (
    BOTTOM,
    LIMIT,
    STRATEGY,
    RecordingHandler,
    last_event,
)
from tests.support.forked_session import write

PINNED = ((STRATEGY, "excerpt"), (LIMIT, 4_000))


def grow(path: Path) -> None:
    messages = json.loads(path.read_text())
    path.write_text(json.dumps([*messages, {"role": "user", "content": "One more."}]))


def test_the_pages_of_a_file_before_a_reload_are_not_finished(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler(PreviewService.change, ((BOTTOM, 0.5),))
    steps = handler.steps(PanelService.pages)
    next(steps)
    grow(transcript)
    handler(OpenService.reload)
    with pytest.raises(Cancelled):
        next(steps)
    assert len(handler.preview.messages) == 31


def test_a_reload_between_the_steps_of_a_pin_shows_the_pin_and_its_undo(
    handler: RecordingHandler, transcript: Path
) -> None:
    steps = handler.steps(MessageListService.set_pin, "before", 3, "keep")
    next(steps)
    grow(transcript)
    handler(OpenService.reload)
    with pytest.raises(Cancelled):
        next(steps)
    assert (len(handler.preview.messages), [*handler.preview.source.pins]) == (31, [3])
    handler(PreviewService.undo)
    assert (len(handler.preview.messages), handler.marks().keep) == (31, ())


def test_settings_that_another_program_saved_are_shown_as_soon_as_they_are_read(
    handler: RecordingHandler,
) -> None:
    """What the panels were yielding is refused: a screen must follow, for which they are asked
    again."""
    steps = handler.steps(PanelService.pages)
    next(steps)
    SavedSettings().save({BOTTOM: 0.55})
    handler(PromptService.page, PromptLocation())
    with pytest.raises(Cancelled):
        next(steps)
    assert last_event(handler, Screen).generation
    assert handler.setting(BOTTOM) == "55 %"


def test_a_comparison_of_former_settings_ends_and_gives_nothing_to_the_next(
    handler: RecordingHandler,
) -> None:
    names = ("none", "one-shot", "middle-out")
    former = handler.steps(CompareService.compare, names)
    next(former)
    handler(PreviewService.change, ((BOTTOM, 0.6),))
    next(handler.steps(CompareService.cards))  # forgets the rows of the former settings
    with pytest.raises(Cancelled):
        next(former)
    vary = (f"{BOTTOM}=0.2,0.3,0.4",)
    for steps in (
        handler.steps(ReplayService.replay, names),
        handler.steps(SweepService.sweep, vary),
    ):
        next(steps)
        handler(PreviewService.change, ((LIMIT, 9_000),))
        handler(PreviewService.undo)
        next(steps)  # the same settings as before
        handler(PreviewService.change, ((BOTTOM, 0.3),))
        with pytest.raises(Cancelled):
            next(steps)
        handler(PreviewService.undo)


def test_no_cache_of_a_file_is_taken_for_that_of_another(
    handler: RecordingHandler,
) -> None:
    source = handler.call(CompareService.compare, ("none",))[-1].source
    assert len({replace(source, stages=StageCache()).key for _ in range(50)}) == 50


def test_work_on_what_was_shown_ends_with_the_next_change(
    handler: RecordingHandler,
) -> None:
    steps = handler.steps(InspectorService.rounds)
    next(steps)
    handler(PreviewService.change, ((BOTTOM, 0.5),))
    with pytest.raises(Cancelled):
        next(steps)


def test_undo_takes_a_run_back_and_redo_brings_it(handler: RecordingHandler) -> None:
    run = handler.screen(PreviewService.compact, CompactionRequest())
    undone = handler.screen(PreviewService.undo)
    redone = handler.screen(PreviewService.redo)
    assert (run.history.run, undone.history.run, redone.history.run) == ("1", "", "1")


def test_of_two_pins_at_once_both_stand_and_the_result_is_no_run(
    handler: RecordingHandler,
) -> None:
    handler(PreviewService.change, PINNED)
    run = handler.screen(PreviewService.compact, CompactionRequest())
    first = handler.steps(MessageListService.set_pin, "before", 3, "keep")
    next(first)
    both = handler.pin(6, "keep")
    with pytest.raises(Cancelled):
        next(first)
    assert handler.marks().keep == (3, 6)
    assert (run.history.run, both.history.run) == ("1", "")
    assert both.result.heading.startswith(f"{len(both.result.rows)} messages")
    assert handler.screen(PreviewService.undo).history.run == ""
    assert handler.screen(PreviewService.undo).history.run == "1"


def test_a_large_session_is_searched_for_lines_once_that_is_requested(
    handler: RecordingHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "_LARGE", 0)
    (offered,) = handler.call(PanelService.studies, True)
    assert (offered.lines, offered.link[0].link) == ((), "studies:")
    lines, *_, backtest = handler.call(PanelService.studies, True, True)
    assert lines.lines
    assert backtest.text.startswith("Backtest: ")


def test_of_two_results_neither_grows_nor_lacks_lines_to_put_back(
    handler: RecordingHandler,
) -> None:
    handler(SideBySideService.results, Trial("none"), Trial("middle-out"))
    assert handler.call(PanelService.studies, False)[0].lines == ()
    screen = handler.screen(
        SideBySideService.results, Trial("middle-out"), Trial("none")
    )
    assert screen.verdict.gauge.after > screen.verdict.gauge.now
    assert "Grows" not in screen.verdict.size.text


def test_a_comparison_of_a_run_is_not_that_run(handler: RecordingHandler) -> None:
    handler(PreviewService.compact, CompactionRequest())
    beside = handler.screen(
        SideBySideService.results, Trial("middle-out"), Trial("none")
    )
    assert (beside.is_beside, beside.history.run) == (True, "")
    assert handler.screen(PreviewService.change).history.run == "1"


def test_undo_over_a_reload_takes_back_settings_of_the_file_as_it_is(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler(PreviewService.change, ((BOTTOM, 0.5),))
    handler.pin(3, "keep")
    grow(transcript)
    handler(OpenService.reload)
    handler(PreviewService.undo)
    back = handler.screen(PreviewService.undo)
    assert (len(back.source.rows), handler.setting(BOTTOM), handler.marks().keep) == (
        31,
        "20 %",
        (),
    )
    assert (back.history.can_undo, back.history.can_redo) == (False, True)


def test_a_state_that_the_file_has_no_more_is_refused_and_stays_to_be_undone(
    tmp_path: Path,
) -> None:
    path = write(tmp_path)
    handler = RecordingHandler(path)
    for scope in ("before:2", "all"):
        handler(PreviewService.set_scope, scope)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if "ompact" not in line))
    handler(OpenService.reload)
    assert handler(PreviewService.undo).severity == "error"
    handler(PreviewService.change)
    assert last_event(handler, Screen).history.can_undo
