"""The table of recorded compactions has their shares and the interval of the difference."""

from tests.studies.supplement_study import table


def test_the_table_has_a_line_per_compaction_and_the_mean() -> None:
    made = table([("a.jsonl, 1", 4, 0.25, 0.75), ("b.jsonl, 1", 8, 0.5, 0.5)])
    assert "| a.jsonl, 1 | 4 | 25% | 75% |" in made
    assert "| mean |  | 38% | 62% |" in made
    assert made.endswith("Difference: 0 to 50 points.")
