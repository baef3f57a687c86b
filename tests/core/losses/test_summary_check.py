"""Findings of the summary check."""

from pathlib import Path

import pytest

from core.facts.sentences import DIGEST_TITLE
from core.losses.summary_check import (
    SummaryFinding,
    has_section,
    linked_summary,
    summary_check,
    summary_findings,
)
from core.losses.summary_evidence import find_summaries, summary_evidence
from core.losses.texts import source_index
from core.presentation.summary_page import ALL_FOUND
from core.preview.options import PreviewOptions, StageCache, SummaryOptions
from core.preview.preview import compute_preview
from core.transcript.model import Message
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.strategies.strategy_running import values
from tests.core.trials.made_compactions import make_compaction
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    talk,
    tool,
)

RULE = "Never touch the schema of the billing database."
ASKED = "Rename the upload queue to ingest queue in src/queue.py, and run the tests."
TODOS = [
    {"content": "Rename the queue everywhere", "status": "in_progress"},
    {"content": "Write the release notes", "status": "pending"},
    {"content": "Read the old code", "status": "completed"},
]
SOURCE = (
    human(RULE),
    ai("", call("TodoWrite", "t1", todos=TODOS)),
    tool(response("t1", "TodoWrite")),
    human(ASKED),
    *exchange("e1", "Edit", file_path="src/queue.py"),
)
GOOD = (
    f"{RULE}\n{ASKED}\n- [in_progress] Rename the queue everywhere\n- [pending] Write the "
    f"release notes"
)


def found(
    summary: str,
    *,
    keep: tuple[int, ...] = (),
    source: tuple[Message, ...] = SOURCE,
    sections: tuple[str, ...] = (),
) -> dict[str, SummaryFinding]:
    run = make_compaction(source, keep=keep, summary=summary)
    parts = find_summaries(run)
    index = source_index(source, (part.text for part in parts))
    evidence = summary_evidence(parts, source, index)
    return {
        one.rule: one
        for one in summary_check(parts, evidence, sections, {0: (1000, len(summary))})
    }


def test_a_summary_that_lacks_nothing_has_no_findings() -> None:
    assert found(GOOD) == {}
    assert found("", keep=tuple(range(len(SOURCE)))) == {}, "nothing was summarised"


def test_the_sections_that_the_prompt_asks_for_must_be_there() -> None:
    asked = ("overall_goal", "TASK STATE", "Next Steps")
    text = f"<overall_goal>\n{GOOD}\n</overall_goal>\n"
    one = found(text, sections=asked)["missing-section"]
    assert (one.severity, one.messages, one.index) == ("warning", (), 0)
    assert (
        one.text
        == "Sections missing: TASK STATE, Next Steps; the prompt asks for them."
    )
    assert found(f"{text}1. TASK STATE: done\n**Next steps**\n", sections=asked) == {}
    assert found(GOOD, sections=asked)["missing-section"].text.startswith(
        "None of the 3 sections"
    )


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("<code_state>x</code_state>", True),
        ("## Code State", True),
        ("3. **Code state**: fine", True),
        ("code state is fine", False),
        ("the CODE_STATE:", False),
    ],
)
def test_a_section_is_a_tag_or_heads_a_line(text: str, is_there: bool) -> None:
    assert has_section(text, "code_state") is is_there


@pytest.mark.req("LOSS-2.4.1")
def test_names_without_a_source_are_told_and_the_schema_is_none() -> None:
    text = f"<state_snapshot>\n{GOOD}\n- lib/made/up.py, see https://made.up/page\n</state_snapshot>"
    one = found(text)["nowhere"]
    assert one.severity == "warning"
    assert one.text == "The address https://made.up/page stands nowhere in the source."
    assert found(f"{GOOD}\nIt has 4711 rows.")["nowhere"].text.startswith(
        "The number 4711"
    )
    assert found(GOOD + "\n- queue.py and ./src/queue.py") == {}


def test_a_summary_larger_than_its_source_is_told() -> None:
    text = GOOD + " and so on" * 200
    assert found(text)["larger-than-source"].text.startswith(
        "It is larger than its source: 2,"
    )


def test_many_findings_of_a_rule_are_counted() -> None:
    summary = f"{GOOD}\n" + "\n".join(
        f"Changed lib/made/up_{number}.py." for number in range(16)
    )
    parts = find_summaries(make_compaction(SOURCE, summary=summary))
    evidence = summary_evidence(parts, SOURCE, source_index(SOURCE, (summary,)))
    texts = [one.text for one in summary_check(parts, evidence, (), {})]
    assert len(texts) == 11
    assert texts[-1] == "And 6 more names and numbers."


def test_an_offline_summary_is_checked_and_one_not_written_is_not() -> None:
    source = conversation(*talk(6), *SOURCE, *talk(6))
    made = compute_preview(source, values())
    assert summary_findings(made, StageCache()) is not None
    place = min(made.result.compaction.inserted)
    assert linked_summary(made, place, StageCache())
    assert linked_summary(made, place + 1, StageCache()) == (), (
        "the answer to the summary is none"
    )
    unwritten = compute_preview(
        source, values(), PreviewOptions(summary=SummaryOptions(is_written=False))
    )
    assert summary_findings(unwritten, StageCache()) is None
    other = compute_preview(source, values(compression__strategy="claude-microcompact"))
    assert summary_findings(other, StageCache()) is None


def test_an_offline_summary_without_room_for_sections_misses_none(cli: Cli) -> None:
    small = ("--set", "compression.top-preserve-threshold=0.45")
    found = cli.json("compact", CHAT, "-s", "middle-out", *small)
    assert found["summary"]["text"].startswith(DIGEST_TITLE)
    assert found["summary_check"] == []


def test_an_export_is_checked_first_and_goes_on(cli: Cli, tmp_path: Path) -> None:
    text = tmp_path / "summary.txt"
    text.write_text("Changed lib/made/up.py.", encoding="utf-8")
    arguments = (
        "compact",
        SESSION,
        "-s",
        "middle-out",
        "--summary-file",
        str(text),
        "--force",
    )
    assert cli.run(*arguments, "-o", "-") == 0
    assert "warning: The path lib/made/up.py stands nowhere in the source." in cli.err
    assert cli.out
    assert cli.run("compact", SESSION, "-s", "middle-out", "-o", "-") == 0
    assert f"summary check: {ALL_FOUND}; 1 of your messages not word" in cli.err
    assert (
        cli.run("compact", SESSION, "--scope", "all", "-s", "high-density", "-o", "-")
        == 0
    )
    assert "summary" not in cli.err
    assert cli.run(*arguments) == 0
    assert "Summary check\n" in cli.out


def test_the_json_has_findings_and_links(cli: Cli, tmp_path: Path) -> None:
    text = tmp_path / "summary.txt"
    text.write_text(
        "- should_retry keeps its signature.\n- Changed lib/made/up.py.",
        encoding="utf-8",
    )
    values = cli.json(
        "compact",
        SESSION,
        "--scope",
        "all",
        "-s",
        "middle-out",
        "--summary-file",
        str(text),
        "--force",
    )
    assert "nowhere" in {one["rule"] for one in values["summary_check"]}
    first, second = values["summary"]["links"]
    assert first["sources"][0]["message"] == 42
    assert "should_retry" in first["sources"][0]["facts"]
    assert (second["sources"], second["nowhere"]) == ([], ["lib/made/up.py"])
    assert cli.json("compact", SESSION, "-s", "high-density")["summary_check"] is None


def test_a_snapshot_on_one_line_has_its_sections() -> None:
    text = "<state_snapshot><overall_goal>Mend it.</overall_goal><next_steps>x</next_steps>"
    assert has_section(text, "overall_goal")
    assert has_section(text, "next_steps")
    assert not has_section(text, "goal")
