"""The help's table of every strategy over six transcripts of six formats is present."""

from __future__ import annotations

import pytest

from core.strategies.registry import COMPRESSION_STRATEGIES
from core.tokens.counter import counter_for
from tests import corpus_strategies
from tests.corpus_strategies import BASELINE, PAGE, columns, page_with_table, paths

with_corpus = pytest.mark.skipif(not paths(), reason="no corpus beside the project")


@with_corpus
def test_the_table_is_as_it_says() -> None:
    if not counter_for("").method.encoding:
        pytest.skip("no tokenizer table on this disk, so tokens are counted otherwise")
    text = PAGE.read_text("utf-8")
    assert page_with_table(text) == text, f"write it with: python -m {corpus_strategies.__name__}"


@with_corpus
def test_every_strategy_does_something_and_no_result_is_refused() -> None:
    acted = {BASELINE}
    for path, found in columns().items():
        for name, one in found.items():
            assert not one.faults, (path.name, name)
            if one.preview is not None and one.preview.compaction.no_op is None:
                acted.add(name)
    assert acted == set(COMPRESSION_STRATEGIES)
