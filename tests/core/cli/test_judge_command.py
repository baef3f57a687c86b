"""``foldline judge`` over the loopback server: what is asked, what is said, what it costs."""

import re
from pathlib import Path

import pytest

from core.common.json_value import Json
from core.settings_store.profile_store import ProfileStore
from tests.core.analysis.test_judge import Answer, judging, says, told
from tests.core.cli.running_cli import RECORDING, SESSION, Cli
from tests.core.cli.test_cli_model import PAID, local
from tests.core.common.test_redact import SAMPLES
from tests.support.loopback import REFUSED, Reply

JUDGE = ("judge", SESSION, "-s", "middle-out", "--profile", "local")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def quoting(statement: Json, text: str) -> Json:
    return {"id": statement["id"], "verdict": "says the same", "quote": text}


def asked(cli: Cli, answer: Answer | Reply, *options: str) -> tuple[Json, int]:
    with judging(answer) as (server, _):
        local(server)
        return cli.json(*JUDGE, *options), len(server.log)


@pytest.mark.req("JUDGE-1")
def test_every_verdict_comes_with_its_quote(cli: Cli) -> None:
    found, calls = asked(cli, quoting)
    assert found["sentences"]["says the same"] == len(found["judgements"]) > 0
    assert all(one["quote"] for one in found["judgements"])
    assert found["judge"] == {"profile": "local", "model": "m"}
    assert found["calibration"] is None
    assert calls == -(-len(found["judgements"]) // 15)
    again, no_calls = asked(cli, quoting)
    assert no_calls == calls or again["judgements"] == found["judgements"]


@pytest.mark.req("JUDGE-2")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (REFUSED, "local (m) refused to answer"),
        (says("opposite", "These words stand nowhere at all"), "its quote is not in the text"),
    ],
)
def test_where_nothing_is_judged_the_command_fails(
    cli: Cli, answer: Answer | Reply, reason: str
) -> None:
    with judging(answer) as (server, _):
        local(server)
        assert cli.run(*JUDGE) == 3
    assert f"Nothing was judged: {reason}." in cli.err


@pytest.mark.req("JUDGE-3")
def test_the_pairs_come_first_where_they_are_asked_for(cli: Cli) -> None:
    found, calls = asked(cli, told, "--calibrate")
    assert found["calibration"] == {
        "pairs": 30,
        "told_apart": 30,
        "faithful_wrong": 0,
        "unanswered": 1,
    }
    assert calls == 4 + -(-len(found["judgements"]) // 15)


@pytest.mark.req("JUDGE-3")
def test_a_model_that_tells_too_few_pairs_apart_is_withheld(cli: Cli) -> None:
    with judging(says("missing")) as (server, _):
        local(server)
        assert cli.run(*JUDGE, "--calibrate") == 3
    assert "its verdicts are withheld: 30 of 30 told apart, 30 of 30 faithful ones" in cli.err


@pytest.mark.req("JUDGE-3")
def test_the_pairs_alone_need_no_file(cli: Cli) -> None:
    with judging(told) as (server, _):
        local(server)
        assert cli.run("judge", "--calibrate", "--profile", "local") == 0, cli.err
    assert cli.out == (
        "local (m): 30 of 30 told apart, 0 of 30 faithful ones called wrong; 1 not answered.\n"
    )
    assert "FILE is needed" in cli.error_text("judge", "--profile", "local")


def test_the_table_says_what_is_unproven(cli: Cli) -> None:
    with judging(quoting) as (server, _):
        local(server)
        assert cli.run(*JUDGE) == 0
    assert "local (m, unproven) of " in cli.out
    assert "say the same" in cli.out


def test_it_needs_a_model_and_a_yes(cli: Cli) -> None:
    assert "judges nothing" in cli.error_text("judge", SESSION, "-s", "middle-out")
    ProfileStore().save(PAID)
    assert "need a yes" in cli.error_text("judge", SESSION, "-s", "middle-out", "--profile", "paid")


@pytest.mark.parametrize(
    ("command", "secrets"),
    [
        ("judge {} --scope all -s middle-out --profile paid", "2 secrets"),
        ("check {} --scope all -s middle-out --judge paid", "2 secrets"),
        ("compact {} --scope all -s middle-out --judge paid", "2 secrets"),
        ("probe {} --scope all -s high-density --profile paid", "1 secret"),
        ("compact {} --scope all -s middle-out --profile paid", "1 secret"),
        ("compare {} --scope all -s middle-out --profile paid", "1 secret"),
        ("compare {folder} --scope all -s middle-out --profile paid", "1 secret"),
        ("replay {} -s middle-out --profile paid --set context-limit=9000", "1 secret"),
        (
            (
                "sweep {} --scope all -s middle-out --profile paid --vary "
                "compression-preserve-threshold=10%,20%"
            ),
            "1 secret",
        ),
    ],
)
def test_before_the_yes_every_command_says_how_many_secrets_are_sent(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, secrets: str
) -> None:
    """The judge is sent it in the statement, in the source and in the summary."""
    ProfileStore().save(PAID)
    monkeypatch.setenv(PAID.key_env, "sk-1234")
    path = tmp_path / "session.jsonl"
    text, told = Path(SESSION).read_text("utf-8"), "Before you do the pool: "
    for key, warns in (("none", False), (SAMPLES["github-token"], True)):
        path.write_text(text.replace(told, f"{told}the token is {key}, "), "utf-8")
        assert cli.run(*command.format(path, folder=tmp_path).split()) == 2
        assert re.search("needs? a yes", cli.err)
        assert bool(re.search(f"warning: {secrets} in what is sent[.:]", cli.err)) is warns
        assert ("secret" in cli.err) is warns


def test_a_result_without_a_summary_has_nothing_to_ask(cli: Cli) -> None:
    with judging(quoting) as (server, _):
        local(server)
        assert cli.run("judge", SESSION, "-s", "high-density", "--profile", "local") == 0
    assert "nothing to ask" in cli.out
    assert server.log == []


def test_a_dry_run_asks_nothing(cli: Cli) -> None:
    found = cli.json("judge", SESSION, "-s", "middle-out", "--dry-run")
    assert found["asked"] > 0
    assert found["judgements"] == []


COMPACT = ("compact", SESSION, "-s", "middle-out")


@pytest.mark.req("BACK-5", "LOSS-2.5.4")
def test_compact_runs_the_backtest_where_it_is_asked_for(cli: Cli) -> None:
    assert cli.json(*COMPACT)["losses"]["backtest"] is None
    found = cli.json(*COMPACT, "--backtest")["losses"]["backtest"]
    alone = cli.json("backtest", SESSION, "-s", "middle-out")["strategies"][0]
    assert (found["points"], found["needed"], found["kept"]) == (5, alone["needed"], alone["kept"])
    assert set(found) == {"points", "needed", "kept"}
    assert cli.run(*COMPACT, "--backtest") == 0
    assert "Backtest: at 5 points of its own past" in cli.out


@pytest.mark.req("BACK-3", "LOSS-2.5.4")
def test_a_warning_says_why_there_is_no_backtest(cli: Cli) -> None:
    answer = cli.json("compact", RECORDING, "-s", "one-shot", "--backtest")
    assert answer["losses"]["backtest"] is None
    assert any(text.startswith("Backtest: – The session has ") for text in answer["warnings"])


@pytest.mark.req("JUDGE-5", "LOSS-2.5.4")
def test_compact_asks_the_judge_and_reports_what_it_said(cli: Cli, tmp_path: Path) -> None:
    with judging(quoting) as (server, _):
        local(server)
        found = cli.json(*COMPACT, "--judge", "local")["losses"]["judged"]
        report = tmp_path / "report.html"
        assert cli.run(*COMPACT, "--judge", "local", "--to", "html", "-o", str(report)) == 0
        calls = len(server.log)
    assert found["judge"] == {"profile": "local", "model": "m"}
    assert {one["verdict"] for one in found["judgements"]} == {"says the same"}
    assert calls == -(-len(found["judgements"]) // 15)  # what was asked is known
    assert "local (m, unproven) of " in report.read_text("utf-8")
    assert cli.json(*COMPACT)["losses"]["judged"] is None


@pytest.mark.req("JUDGE-5")
def test_compact_needs_a_model_that_judges_and_a_place_for_what_it_says(
    cli: Cli, tmp_path: Path
) -> None:
    assert "judges nothing" in cli.error_text(*COMPACT, "--judge", "offline")
    ProfileStore().save(PAID)
    assert "need a yes" in cli.error_text(*COMPACT, "--judge", "paid")
    out = str(tmp_path / "out.jsonl")
    for option in (("--judge", "paid"), ("--backtest",)):
        assert "nowhere to be shown" in cli.error_text(*COMPACT, *option, "-o", out)
    with judging(says("opposite", "These words stand nowhere")) as (server, _):
        local(server)
        assert cli.run(*COMPACT, "--judge", "local") == 3
