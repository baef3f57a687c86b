"""``foldline ask`` over the loopback server: what is asked, what is said, what it costs."""

import json
import re
from pathlib import Path

import pytest

from core.common.json_value import Json
from core.settings_store.profile_store import ProfileStore
from tests.core.cli.running_cli import RECORDING, SESSION, Cli
from tests.core.cli.test_cli_model import PAID, local
from tests.core.common.test_redact import SAMPLES
from tests.core.losses.test_judge import Answer, judging, says, told
from tests.core.trials.test_tune_command import chat
from tests.support.loopback import REFUSED, Reply

JUDGE = ("ask", SESSION, "-s", "middle-out", "--profile", "local")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def quoting(statement: Json, text: str) -> Json:
    return {"id": statement["id"], "verdict": "says the same", "quote": text}


def call_count(found: Json) -> int:
    """Return the calls for what was judged: fifteen statements or questions each."""
    finds = sum(bool(one["expected"]) for one in found["judgements"])
    statements = len(found["judgements"]) - finds
    return -(-statements // 15) + -(-finds // 15)


def asked(cli: Cli, answer: Answer | Reply, *options: str) -> tuple[Json, int]:
    with judging(answer) as (server, _):
        local(server)
        return cli.json(*JUDGE, *options), len(server.log)


@pytest.mark.req("JUDGE-1")
def test_every_verdict_comes_with_its_quote(cli: Cli) -> None:
    found, calls = asked(cli, quoting)
    statements = statements_of(found)
    assert found["verdicts"]["says the same"] == len(statements) > 0
    assert all(one["quote"] for one in statements)
    assert found["judge"] == {"profile": "local", "model": "m"}
    assert found["calibration"] is None
    assert calls == call_count(found)
    again, no_calls = asked(cli, quoting)
    assert no_calls == calls or again["judgements"] == found["judgements"]


@pytest.mark.req("JUDGE-2")
def test_where_nothing_is_answered_the_command_fails(cli: Cli) -> None:
    with judging(REFUSED) as (server, _):
        local(server)
        assert cli.run(*JUDGE) == 3
    assert "Nothing was judged: local (m) refused to answer." in cli.err


def statements_of(found: Json) -> list[Json]:
    return [one for one in found["judgements"] if not one["expected"]]


@pytest.mark.req("JUDGE-2")
def test_a_quote_that_stands_nowhere_proves_nothing(cli: Cli) -> None:
    found, _ = asked(cli, says("opposite", "These words stand nowhere at all"))
    reasons = {one["reason"] for one in statements_of(found)}
    assert reasons == {"its quote is not in the text"}


@pytest.mark.req("JUDGE-4")
def test_one_run_asks_both_and_counts_each(cli: Cli) -> None:
    found, _ = asked(cli, quoting)
    finds = [one for one in found["judgements"] if one["expected"]]
    assert {one["verdict"] for one in finds} == {"not found"}
    assert all(one["missing"] == one["expected"] for one in finds)
    assert found["verdicts"]["not found"] == len(finds) > 0
    assert len(found["questions"]) == found["asked"] == len(found["judgements"])


@pytest.mark.parametrize("former", ["judge", "probe"])
def test_former_names_of_the_command_keep_working(cli: Cli, former: str) -> None:
    options = (SESSION, "-s", "middle-out", "--dry-run")
    assert cli.json(former, *options) == cli.json("ask", *options)
    assert cli.run("help", former) == 0
    assert "foldline ask" in cli.out


@pytest.mark.req("JUDGE-3")
def test_the_pairs_come_first_where_they_are_asked_for(cli: Cli) -> None:
    found, calls = asked(cli, told, "--calibrate")
    assert found["calibration"] == {
        "pairs": 60,
        "told_apart": 60,
        "faithful_wrong": 0,
        "unanswered": 1,
    }
    assert calls == 8 + call_count(found)


@pytest.mark.req("JUDGE-3")
def test_a_model_that_tells_too_few_pairs_apart_is_withheld(cli: Cli) -> None:
    found, _ = asked(cli, says("missing"), "--calibrate")
    (reason,) = {one["reason"] for one in statements_of(found)}
    assert reason.startswith(
        "its verdicts are withheld: 60 of 60 told apart, 60 of 60 faithful"
    )


@pytest.mark.req("JUDGE-3")
def test_the_pairs_alone_need_no_file(cli: Cli) -> None:
    with judging(told) as (server, _):
        local(server)
        assert cli.run("ask", "--calibrate", "--profile", "local") == 0, cli.err
    assert cli.out == (
        "local (m): 60 of 60 told apart, 0 of 60 faithful ones called wrong; 1 not answered.\n"
    )
    assert "needs a FILE" in cli.error_text("ask", "--profile", "local")


def test_the_table_says_what_is_unproven(cli: Cli) -> None:
    with judging(quoting) as (server, _):
        local(server)
        assert cli.run(*JUDGE) == 0
    assert "local (m, unproven) of " in cli.out
    assert "say the same" in cli.out


def test_it_needs_a_model_and_a_yes(cli: Cli) -> None:
    assert "calls no model that could answer" in cli.error_text(
        "ask", SESSION, "-s", "middle-out"
    )
    ProfileStore().save(PAID)
    assert "This would call a model" in cli.error_text(
        "ask", SESSION, "-s", "middle-out", "--profile", "paid"
    )


@pytest.mark.parametrize(
    ("command", "secrets"),
    [
        ("ask {} --scope all -s middle-out --profile paid", "2 secrets"),
        ("check {} --scope all -s middle-out --judge paid", "2 secrets"),
        ("compact {} --scope all -s middle-out --judge paid", "2 secrets"),
        ("compact {} --scope all -s middle-out --profile paid", "1 secret"),
        ("compare {} --scope all -s middle-out --profile paid", "1 secret"),
        ("compare {folder} --scope all -s middle-out --profile paid", "1 secret"),
        (
            "replay {} -s middle-out --profile paid --set compression.context-limit=9000",
            "1 secret",
        ),
        (
            (
                "sweep {} --scope all -s middle-out --profile paid --vary "
                "compression.preserve-threshold=10%,20%"
            ),
            "1 secret",
        ),
    ],
)
def test_before_the_yes_every_command_says_how_many_secrets_are_sent(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    secrets: str,
) -> None:
    """The judge is sent it in the statement, in the source and in the summary."""
    ProfileStore().save(PAID)
    monkeypatch.setenv(PAID.key_env, "sk-1234")
    path = tmp_path / "session.jsonl"
    text, told = Path(SESSION).read_text("utf-8"), "Before you do the pool: "
    for key, warns in (("none", False), (SAMPLES["github-token"], True)):
        path.write_text(text.replace(told, f"{told}the token is {key}, "), "utf-8")
        assert cli.run(*command.format(path, folder=tmp_path).split()) == 2
        assert "would call a model" in cli.err
        assert (
            bool(re.search(f"warning: {secrets} in what is sent[.:]", cli.err)) is warns
        )
        assert ("secret" in cli.err) is warns


def test_a_result_that_lost_nothing_has_nothing_to_ask(cli: Cli) -> None:
    with judging(quoting) as (server, _):
        local(server)
        assert cli.run("ask", SESSION, "-s", "none", "--profile", "local") == 0
    assert "nothing to ask" in cli.out
    assert server.log == []


def test_a_dry_run_asks_nothing(cli: Cli) -> None:
    found = cli.json("ask", SESSION, "-s", "middle-out", "--dry-run")
    assert found["asked"] > 0
    assert found["judgements"] == []


COMPACT = ("compact", SESSION, "-s", "middle-out")


@pytest.mark.req("BACK-5", "LOSS-2.5.4")
def test_compact_runs_the_backtest_where_it_is_asked_for(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "long.json"
    path.write_text(json.dumps(chat(40)))
    run = (str(path), "-s", "middle-out", "--set", "compression.context-limit=1000")
    assert cli.json("compact", *run)["losses"]["backtest"] is None
    found = cli.json("compact", *run, "--backtest")["losses"]["backtest"]
    alone = cli.json("backtest", *run)["strategies"][0]
    assert found["points"] >= 3
    assert (found["needed"], found["kept"]) == (alone["needed"], alone["kept"])
    assert found["needed"] >= 20
    assert set(found) == {"points", "needed", "kept"}
    assert cli.run("compact", *run, "--backtest") == 0
    assert f"Backtest: at {found['points']} points of its own past" in cli.out


@pytest.mark.req("BACK-3", "LOSS-2.5.4")
def test_a_warning_says_why_there_is_no_backtest(cli: Cli) -> None:
    answer = cli.json("compact", RECORDING, "-s", "one-shot", "--backtest")
    assert answer["losses"]["backtest"] is None
    assert any(
        text.startswith("Backtest: – The session has ") for text in answer["warnings"]
    )


@pytest.mark.req("JUDGE-5", "LOSS-2.5.4")
def test_compact_asks_the_judge_and_reports_what_it_said(
    cli: Cli, tmp_path: Path
) -> None:
    with judging(quoting) as (server, _):
        local(server)
        found = cli.json(*COMPACT, "--judge", "local")["losses"]["judged"]
        report = tmp_path / "report.html"
        assert (
            cli.run(*COMPACT, "--judge", "local", "--to", "html", "-o", str(report))
            == 0
        )
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
    assert "calls no model that could judge" in cli.error_text(
        *COMPACT, "--judge", "offline"
    )
    ProfileStore().save(PAID)
    assert "This would call a model" in cli.error_text(*COMPACT, "--judge", "paid")
    out = str(tmp_path / "out.jsonl")
    for option in (("--judge", "paid"), ("--backtest",)):
        assert "prints figures" in cli.error_text(*COMPACT, *option, "-o", out)
    with judging(says("opposite", "These words stand nowhere")) as (server, _):
        local(server)
        assert cli.run(*COMPACT, "--judge", "local") == 3
