"""Findings of the summary check."""

from pathlib import Path

import pytest

from core.analysis.fidelity.source_index import source_index
from core.analysis.summary_check.check import SummaryCheckInput, SummaryFinding, has_section, summary_check
from core.analysis.summary_check.preview_summaries import linked_summary, summary_findings
from core.analysis.summary_check.summary_sentences import find_summaries
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.transcript.model import Message
from tests.builders import ai, call, conversation, exchange, human, response, talk, tool
from tests.core.analysis.fidelity_judging import make_compaction
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.strategies.strategy_running import values

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
GOOD = f"{RULE}\n{ASKED}\n- [in_progress] Rename the queue everywhere\n- [pending] Write the release notes"


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
    given = SummaryCheckInput(source, parts, index, frozenset(keep), sections, {0: (1000, len(summary))})
    return {one.rule: one for one in summary_check(given)}


def test_a_summary_that_lacks_nothing_has_no_findings() -> None:
    assert found(GOOD) == {}
    assert found("", keep=tuple(range(len(SOURCE)))) == {}, "nothing was summarised"


def test_the_last_request_must_be_told() -> None:
    one = found(GOOD.replace(ASKED, ""))["last-request"]
    assert (one.severity, one.messages, one.index) == ("error", (3,), 0)
    assert one.text == f"The last request, #4, is missing: “{ASKED}”."
    assert found(GOOD.replace(ASKED, "The upload queue becomes the ingest queue in src/queue.py.")) == {}
    assert found(GOOD.replace(ASKED, ""), keep=(3,)) == {}, "it stands behind the summary"


def test_a_later_yes_is_not_the_last_request() -> None:
    source = (*SOURCE, human("yes"))
    assert found(GOOD, source=source) == {}
    assert found(GOOD.replace(ASKED, ""), source=source)["last-request"].messages == (3,)


@pytest.mark.req("LOSS-2.3.1")
def test_a_rule_may_not_be_turned_round() -> None:
    one = found(GOOD.replace(RULE, "Touch the schema of the billing database."))["flipped-constraint"]
    assert (one.severity, one.messages) == ("error", (0,))
    assert one.text == f"The rule “{RULE}” of #1 is turned round."
    assert found(GOOD.replace(RULE, "Touch the schema of the billing database."), keep=(0,)) == {}


@pytest.mark.req("LOSS-2.3.2")
def test_values_may_not_change_places() -> None:
    source = (human("The pump delay is 40 ms and the queue length is 600."), human(ASKED))
    one = found(f"Pump delay 600 ms, queue length 40. {ASKED}", source=source)["turned-round"]
    assert (one.severity, one.messages) == ("warning", (0,))
    assert found(f"Pump delay 40 ms, queue length 600. {ASKED}", source=source) == {}


def test_a_contrast_that_is_left_out_turns_no_rule_round() -> None:
    source = (human("A reset after the first byte must raise, not retry."), human(ASKED))
    assert found(f"A reset after the first byte must raise.\n{ASKED}", source=source) == {}


def test_open_tasks_must_be_named_and_completed_ones_need_not() -> None:
    one = found(GOOD.replace("- [pending] Write the release notes", ""))["dropped-todo"]
    assert (one.severity, one.messages) == ("warning", (1,))
    assert one.text == "The open task “Write the release notes” of #2 is missing."
    assert found(GOOD.replace("- [pending] Write the release notes", ""), keep=(1, 2)) == {}


def test_the_sections_that_the_prompt_asks_for_must_be_there() -> None:
    asked = ("overall_goal", "TASK STATE", "Next Steps")
    text = f"<overall_goal>\n{GOOD}\n</overall_goal>\n"
    one = found(text, sections=asked)["missing-section"]
    assert (one.severity, one.messages, one.index) == ("warning", (), 0)
    assert one.text == "Sections missing: TASK STATE, Next Steps; the prompt asks for them."
    assert found(f"{text}1. TASK STATE: done\n**Next steps**\n", sections=asked) == {}
    assert found(GOOD, sections=asked)["missing-section"].text.startswith("None of the 3 sections")


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
def test_paths_without_a_source_are_invented_and_the_schema_is_not() -> None:
    text = f"<state_snapshot>\n{GOOD}\n- lib/made/up.py, see https://made.up/page\n</state_snapshot>"
    one = found(text)["invented-path"]
    assert one.severity == "warning"
    assert one.text == "The address https://made.up/page stands nowhere in the source."
    assert found(GOOD + "\n- queue.py and ./src/queue.py") == {}


def test_a_summary_larger_than_its_source_is_told() -> None:
    text = GOOD + " and so on" * 200
    assert found(text)["larger-than-source"].text.startswith("It is larger than its source: 2,")


def test_many_findings_of_a_rule_are_counted() -> None:
    todos = [{"content": f"Paint the {word} wall", "status": "pending"} for word in "abcdefghijklmnop"]
    source = (human(ASKED), ai("", call("TodoWrite", "t", todos=todos)), tool(response("t", "TodoWrite")))
    run = make_compaction(source, summary=ASKED)
    given = SummaryCheckInput(source, find_summaries(run), source_index(source, (ASKED,)))
    texts = [one.text for one in summary_check(given)]
    assert len(texts) == 11
    assert texts[-1] == "And 6 more open tasks."


def test_an_offline_summary_is_checked_and_one_not_written_is_not() -> None:
    source = conversation(*talk(6), *SOURCE, *talk(6))
    made = compute_preview(source, values())
    assert summary_findings(made, StageCache()) is not None
    place = min(made.compaction.inserted)
    assert linked_summary(made, place, StageCache())
    assert linked_summary(made, place + 1, StageCache()) == (), "the answer to the summary is none"
    unwritten = compute_preview(source, values(), PreviewOptions(writes_summary=False))
    assert summary_findings(unwritten, StageCache()) is None
    other = compute_preview(source, values(compression__strategy="claude-microcompact"))
    assert summary_findings(other, StageCache()) is None


def test_an_export_is_checked_first_and_goes_on(cli: Cli, tmp_path: Path) -> None:
    text = tmp_path / "summary.txt"
    text.write_text("Changed lib/made/up.py.", encoding="utf-8")
    arguments = ("compact", SESSION, "-s", "middle-out", "--summary-file", str(text), "--force")
    assert cli.run(*arguments, "-o", "-") == 0
    assert "summary check: warning: The path lib/made/up.py stands nowhere in the source." in cli.err
    assert cli.out
    assert cli.run("compact", SESSION, "-s", "middle-out", "-o", "-") == 0
    assert "summary check: Sections, open tasks, rules, paths and the last request are in order" in cli.err
    assert cli.run("compact", SESSION, "-s", "high-density", "-o", "-") == 0
    assert "summary" not in cli.err
    assert cli.run(*arguments) == 0
    assert "Summary check\n" in cli.out


def test_the_json_has_findings_and_links(cli: Cli, tmp_path: Path) -> None:
    text = tmp_path / "summary.txt"
    text.write_text("- should_retry keeps its signature.\n- Changed lib/made/up.py.", encoding="utf-8")
    values = cli.json("compact", SESSION, "-s", "middle-out", "--summary-file", str(text), "--force")
    assert "invented-path" in {one["rule"] for one in values["summary_check"]}
    first, second = values["summary"]["links"]
    assert first["sources"][0]["message"] == 42
    assert "should_retry" in first["sources"][0]["facts"]
    assert (second["sources"], second["invented"]) == ([], ["lib/made/up.py"])
    assert cli.json("compact", SESSION, "-s", "high-density")["summary_check"] is None
