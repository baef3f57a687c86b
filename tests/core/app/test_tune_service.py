"""A search of settings in the worker: what its result says after the session's settings have
changed."""

from pathlib import Path

from core.app.services.preview import PreviewService
from core.app.services.tune import TuneService
from core.presentation.compare.tune_page import tune_page
from core.settings.schema import LIMIT, STRATEGY
from core.trials.tune_values import TuneRequest
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import SESSION
from tests.core.trials.test_tune_command import NAME, write_sessions

OUTDATED = "Settings have changed since"


def test_a_result_stays_with_its_own_settings_and_says_that_others_have_changed(
    tmp_path: Path,
) -> None:
    handler, request = (
        RecordingHandler(SESSION),
        TuneRequest(strategies=(NAME,), budget=0.3, runs=4),
    )
    folder = write_sessions(tmp_path / "sessions", 4)
    handler.call(PreviewService.change, ((STRATEGY, "high-density"),))
    handler.call(TuneService.open, [folder], request)
    *_, found = handler.call(TuneService.tune, False, "cores:1")
    (row,) = tune_page(found).rows
    handler.call(PreviewService.change, row.changes)
    (kept,) = handler.call(TuneService.current_state)
    assert OUTDATED not in tune_page(kept).footnote
    assert handler.call(TuneService.open, [folder], request).resumed > 0
    *_, again = handler.call(TuneService.tune, False, "cores:1")
    assert again.result.strategies == found.result.strategies
    handler.call(PreviewService.change, ((LIMIT, 50_000),))
    (changed,) = handler.call(TuneService.current_state)
    page = tune_page(changed)
    assert page.footnote.startswith(OUTDATED)
    assert page.rows == (row,)
    assert handler.call(TuneService.open, [folder], request).resumed == 0
