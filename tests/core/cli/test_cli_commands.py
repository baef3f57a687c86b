"""Each command on the bundled samples, and what their lines on the start screen say."""

import json
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from core.analysis.model import BASELINE
from core.cli.command_names import find_command
from core.cli.output import console
from core.common.paths import SAMPLES, installed_version
from core.export.export import EXPORTERS
from core.formats.registry import load_conversation
from core.formats.writing.exporter import Exporter
from core.llm.catalog import SHIPPED_FILE
from core.settings.schema import TOP_PRESERVE
from core.tokens.counter import litellm_folder
from tests.core.cli.running_cli import CHAT, RECORDING, SESSION, Cli
from tests.support.forked_session import TASK, write
from tests.support.published_schemas import documented
from tests.support.source_tree import ROOT
from tests.tools.man_page import parsers


def test_inspect_reads_like_a_report(cli: Cli) -> None:
    assert cli.run("inspect", SESSION) == 0
    for words in (
        "Claude Code",
        "by speaker",
        "by block",
        "pairs",
        "Recorded compactions",
        "Split under",
    ):
        assert words in cli.out
    assert max(map(len, cli.out.splitlines())) <= 100


def test_a_recorded_compaction_has_one_size_in_each_row(cli: Cli) -> None:
    assert cli.run("inspect", SESSION) == 0
    lines = cli.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  1  before #"))
    freed = lines[at].split()[-1]
    assert lines[at].split()[-4:-2] == ["request", "=59,709"]
    assert lines[at + 1].split()[:1] == ["messages"]
    assert f"{freed.removeprefix('−')} tokens smaller" in cli.out


def test_inspect_says_its_marks_and_which_warning(cli: Cli) -> None:
    assert cli.run("inspect", SESSION) == 0
    assert "marks     = exact or reported, ≈ an estimate" in cli.out
    assert "warning: #37 says nothing" in cli.out
    assert "lint --fix mends" in cli.out


def test_fates_have_their_tokens_before_and_after(cli: Cli) -> None:
    cli.run("compact", SESSION, "-s", "high-density")
    report = cli.out.partition("Fates\n")[2].partition("\n\n")[0].splitlines()[1:]
    rows = [[int(cell.replace(",", "")) for cell in row.split()[2:4]] for row in report]
    before, after = map(sum, zip(*rows, strict=True))
    made = cli.json("compact", SESSION, "-s", "high-density")
    hidden = made["before"]["tokens"] - before
    assert hidden == made["after"]["tokens"] - after > 0


def test_inspect_counts_the_harness_apart_from_the_person(
    cli: Cli, tmp_path: Path
) -> None:
    message = {"role": "user", "content": "Go on."}
    marks: list[dict[str, Any]] = [
        {},
        {"isMeta": True},
        {"origin": {"kind": "task-notification"}},
    ]
    rows = [
        {"type": "user", "uuid": str(at), "message": message, **mark}
        for at, mark in enumerate(marks)
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert cli.json("inspect", str(path))["messages_by_speaker"] == {
        "human": 1,
        "harness": 2,
    }


@pytest.mark.req("REPAIR-8")
def test_inspect_says_what_a_recorded_compaction_left(cli: Cli) -> None:
    assert cli.run("inspect", SESSION) == 0
    _, _, explained = cli.out.partition("What recorded compaction 1 left\n")
    lines = explained.partition("\nPaid")[0].splitlines()
    assert lines[0].strip().startswith("Word for word: 0 of your 26 sentences")
    assert any(
        line.strip().startswith(
            "Later turns used 6 names: 1 is here, 1 by name alone, 4 gone"
        )
        for line in lines
    )
    kinds = ("your message ", "instruction ", "open error ", "to-do ")
    assert len([line for line in lines if line.strip().startswith(kinds)]) == 5
    (recorded,) = cli.json("inspect", SESSION)["recorded_compactions"]
    left = recorded["left"]
    assert [
        one["word_for_word"] for one in left["kinds"] if one["kind"] == "your message"
    ] == [0]
    assert (left["needed_later"]["used"], len(left["not_word_for_word"])) == (6, 5)
    assert cli.run("inspect", CHAT) == 0
    assert "What recorded compaction" not in cli.out


def test_inspect_warns_of_a_scope_that_is_only_a_part(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "roo.json"
    summary = {
        "role": "assistant",
        "content": "All so far.",
        "isSummary": True,
        "ts": 2,
    }
    said = (
        {"role": "user", "content": text, "ts": at}
        for at, text in ((1, "hi"), (3, "go on"))
    )
    path.write_text(json.dumps([next(said), summary, *said]))
    part = "Only a part: what recorded compaction 1 removed is not in the file."
    cli.run("inspect", str(path), "--scope", "before:1")
    assert part in cli.err
    assert cli.json("inspect", str(path), "--scope", "before:1")["warnings"][-1] == part
    assert cli.json("compact", str(path), "--scope", "before:1")["warnings"][-1] == part
    assert part not in cli.json("inspect", str(path), "--scope", "current")["warnings"]


def test_compact_writes_the_source_format_and_reads_it_again(
    cli: Cli, tmp_path: Path
) -> None:
    out = tmp_path / "shorter.jsonl"
    counted = (
        "--model",
        "gpt-4o",
    )  # without a factor: what the source reported does not hold for the result
    expected = cli.json("compact", SESSION, "-s", "middle-out", *counted)["after"]
    assert cli.run("compact", SESSION, "-s", "middle-out", "-o", str(out)) == 0
    assert cli.out == ""
    found = cli.json("inspect", str(out), "--scope", "current", *counted)
    assert (found["format"], found["tokens"]["total"]) == (
        "claude_code",
        expected["message_tokens"],
    )
    assert found["context"]["tokens"] == expected["tokens"]


def test_an_existing_file_needs_consent(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "there.md"
    out.write_text("mine")
    command = ("compact", CHAT, "-o", str(out), "--to", "markdown")
    assert "--yes" in cli.error_text(*command)
    asked: list[str] = []
    monkeypatch.setattr(console, "can_ask", lambda: True)
    monkeypatch.setattr(console, "ask_yes_no", asked.append)  # None: no yes
    cli.run(*command)
    assert (cli.code, out.read_text(), asked[0][-1]) == (2, "mine", "?")
    assert cli.run(*command, "--yes") == 0
    assert out.read_text() != "mine"


def test_the_source_is_never_written(cli: Cli, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(CHAT).read_bytes())
    assert "transcript itself" in cli.error_text(
        "compact", str(copy), "-o", str(copy), "--yes"
    )
    assert copy.read_bytes() == Path(CHAT).read_bytes()


@pytest.mark.parametrize(
    "exporter", [one for one in EXPORTERS if one.is_report], ids=lambda one: one.name
)
def test_convert_and_compact_write_every_report(
    cli: Cli, exporter: Exporter, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert cli.run("convert", CHAT, "--to", exporter.name, "-o", str(first)) == 0
    assert f"Wrote {first}: {exporter.label}, " in cli.err
    assert cli.run("compact", CHAT, "--to", exporter.name, "-o", str(second)) == 0
    assert first.read_bytes() == second.read_bytes()
    assert cli.run("convert", CHAT, "--to", exporter.name) == 0
    assert cli.out.encode() == first.read_bytes()


def test_secrets_go_as_the_format_says_or_as_asked(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    said = [
        {"role": role, "content": "jo@acme-tools.net"}
        for role in ("user", "assistant") * 9
    ]
    path.write_text(json.dumps(said))
    cases = {
        "csv": False,
        "csv --no-redact": True,
        "markdown": True,
        "markdown --redact": False,
    }
    for options, holds in cases.items():
        assert cli.run("convert", str(path), "--to", *options.split()) == 0
        assert ("jo@acme-tools.net" in cli.out) is holds
        assert ("redaction is off" if holds else "written over") in cli.err


def test_lint_exits_1_where_there_are_errors(cli: Cli, tmp_path: Path) -> None:
    assert cli.run("lint", CHAT) == 0
    path = str(tmp_path / "orphan.json")
    late = {"role": "tool", "tool_call_id": "call_x", "content": "late"}
    Path(path).write_text(json.dumps([{"role": "user", "content": "hello"}, late]))
    assert cli.run("lint", path) == 1
    assert "#2" in cli.out
    assert cli.json("lint", path, "--provider", "anthropic")["errors"] > 0
    assert cli.run("inspect", path) == 0
    assert cli.run("compact", path) == 0


COMMANDS = {
    "inspect": (SESSION,),
    "facts": (SESSION,),
    "compact": (SESSION, "-s", "middle-out"),
    "compare": (SESSION, "-s", "none"),
    "backtest": (SESSION, "-s", "middle-out"),
    "tune": (str(SAMPLES), "-s", "middle-out", "--runs", "1"),
    "replay": (CHAT, "-s", "middle-out"),
    "sweep": (CHAT, "-s", "tiered", "--vary", "compression.tiered.target=0.1,0.2"),
    "ask": (SESSION, "-s", "middle-out", "--dry-run"),
    "check": (SESSION, "-s", "none"),
    "lint": (SESSION,),
    "repair": (SESSION,),
    "sessions": (str(SAMPLES),),
    "watch": (str(SAMPLES), "--once", "--newest", "1", "--minutes", "100000000"),
    "strategies": (),
    "formats": (),
    "settings": (),
    "profiles": (),
    "models": (),
    "models-update": ("update", str((litellm_folder() or ROOT) / SHIPPED_FILE)),
    "models-reset": ("reset",),
    "prompts": ("list",),
    "prompts-show": ("show", "middle-out"),
    "prompts-install": ("install",),
    "prompts-path": ("path",),
}
SCHEMAS = {
    **dict.fromkeys(
        ("inspect", "replay", "sessions", "facts", "watch", "backtest", "tune"), 2
    ),
    "settings": 2,
    "check": 3,
    **dict.fromkeys(("compare", "sweep"), 4),
    "compact": 5,
}
"""Figures are calibrated on files, losses are evidence, sizes are of whole requests, and settings
have their keys of today, each since a number."""


def test_every_command_with_json_is_looked_at() -> None:
    printing = {
        parser.command
        for parser in parsers()
        if "--json" in parser._option_string_actions
    }
    assert printing == {
        find_command([command.split("-")[0]])[0] for command in COMMANDS
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_documented_keys_are_there_in_their_order(cli: Cli, command: str) -> None:
    found = cli.json(command.split("-")[0], *COMMANDS[command])
    keys = [key for key, _ in documented(command)]
    for key in keys:
        reduce(getitem, key.split("."), found)  # KeyError where it is missing
    assert list(found) == list(dict.fromkeys(key.split(".")[0] for key in keys))
    schema = f"{command}/{SCHEMAS.get(command.split('-')[0], 1)}"
    assert (found["foldline"], found["schema"]) == (installed_version(), schema)


@pytest.mark.req("REQ-CS-001.4", "REQ-HD-001.8")
def test_fates_and_origins_agree(cli: Cli) -> None:
    found = cli.json("compact", SESSION, "-s", "high-density", "--scope", "all")
    gone = {
        fate["index"]
        for fate in found["fates"]
        if fate["fate"] in ("pruned", "dropped")
    }
    origins = [origin for message in found["result"] for origin in message["origins"]]
    assert sorted(origins) == sorted({fate["index"] for fate in found["fates"]} - gone)
    assert {fate["fate"] for fate in found["fates"]} == {
        "kept",
        "edited",
        "pruned",
        "dropped",
    }
    assert (
        sum(message["tokens"] for message in found["result"])
        == found["after"]["message_tokens"]
    )
    assert found["density"]["read_write_pairs_pruned"] > 0


@pytest.mark.req("REQ-HD-001.2")
def test_compact_shows_what_a_strategy_does_on_every_turn(
    cli: Cli, tmp_path: Path
) -> None:
    compacted = cli.json("compact", SESSION, "-s", "high-density")
    each_turn = cli.json("compact", SESSION, "-s", "high-density", "--every-turn")
    assert (compacted["every_turn"], each_turn["every_turn"]) == (False, True)
    assert each_turn["density"] == compacted["density"]
    assert {fate["fate"] for fate in each_turn["fates"]} == {"kept", "edited", "pruned"}
    assert (
        compacted["after"]["tokens"]
        < each_turn["after"]["tokens"]
        < each_turn["before"]["tokens"]
    )
    assert cli.run("compact", SESSION, "-s", "high-density", "--every-turn") == 0
    assert cli.out.startswith("fix-flaky-upload.jsonl · high-density, every turn\n")
    line = tmp_path / "again.sh"
    assert (
        cli.run(
            "compact",
            SESSION,
            "-s",
            "high-density",
            "--every-turn",
            "--to",
            "command",
            "-o",
            str(line),
        )
        == 0
    )
    assert line.read_text().split(" -s ")[1].startswith("high-density --every-turn")
    refused = cli.error_text("compact", SESSION, "-s", "middle-out", "--every-turn")
    assert (
        "middle-out does nothing on every turn. --every-turn works with: high-density."
        in refused
    )


@pytest.fixture
def session(tmp_path: Path) -> str:
    return str(write(tmp_path))


def test_inspect_lists_conversations_and_branches(cli: Cli, session: str) -> None:
    found = cli.json("inspect", session)
    assert (found["conversations"], found["conversation"], found["branch"]) == (6, 1, 1)
    second = {
        "number": 2,
        "title": TASK,
        "messages": 2,
        "kind": "sub-agent",
        "call_id": "toolu_task",
    }
    assert found["conversation_list"][1] == second
    assert [one["messages"] for one in found["branches"]] == [68, 53]


def test_another_branch_or_conversation_is_chosen(cli: Cli, session: str) -> None:
    for kind, number, messages in (
        ("branch", 2, 53),
        ("conversation", 2, 2),
        ("conversation", 4, 1),
    ):
        found = cli.json("inspect", session, f"--{kind}", str(number))
        assert (found[kind], found["messages"]) == (number, messages)
    assert "which has 2" in cli.error_text("inspect", session, "--branch", "3")
    assert "which holds 6" in cli.error_text("lint", session, "--conversation", "7")


@pytest.mark.req("LOSS-2.6")
def test_facts_name_the_lines_of_the_file(cli: Cli, tmp_path: Path) -> None:
    texts = (
        ("user", "Never edit files in gen/."),
        ("assistant", "Yes."),
        ("user", "Set the rows of gen/rows.py to 900 now."),
    )
    said = (
        {"type": one, "message": {"role": one, "content": text}} for one, text in texts
    )
    path = tmp_path / "session.jsonl"
    path.write_text(
        "\n".join(json.dumps({"uuid": f"{at}", **line}) for at, line in enumerate(said))
    )
    found = cli.json("facts", str(path))
    facts = {(fact["kind"], fact["text"]): fact for fact in found["facts"]}
    rule = facts["your message", "Never edit files in gen/."]
    assert (rule["first"], rule["last"], rule["lines"]) == (0, 0, [1, 1])
    assert facts["name", "gen/rows.py"]["lines"] == [3, 3]
    assert cli.run("facts", str(path)) == 0
    assert "Never edit files in gen/." in cli.out


def test_the_text_says_that_there_is_more_and_how_to_choose(
    cli: Cli, session: str
) -> None:
    cli.run("inspect", session)
    for line in (
        "1 of 6; --conversation N opens another",
        "1 of 2; --branch N reads another",
    ):
        assert line in cli.out
    assert "+12,000 not smaller" in cli.out
    assert "6 of 6" in cli.out
    assert "leaves at line 52" in cli.out


def test_stale_reads_are_pruned_each_with_its_reason(cli: Cli) -> None:
    fates = cli.json("compact", SESSION, "-s", "high-density", "--scope", "all")[
        "fates"
    ]
    pruned = [one["reason"] for one in fates if one["fate"] == "pruned"]
    assert len(pruned) == 8
    assert all(reason.startswith("Superseded by the write in #") for reason in pruned)


def test_a_reworded_message_comes_back_with_a_larger_top(cli: Cli) -> None:
    def lost(*options: str) -> list[int]:
        items = cli.json("compact", CHAT, *options)["losses"]["items"]
        found = [
            one
            for one in items
            if (one["kind"], one["status"]) == ("your message", "not word for word")
        ]
        return sorted(one["message"] + 1 for one in found)

    assert (lost(), lost("--set", f"{TOP_PRESERVE}=0.45")) == ([19], [30])


def test_a_cut_moves_so_that_a_call_keeps_its_result(cli: Cli) -> None:
    top = cli.json("inspect", RECORDING)["split"]["trace"][0]
    assert (top["asked"] + 1, top["index"] + 1) == (7, 8)


LIMITED = ("--set", "compression.context-limit=30000")
REPLAY = ("replay", SESSION, "-s", "middle-out", "-s", "top-down-truncation", *LIMITED)
SWEEP = (
    "sweep",
    SESSION,
    "-s",
    "middle-out",
    "--vary",
    "compression.preserve-threshold=10%:30%:10%",
)


def test_a_replay_shows_a_line_per_strategy_and_its_compactions(cli: Cli) -> None:
    assert cli.run(*REPLAY) == 0
    assert "57 turns" in cli.out
    assert "limit 30,000 (set by compression.context-limit)" in cli.out
    assert "all summaries offline · prices of claude-sonnet-4-5" in cli.out
    names = [line.split()[0] for line in cli.out.splitlines()[6:9]]
    assert names == [BASELINE, "middle-out", "top-down-truncation"]
    assert "Compactions" in cli.out
    assert "→" in cli.out


def test_the_json_of_a_replay_adds_up(cli: Cli) -> None:
    found = cli.json(*REPLAY)
    assert found["limit"] == {
        "tokens": 30_000,
        "source": "set by compression.context-limit",
    }
    assert found["summaries"] == "offline"
    for track in found["tracks"]:
        assert len(track["sizes"]) == len(found["turns"]) == 57
        assert track["sent"] == sum(track["sizes"])
        assert track["over"] == sum(size > 30_000 for size in track["sizes"])
        assert track["calls"] >= sum(run["calls"] for run in track["compactions"])
    none, middle, top = found["tracks"]
    assert (none["compactions"], none["trigger"], none["cost"]) == ([], None, None)
    assert middle["calls"] > 0 == top["calls"]
    assert all(
        run["before"] >= middle["trigger"] > run["after"]
        for run in middle["compactions"]
    )


def test_the_json_of_a_sweep_names_the_best(cli: Cli) -> None:
    found = cli.json(
        *SWEEP, "--scope", "before:1", "--vary", "compression.mode=safe,reference"
    )
    assert [axis["key"] for axis in found["axes"]] == [
        "compression.preserve-threshold",
        "compression.mode",
    ]
    assert len(found["points"]) == 6
    assert list(found["points"][1]["at"].values()) == [0.1, "reference"]
    assert all(
        sum(point["fates"].values()) == found["before"]["messages"]
        for point in found["points"]
    )
    best = [found["points"][number] for number in found["best"]]
    assert best
    smallest = min(found["points"], key=lambda point: point["tokens"])
    assert smallest["tokens"] in {point["tokens"] for point in best}


def test_one_strategy_is_explained_with_its_settings(cli: Cli) -> None:
    (one,) = cli.json("strategies", "tiered")["strategies"]
    assert cli.run("strategies", "tiered") == 0
    assert all(key in cli.out for key in one["options"])
    assert one["trigger"]["words"] in cli.out
    assert "Did you mean tiered?" in cli.error_text("strategies", "tierd")


def test_a_format_that_joins_messages_says_both_counts(
    cli: Cli, tmp_path: Path
) -> None:
    out = str(tmp_path / "out.jsonl")
    found = cli.json("compact", SESSION, "-s", "middle-out", "-o", out)
    shown, held = found["after"]["messages"], len(load_conversation(out).messages)
    assert held < shown
    assert f"{held} messages (shown here as {shown}), " in cli.err
