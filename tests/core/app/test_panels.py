"""Panels: at once what is known, then what the checks find; fidelity when it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.analysis.fidelity.model import FidelityCategory
from core.app.events import OpenRequest
from core.app.services.export import ExportService
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService, PreviewService
from core.common.errors import Cancelled
from core.common.number_format import UNKNOWN
from core.presentation.dialog_model import ExportRequest
from core.presentation.model import TuningPage
from tests.core.app.recording_session import BOTTOM, RecordingHandler
from tests.core.cli.running_cli import SESSION

SWITCH = "compression.density.fileDedupe"


@pytest.fixture
def handler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingHandler:
    """A chat with a result without a call, which every API refuses."""
    monkeypatch.setattr("core.app.session._MANY", 1)
    call = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Where is the test?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "src/file.py\n" * 200},
        {"role": "tool", "tool_call_id": "nobody", "content": "lost"},
        *({"role": "user", "content": f"And number {number}?"} for number in range(6)),
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    made = RecordingHandler()
    made(OpenService.open, OpenRequest(str(path)))
    made(PreviewService.change, (("compression.strategy", "high-density"), ("context-limit", 100_000)))
    return made


def effects(page: TuningPage) -> set[str]:
    density = SWITCH.rpartition(".")[0]
    return {one.effect for group in page.groups for one in group.controls if one.key.startswith(density)}


def test_what_is_not_known_is_no_number_until_it_was_checked(handler: RecordingHandler) -> None:
    first, checked = handler.call(InspectorService.status)
    validity = f"validity {UNKNOWN}"
    assert [validity in [part.text for part in page.parts] for page in (first, checked)] == [True, False]
    assert len(handler.call(InspectorService.checks)) == 1  # by now it is known
    handler(PreviewService.change, ((SWITCH, False),))
    first, checked = handler.call(InspectorService.tuning)
    assert effects(first) <= {UNKNOWN, ""}
    assert UNKNOWN not in effects(checked)
    handler(PreviewService.change, ((SWITCH, True),))
    assert len(handler.call(InspectorService.tuning)) == 1


def test_what_is_newer_ends_checks_but_an_export_has_them(handler: RecordingHandler, tmp_path: Path) -> None:
    handler.reason = "newer"
    with pytest.raises(Cancelled):
        handler.call(InspectorService.checks)
    handler.reason = ""
    target = tmp_path / "report.html"
    handler.call(ExportService.export, ExportRequest(str(target), "html"))
    assert "nobody" in target.read_text().partition("Lint")[2]


@pytest.fixture
def sample() -> RecordingHandler:
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(SESSION))
    return handler


def test_a_page_tells_how_many_facts_still_stand(sample: RecordingHandler) -> None:
    page = sample.call(InspectorService.fidelity)
    assert 0 < float(page.figure) < 1
    assert {bar.kind for bar in page.bars} <= {kind.value for kind in FidelityCategory}
    assert page.lost == sum(bar.counts[-1] for bar in page.bars)
    assert list(page.lost_indices) == sorted(set(page.lost_indices))
    assert len(page.curve) == 10
    assert sample.tuning.effect is None


def test_the_effect_of_a_change_tells_the_losses_where_both_are_known(sample: RecordingHandler) -> None:
    def last_fact() -> str:
        assert sample.tuning.effect is not None
        return sample.tuning.effect.facts[-1].label

    sample.call(InspectorService.fidelity)
    sample(PreviewService.change, ((BOTTOM, 0.6),))
    assert last_fact() == "tokens after"
    sample.call(InspectorService.fidelity)
    assert last_fact() == "known facts lost"
    sample(PreviewService.change, ((BOTTOM, 0.5),))
    sample(PreviewService.change, ((BOTTOM, 0.4),))  # the one before was never looked at
    sample.call(InspectorService.fidelity)
    assert last_fact() == "tokens after"
