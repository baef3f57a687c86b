"""Fidelity in the worker: computed when it is shown, with the effect of the last change."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.analysis.fidelity.model import FidelityCategory
from core.app.events import OpenRequest
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService, PreviewService
from core.presentation.inspector_model import FidelityPage
from tests.core.app.recording_session import BOTTOM, RecordingHandler

SAMPLE = Path(__file__).parents[3] / "resources" / "samples"
SESSION = next(iter(sorted(SAMPLE.glob("*.jsonl"))))


@pytest.fixture
def handler() -> RecordingHandler:
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(str(SESSION)))
    return handler


def fidelity_page(handler: RecordingHandler) -> FidelityPage:
    page = handler.call(InspectorService.fidelity)
    assert isinstance(page, FidelityPage)
    return page


def test_a_page_tells_how_many_facts_still_stand(handler: RecordingHandler) -> None:
    page = fidelity_page(handler)
    assert 0 < float(page.figure) < 1
    assert {bar.kind for bar in page.bars} <= {kind.value for kind in FidelityCategory}
    assert page.lost == sum(bar.counts[-1] for bar in page.bars)
    assert list(page.lost_indices) == sorted(set(page.lost_indices))
    assert len(page.curve) == 10
    assert handler.tuning.effect is None


def test_the_effect_of_a_change_tells_the_losses_where_both_are_known(handler: RecordingHandler) -> None:
    def last_fact() -> str:
        assert handler.tuning.effect is not None
        return handler.tuning.effect.facts[-1].label

    fidelity_page(handler)
    handler(PreviewService.change, ((BOTTOM, 0.6),))
    assert last_fact() == "tokens after"
    fidelity_page(handler)
    assert last_fact() == "known facts lost"
    handler(PreviewService.change, ((BOTTOM, 0.5),))
    handler(PreviewService.change, ((BOTTOM, 0.4),))  # the one before was never looked at
    fidelity_page(handler)
    assert last_fact() == "tokens after"
