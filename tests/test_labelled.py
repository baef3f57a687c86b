"""How well facts are found in conversations whose facts were listed by hand.

The table of precision and recall is printed and is in the help; where either falls short, the misses are
named.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from core.analysis.fidelity.model import FidelityCategory
from core.cli.output.console import aligned_table
from core.facts.sentences import plain_text
from tests.labelled.measuring import HEAD, CategoryScore, measure, rows
from tests.labelled.reading import NAMES, load_labelled
from tests.labelled.sessions import HALVES, load_sessions
from tests.source_tree import ROOT

TARGET = 0.95
PHRASE = 60  # characters
MOST_SHARED = 1  # a text of a harness, or a file that is in several sessions
PAGE = ROOT / "resources" / "help" / "fidelity.md"
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


@pytest.mark.req("LOSS-2.7")
def test_the_last_sessions_hold_nothing_that_the_rules_were_made_with(corpus: Path) -> None:
    assert corpus.is_dir()
    learned = [said for half in HALVES[:-1] for said in _said(half)]
    for said in _said(HALVES[-1]):
        assert all(len(said & other) <= MOST_SHARED for other in learned)
    found = re.findall(r"^\| \**(\w+), \d+ (?:sessions|stretches)", PAGE.read_text("utf-8"), re.MULTILINE)
    assert tuple(found) == HALVES, "the figures of each part stand apart"


def _said(half: str) -> list[frozenset[str]]:
    sessions = ([plain_text(message) for message in one.messages] for one in load_sessions(half))
    return [frozenset(text for text in texts if len(text) > PHRASE) for texts in sessions]
