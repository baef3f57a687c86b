"""No damaged transcript makes a command fail, or say of its file what lint does not say."""

from tests.fuzz.commands import run_fuzz


def test_damaged_transcripts_through_all_commands_find_nothing() -> None:
    tally = run_fuzz(inputs=25, seed=1)
    assert tally.contradictions == []
    assert tally.counts["verdicts compared"] > 20
