"""``foldline lint --fix``: a copy in order, what was changed, and what no rule mends."""

import json
from pathlib import Path

import pytest

from core.common.json_value import Json
from tests.core.cli.running_cli import CHAT, Cli
from tests.core.formats.small_files import SMALL, saved
from tests.core.lint.image_headers import png

USE = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}
BROKEN: list[Json] = [
    {"role": "user", "content": "Run it."},
    {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, USE]},
    {"role": "user", "content": "And?"},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": BROKEN}))
    return path


@pytest.mark.req("REPAIR-3")
def test_a_copy_is_written_and_the_source_stays(
    cli: Cli, broken: Path, tmp_path: Path
) -> None:
    before, copy = broken.read_bytes(), tmp_path / "copy.json"
    assert cli.run("lint", str(broken)) == 1
    assert cli.run("repair", str(broken), "-o", str(copy)) == 0
    assert (
        "#2 called t1 without an answer; a result that says so was added. [unanswered-call]"
        in cli.out
    )
    assert broken.read_bytes() == before
    assert cli.run("lint", str(copy)) == 0
    result = json.loads(copy.read_text())["messages"][2]["content"][0]
    assert (result["tool_use_id"], result["is_error"]) == ("t1", True)


@pytest.mark.req("REPAIR-3")
def test_without_out_nothing_is_written(cli: Cli, broken: Path, tmp_path: Path) -> None:
    for options in ((), ("--dry-run", "-o", str(tmp_path / "copy.json"))):
        found = cli.json("repair", str(broken), *options)
        assert [
            (one["rule"], one["message"], one["line"]) for one in found["changes"]
        ] == [("unanswered-call", 1, 1)]
        assert (found["before"]["errors"], found["left"]["errors"]) == (1, 0)
    assert list(tmp_path.iterdir()) == [broken]


@pytest.mark.req("REPAIR-1")
def test_a_result_behind_words_in_its_record_is_written_first(
    cli: Cli, broken: Path, tmp_path: Path
) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    words = {"type": "text", "text": "And?"}
    late = [*BROKEN[:2], {"role": "user", "content": [words, result]}, BROKEN[3]]
    broken.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": late}))
    assert cli.run("repair", str(broken), "-o", str(tmp_path / "copy.json")) == 0
    written = json.loads((tmp_path / "copy.json").read_text())["messages"]
    assert written[2]["content"] == [result, words]
    assert "#3 held a result after other content; results come first." in cli.out


@pytest.mark.req("REPAIR-2")
def test_a_session_in_order_is_copied_as_it_is(cli: Cli, tmp_path: Path) -> None:
    repaired, unchanged = tmp_path / "a.json", tmp_path / "b.json"
    assert cli.run("repair", CHAT, "-o", str(repaired)) == 0
    assert "nothing to mend" in cli.out
    assert cli.run("compact", CHAT, "-s", "none", "-o", str(unchanged)) == 0
    assert repaired.read_bytes() == unchanged.read_bytes()


def test_what_no_rule_mends_is_said(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text(
        json.dumps(
            [{"role": "assistant", "content": ""}, {"role": "assistant", "content": ""}]
        )
    )
    assert cli.run("repair", str(path), "--format", "openai_chat") == 1
    assert "There is no message; OpenAI needs at least one." in cli.out


def test_a_report_is_no_copy(cli: Cli, broken: Path) -> None:
    assert "html is a report" in cli.error_text("repair", str(broken), "--to", "html")


@pytest.mark.req("REPAIR-6")
def test_compact_says_that_faults_were_there_before(
    cli: Cli, broken: Path, tmp_path: Path
) -> None:
    words = (
        "warning: The transcript itself has 1 fault that an API would refuse. "
        "Repair it first: foldline lint --fix FILE -o COPY"
    )
    cli.run("compact", str(broken), "-s", "none", "-o", str(tmp_path / "result.json"))
    assert words in cli.err
    cli.run("compact", CHAT, "-s", "none", "-o", str(tmp_path / "other.json"))
    assert "Repair it first" not in cli.err


@pytest.mark.req("REPAIR-5")
def test_images_are_left_out_on_demand_only(cli: Cli, tmp_path: Path) -> None:
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": png(9_000)},
    }
    path, copy = tmp_path / "picture.json", tmp_path / "copy.json"
    path.write_text(
        json.dumps(
            [{"role": "user", "content": [picture, {"type": "text", "text": "Look."}]}]
        )
    )
    assert cli.run("repair", str(path), "--format", "anthropic_messages") == 1
    assert "--images oldest replaces images over a limit by a line." in cli.out
    options = ("--format", "anthropic_messages", "--images", "oldest", "-o", str(copy))
    assert cli.run("repair", str(path), *options) == 0
    assert "[image left out, 9,000 × 30]" in copy.read_text()
    assert "Write --images oldest." in cli.error_text(
        "repair", str(path), "--images", "all"
    )


HERMES: Json = {
    "session_id": "s1",
    "session_start": "2026-07-01T10:00:00Z",
    "messages": [
        {"role": "user", "content": "Which tides?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "c1", "function": {"name": "read", "arguments": "{}"}}
            ],
        },
        {"role": "user", "content": "and?"},
    ],
}


def test_a_format_that_is_only_read_names_a_target(cli: Cli, tmp_path: Path) -> None:
    path, copy = tmp_path / "hermes.json", tmp_path / "copy.json"
    path.write_text(json.dumps(HERMES))
    assert cli.run("lint", str(path)) == 1
    assert cli.run("repair", str(path)) == 0
    assert "[unanswered-call]" in cli.out
    assert (
        "Foldline does not write Hermes; --to openai_chat writes a copy in that format."
        in cli.out
    )
    assert cli.json("repair", str(path))["to"] == "openai_chat"
    assert cli.run("repair", str(path), "-o", str(copy)) == 2
    assert "Add --to openai_chat" in cli.err
    assert not copy.exists()
    assert cli.run("repair", str(path), "--to", "openai_chat", "-o", str(copy)) == 0
    assert cli.run("lint", str(copy)) == 0


@pytest.mark.parametrize(
    "name", ["goose", "langchain", "ai_sdk", "copilot_cli", "hermes"]
)
def test_lint_and_repair_judge_what_is_only_read_alike(
    name: str, cli: Cli, tmp_path: Path
) -> None:
    path = saved(tmp_path, SMALL[name])
    linted, repaired = cli.json("lint", str(path)), cli.json("repair", str(path))
    assert linted["provider"] == repaired["provider"]
    assert linted["errors"] == repaired["before"]["errors"]
