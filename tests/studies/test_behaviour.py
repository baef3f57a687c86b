"""A figure that is older than the code that makes it is called so."""

import pytest

from core.strategies.names import EXCERPT, HYBRID
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.studies.behaviour import STUDIES, changed, digests, recorded
from tests.tools import measured_tables
from tests.tools.measured_tables import with_age

MEASURED = {EXCERPT: "1", HYBRID: "2"}


def test_figures_of_the_same_code_are_not_called_older() -> None:
    assert changed(MEASURED, MEASURED) == ""


def test_strategies_that_changed_are_named() -> None:
    told = changed({**MEASURED, EXCERPT: "3"}, MEASURED)
    assert told == "Older than the code of `excerpt`."


def test_a_strategy_that_was_not_measured_has_changed() -> None:
    assert "`excerpt`" in changed(MEASURED, {HYBRID: "2"})


def test_many_strategies_are_counted() -> None:
    today = dict.fromkeys("abcde", "1")
    assert changed(today, {"a": "1"}) == "Older than the code of 4 of 5 strategies."


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_recorded_what_every_strategy_did(study: str) -> None:
    assert len(recorded()[study]) >= 20


def test_the_page_says_it_behind_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES[0]
    monkeypatch.setattr(measured_tables, "recorded", lambda: {study: {}})
    shown = with_age(study, "Measured on a day.\n\n| what |")
    assert shown.startswith("Measured on a day. Older than the code of ")
    assert shown.endswith("\n\n| what |")


def test_what_a_strategy_does_makes_its_digest() -> None:
    found = digests(STUDIES[0])
    assert set(found) == set(COMPACTION_STRATEGIES)
    assert found["anthropic-clear-tool-uses"] != found["none"]
