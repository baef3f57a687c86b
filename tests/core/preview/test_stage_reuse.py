"""Results of stages are reused when a switch is reverted; a run can be cancelled."""

from __future__ import annotations

import pytest

from core.common.errors import Cancelled
from core.presentation.lists import row_texts
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.transcript.model import Conversation
from tests.builders import conversation, exchange, talk
from tests.core.strategies.strategy_running import values

SWITCH = "compression.density.readWritePruning"
TALK = conversation(
    *talk(6), *(one for n in range(6) for one in exchange(f"{n}", "read_file", "line\n" * 90, file_path="a"))
)
BEFORE = row_texts.message_rows(TALK.messages)


def made(stages: StageCache, on: bool, source: Conversation = TALK) -> Preview:
    own = values(compression__strategy="high-density", context_limit=4000, **{SWITCH: on})
    return compute_preview(source, own, PreviewOptions(), stages)


@pytest.mark.parametrize("name", ["middle-out", "high-density", "tiered", "pinned-hybrid"])
def test_a_strategy_can_be_cancelled_while_it_runs(name: str) -> None:
    def stop(fraction: float, text: str) -> None:
        if text == "Compacting":
            raise Cancelled

    stages = StageCache()
    own = values(compression__strategy=name, context_limit=1000)
    with pytest.raises(Cancelled):
        compute_preview(TALK, own, PreviewOptions(progress=stop), stages)
    assert compute_preview(TALK, own, PreviewOptions(), stages) == compute_preview(TALK, own)
