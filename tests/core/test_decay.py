"""Several compactions in a row: what is left of the first source's facts."""

from __future__ import annotations

import pytest

from core.analysis.decay import decay
from core.conversation import Conversation
from core.settings.layers import Layers
from core.settings.values import Values
from core.strategies.high_density import NAME as DENSE
from core.strategies.keys import LIMIT, STRATEGY
from core.strategies.top_down import NAME as TRUNCATION
from tests.builders import ai, conversation, exchange, human


def settings(strategy: str, limit: int) -> Values:
    return Layers().with_session(STRATEGY, strategy).with_session(LIMIT, limit).resolve()


def long() -> Conversation:
    parts = []
    for number in range(30):
        parts += [human(f"Look at part {number}: https://example.org/part/{number} is broken since May.")]
        parts += exchange(f"c{number}", "Read", "text " * 200, file_path=f"/srv/part_{number}/main.py")
        parts += [ai(f"The cause is `retry_{number}`, because it waits for part {number}.")]
    return conversation(*parts)


def test_each_round_can_only_lose() -> None:
    first, second, third = decay(long(), settings(TRUNCATION, 6_000), rounds=3)
    assert first is not None
    assert second is not None
    assert third is not None
    assert 0 < third <= second <= first < 1


def test_rounds_with_nothing_to_do_change_nothing() -> None:
    assert decay(long(), settings(TRUNCATION, 900_000), rounds=2) == (1.0, 1.0)


def test_what_was_edited_is_still_the_sources_own() -> None:
    (one,) = decay(long(), settings(DENSE, 6_000), rounds=1)
    assert one == pytest.approx(1.0, abs=0.2)


def test_without_facts_there_is_no_figure() -> None:
    assert decay(conversation(ai("Well.")), settings(TRUNCATION, 9_000), rounds=1) == (None,)
