"""All who say the size of a result agree, over our own samples."""

from core.common.paths import SAMPLES
from tests.studies.promise import run_walk


def test_nothing_that_is_said_of_a_result_contradicts_itself() -> None:
    tally = run_walk(SAMPLES, inputs=12, files=4, seed=1)
    assert tally.contradictions == []
    assert tally.counts["results"] == 12
