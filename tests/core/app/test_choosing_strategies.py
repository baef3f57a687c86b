"""A strategy that is chosen takes with it the settings that reach a size, wherever it is chosen."""

import json
from pathlib import Path
from shutil import copy

import pytest

from core.app.events import OpenRequest
from core.app.services.lists import PanelService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.settings import SettingsService
from core.common import number_format
from core.common.json_value import Json
from core.common.paths import SAMPLES
from core.presentation.compare.model import StrategyCard
from core.presentation.inspector_model import BacktestPage
from core.settings.schema import EXCERPT_TARGET, LIMIT, STRATEGY
from core.trials.requested_analyses import requested_analyses
from tests.core.app.recording_workspace import RecordingHandler
from tests.support.narrowing import known

TURNS = 40


def message(role: str, content: str, **more: Json) -> Json:
    return {"role": role, "content": content, **more}


def turn(number: int) -> list[Json]:
    """Return a call that uses a name of the plan, and its result."""
    function: Json = {
        "name": "edit",
        "arguments": json.dumps({"text": f"key_{number}"}),
    }
    call: Json = {"id": f"c{number}", "type": "function", "function": function}
    return [
        message("assistant", f"Part {number} follows.", tool_calls=[call]),
        message("tool", "Line. " * 60, tool_call_id=f"c{number}"),
    ]


@pytest.fixture
def planned(tmp_path: Path) -> RecordingHandler:
    """A session whose answers use names of a plan at its start, which truncation drops."""
    plan = "\n".join(f"Step {number} needs key_{number}." for number in range(TURNS))
    messages = [message("user", "Plan it."), message("assistant", plan)]
    messages.append(message("user", "Do it."))
    for number in range(TURNS):
        messages += turn(number)
    path = tmp_path / "planned.json"
    path.write_text(json.dumps([*messages, message("assistant", "Done.")]))
    handler = RecordingHandler(path)
    handler.call(
        PreviewService.change, ((LIMIT, 3_000), (STRATEGY, "top-down-truncation"))
    )
    return handler


def last_page(handler: RecordingHandler) -> BacktestPage:
    page: BacktestPage = handler.call(PanelService.studies, True)[-1]
    return page


def shown_share(handler: RecordingHandler) -> str:
    stages = handler.workspace.opened_file().stages
    found = known(requested_analyses(handler.preview, stages).backtest)
    return number_format.percent(known(found.share), 0)


def test_use_shows_the_share_that_its_notice_promises(
    planned: RecordingHandler,
) -> None:
    offer = known(last_page(planned).offer)
    before, here = planned.preview.sizes.after_tokens, shown_share(planned)
    size, _, name = offer.actions[0].argument.partition(":")
    planned.call(PreviewService.use_strategy, name, float(size))
    assert planned.preview.strategy.name == "excerpt"
    assert 0.9 * before < planned.preview.sizes.after_tokens <= before
    last_page(planned)
    promise = f"would keep {shown_share(planned)} where this keeps {here} ("
    assert offer.text.startswith(promise)


@pytest.fixture
def aimed(tmp_path: Path) -> RecordingHandler:
    handler = RecordingHandler(copy(SAMPLES / "fix-flaky-upload.jsonl", tmp_path))
    handler.call(PreviewService.set_aim, 30_000.0)
    return handler


@pytest.mark.parametrize("name", ["excerpt", "one-shot", "high-density"])
def test_setting_and_line_take_the_aim(aimed: RecordingHandler, name: str) -> None:
    card: StrategyCard = aimed.call(PreviewService.change, ((STRATEGY, name),))
    by_setting = aimed.preview.sizes.after_tokens
    assert (card.name, card.tokens) == (name, by_setting)
    assert by_setting <= 30_000
    aimed.call(PreviewService.undo)
    line = f"/set {STRATEGY} {name}"
    assert known(aimed.call(SettingsService.run_line, line)).tokens == by_setting
    assert aimed.preview.sizes.after_tokens == by_setting


def test_strategy_and_settings_of_an_aim_are_one_step(aimed: RecordingHandler) -> None:
    before = aimed.preview.sizes.after_tokens
    aimed.call(PreviewService.change, ((STRATEGY, "excerpt"),))
    assert aimed.setting(EXCERPT_TARGET) == "30,000 tokens"
    aimed.call(PreviewService.undo)
    assert aimed.preview.sizes.after_tokens == before


def test_a_reset_strategy_takes_the_aim_too(aimed: RecordingHandler) -> None:
    aimed.call(PreviewService.change, ((STRATEGY, "excerpt"),))
    card: StrategyCard = aimed.call(PreviewService.change, ((STRATEGY, None),))
    assert card.name == aimed.preview.strategy.name == "middle-out"
    assert aimed.preview.sizes.after_tokens == card.tokens


def test_settings_that_come_with_a_strategy_decide(aimed: RecordingHandler) -> None:
    chosen = ((STRATEGY, "excerpt"), (EXCERPT_TARGET, 40_000.0))
    assert aimed.call(PreviewService.change, chosen) is None
    assert aimed.preview.sizes.after_tokens > 30_000


def test_an_aim_ends_with_its_file(aimed: RecordingHandler) -> None:
    path = aimed.workspace.opened_file().conversation.document.absolute_path
    aimed(OpenService.open, OpenRequest(str(path)))
    assert aimed.call(PreviewService.change, ((STRATEGY, "one-shot"),)) is None


def test_an_aim_that_needs_a_limit_leaves_the_strategy(
    planned: RecordingHandler,
) -> None:
    planned.call(PreviewService.change, ((LIMIT, None),))
    planned.call(PreviewService.set_aim, 0.1)
    assert planned.call(PreviewService.change, ((STRATEGY, "one-shot"),)) is None
    assert planned.preview.strategy.name == "top-down-truncation"
    assert planned.notices[0].title == "The limit of the model is not known."
