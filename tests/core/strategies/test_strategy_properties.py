"""Properties of every strategy with every setting, over generated and real histories."""

import copy
from collections import Counter

import pytest
from hypothesis import given, reject
from hypothesis import settings as profile
from hypothesis import strategies as st

from core.common.errors import CompactionFailed
from core.settings.schema import Mode, Values
from core.strategies.draft import curated_indices
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message
from tests.core.histories import histories, loose_ends
from tests.core.strategies.strategy_running import run, tokens, values
from tests.support.builders import SURVIVING
from tests.support.sampling import sampled

fractions = st.sampled_from((0.0, 0.05, 0.2, 0.4, 0.5, 0.9, 1.0))


@st.composite
def settings(draw: st.DrawFn) -> Values:
    return values(
        compression_preserve_threshold=draw(fractions),
        compression_top_preserve_threshold=draw(fractions),
        compression_threshold=draw(st.sampled_from((0.1, 0.5, 0.85, 1.0))),
        compression__density__compress_headroom=draw(st.sampled_from((0.1, 0.6, 1.0))),
    )


limits = st.sampled_from((1, 50, 300, 1000, 5000))


def done(
    name: str, messages: tuple[Message, ...], effective: Values, limit: int
) -> Compaction:
    try:
        return run(name, messages, effective, limit=limit)
    except CompactionFailed:  # the request does not fit the window
        reject()


def check(messages: tuple[Message, ...], result: Compaction) -> None:
    assert not loose_ends(result.messages) - loose_ends(messages)
    assert tokens(result.messages) <= tokens(messages)
    assert len(result.fates) == len(messages)
    assert len(result.origins) == len(result.messages)
    counts = Counter(index for sources in result.origins for index in sources)
    alive = {index for index, fate in enumerate(result.fates) if fate.kind in SURVIVING}
    assert set(counts) == alive
    assert set(counts.values()) <= {1}
    for place, sources in enumerate(result.origins):
        if place not in result.inserted:
            assert len(sources) == 1
            kept = result.fates[sources[0]].kind is FateKind.KEPT
            assert (result.messages[place] == messages[sources[0]]) is kept


@pytest.mark.req("REQ-CS-002.3", "REQ-CS-003.3", "REQ-CS-001.4")
@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
@profile(max_examples=sampled(8, 4))  # of each strategy
@given(histories(), settings(), limits)
def test_a_safe_result_keeps_its_promises(
    name: str, messages: tuple[Message, ...], effective: Values, limit: int
) -> None:
    before = copy.deepcopy(messages)
    result = done(name, messages, effective, limit)
    check(messages, result)
    assert messages == before
    assert run(name, messages, effective, limit=limit) == result
    if result.no_op is not None:
        assert result.messages == messages
        assert result.no_op.reason.endswith(".")
        assert not result.inserted


@pytest.mark.req("REQ-CS-004.4")
@given(histories(), st.sampled_from(COMPACTION_STRATEGIES[:3]), settings(), limits)
def test_safe_cuts_where_the_reference_cuts_validly(
    messages: tuple[Message, ...], name: str, effective: Values, limit: int
) -> None:
    safe = run(name, messages, effective, limit=limit)
    reference = run(name, messages, effective, limit=limit, mode=Mode.REFERENCE)
    if safe.split is None or reference.split is None:
        return
    if curated_indices(messages, Mode.SAFE) != curated_indices(
        messages, Mode.REFERENCE
    ):
        return  # fix CU-01
    for ours, theirs in zip(safe.split.cuts, reference.split.cuts, strict=True):
        assert ours.reference == theirs.index
        if not ours.reference_orphans:
            assert ours.index == theirs.index
