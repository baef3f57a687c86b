"""How well facts are found in conversations whose facts were listed by hand.

The table of precision and recall is printed and is in the help; where either falls short, the misses are
named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from core.analysis.fidelity.model import FidelityCategory
from core.cli.output.table import aligned_table
from tests.labelled.measuring import HEAD, Tally, measure, rows
from tests.labelled.reading import NAMES, labelled

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
def tallies(tmp_path_factory: pytest.TempPathFactory) -> Mapping[FidelityCategory, Tally]:
    return measure(tmp_path_factory.mktemp("labelled"))


def test_the_set_is_large_and_mixed() -> None:
    every = [labelled(name) for name in NAMES]
    assert len(every) >= 10
    assert sum(len(one.labels) for one in every) >= 200
    assert len({one.format for one in every}) >= 6


def test_the_table(tallies: Mapping[FidelityCategory, Tally], told: Callable[[str], None]) -> None:
    told("\n".join(aligned_table(rows(tallies), range(1, 5), head=HEAD)))


@pytest.mark.parametrize("kind", WANTED, ids=str)
def test_what_matters_most_is_found_and_nothing_else(
    tallies: Mapping[FidelityCategory, Tally], kind: FidelityCategory
) -> None:
    one = tallies[kind]
    assert min(one.precision, one.recall) >= TARGET, "\n".join(one.wrong)
