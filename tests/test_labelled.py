"""How well facts are found in conversations whose facts were listed by hand.

The table of precision and recall is printed and is in the help; where either falls short, the misses are
named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.analysis.fidelity.model import FidelityCategory
from core.cli.output.console import aligned_table
from tests.labelled.measuring import HEAD, CategoryScore, measure, rows
from tests.labelled.reading import NAMES, load_labelled

TARGET = 0.95
WANTED = (
    FidelityCategory.FILE,
    FidelityCategory.ERROR,
    FidelityCategory.COMMAND,
    FidelityCategory.URL,
    FidelityCategory.NUMBER,
    FidelityCategory.TODO,
    FidelityCategory.CONSTRAINT,
)
"""The categories for which the target holds."""


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Mapping[FidelityCategory, CategoryScore]:
    return measure(tmp_path_factory.mktemp("labelled"))


def test_the_set_is_large_and_mixed() -> None:
    every = [load_labelled(name) for name in NAMES]
    assert len(every) >= 10
    assert sum(len(one.labels) for one in every) >= 200
    assert len({one.format for one in every}) >= 6


def test_the_table(
    scores: Mapping[FidelityCategory, CategoryScore], print_at_end: Callable[[str], None]
) -> None:
    print_at_end("\n".join(aligned_table(rows(scores), range(1, 5), head=HEAD)))


@pytest.mark.parametrize("kind", WANTED, ids=str)
def test_what_matters_most_is_found_and_nothing_else(
    scores: Mapping[FidelityCategory, CategoryScore], kind: FidelityCategory
) -> None:
    one = scores[kind]
    assert min(one.precision, one.recall) >= TARGET, "\n".join(one.errors)
