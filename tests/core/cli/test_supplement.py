"""``foldline supplement``: what a summary lacks, as excerpts."""

from pathlib import Path

import pytest

from core.cli.main import run_command_line
from core.strategies.excerpt_units import HEADING, supplement
from core.tokens.counter import counter_for
from tests.support.builders import ai, exchange, human

SAMPLE = Path(__file__).parents[3] / "resources" / "samples" / "fix-flaky-upload.jsonl"
COUNT = counter_for("").message
LOG = "the build of this step went well\n" * 50
MESSAGES = (
    human("Never touch db.py. Port 4810 is the server's."),
    *exchange("a", "Bash", f"{LOG}PoolError in src/pool.py\n", command="make"),
    ai("Done."),
)


@pytest.mark.req("EXC-4")
def test_it_holds_what_the_summary_lacks_and_nothing_else() -> None:
    found = supplement(MESSAGES, (human("Never touch db.py. It was built."),), COUNT)
    assert "PoolError in src/pool.py" in found.text
    assert "Port 4810 is the server's." in found.text
    assert "db.py" not in found.text


@pytest.mark.req("EXC-4")
@pytest.mark.parametrize(
    "said",
    [
        f"• git state                commit={'552e38f8' * 12} branch=main dirty=true",
        "If the script prints nothing, add a last line to it that says it is done,\n"
        "  so that you can be sure that it ran through.",
    ],
    ids=["aligned", "wrapped"],
)
def test_what_stands_aligned_or_wrapped_is_not_lacking(said: str) -> None:
    history = (human(said), *MESSAGES)
    found = supplement(history, (human(said),), COUNT)
    assert not [unit for unit in found.lines if unit.index == 0]


@pytest.mark.req("EXC-4")
@pytest.mark.parametrize("room", [5, 20, 60])
def test_it_stays_within_its_tokens(room: int) -> None:
    assert supplement(MESSAGES, (), COUNT, max_tokens=room).tokens <= room


def test_the_line_that_says_most_is_the_first() -> None:
    said = "The pool in src/pool.py fails since retry_count is read from settings.toml."
    history = (human("Mend it."), ai(f"Look in a.py\n{said}\nEnd Patch"))
    found = supplement(history, (human("Mend it."),), COUNT)
    assert [unit.text for unit in found.lines] == [said, "Look in a.py", "End Patch"]


def test_it_has_at_most_as_many_lines_as_asked_for() -> None:
    assert len(supplement(MESSAGES, (), COUNT, max_lines=1).lines) == 1


@pytest.mark.req("EXC-4")
def test_the_command_prints_what_the_recorded_compaction_lost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_command_line(["supplement", str(SAMPLE), "--tokens", "300"]) == 0
    assert capsys.readouterr().out.startswith(HEADING)


def test_without_a_summary_the_command_says_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"role": "user", "content": "Hello there"}]')
    assert run_command_line(["supplement", str(path)]) == 2
    assert "--summary FILE" in capsys.readouterr().err


@pytest.mark.req("EXC-3")
def test_a_former_name_of_a_strategy_says_its_present_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_command_line(["compact", str(SAMPLE), "-s", "pinned-hybrid"]) == 0
    assert (
        capsys.readouterr().err.count(
            "The strategy pinned-hybrid is called excerpt now."
        )
        == 1
    )
