"""``foldline probe``: questions without a call, answers over the loopback server, the price first."""

import os
import signal

import pytest

from core.configuration.profile_store import ProfileStore
from core.settings.profile import Profile
from core.strategies.middle_out import NAME as MIDDLE
from tests import loopback
from tests.core.analysis.probing import AnsweringServer
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_model import PAID, local
from tests.loopback import SUMMARY, Loopback, ReceivedRequest, Reply, run_loopback

PROBE = ("probe", SESSION, "-s", "high-density")
FEW = ("--questions", "4", "--set", "compression.retries=0")


def test_a_dry_run_shows_questions_and_answers_and_calls_nothing(cli: Cli) -> None:
    assert cli.run(*PROBE, "--dry-run") == 0
    assert "What rule was set about" in cli.out
    assert "→ Not in the context." in cli.out
    assert "19 questions; offline answers none of them" in cli.out
    ProfileStore().save(PAID)  # whose key is nowhere
    assert cli.run(*PROBE, "--dry-run", "--profile", "paid", "--free", "2") == 0
    assert "25 calls, ≈" in cli.out
    assert "at most $" in cli.out
    assert "2 free questions, which the model writes" in cli.out


def test_offline_answers_no_questions(cli: Cli) -> None:
    assert "The offline profile answers no questions." in cli.error_text(*PROBE)
    ProfileStore().save(PAID)
    error = cli.error_text(*PROBE, "--profile", "paid", "--judge", "offline", "--free", "1")
    assert "The offline profile answers no questions." in error


def test_scores_come_with_how_many_answered(cli: Cli) -> None:
    questions = cli.json(*PROBE, "--dry-run", *FEW)["questions"]
    answers: dict[str, str | Reply] = {one["question"]: one["expected"] for one in questions}
    answers[questions[1]["question"]] = loopback.BROKEN
    server = AnsweringServer(answers)
    server.start()
    try:
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local") == 0
        assert "answered     3 of 4" in cli.out
        assert "the server failed (HTTP 500)" in cli.out
        assert "nothing to pay" in cli.err
        found = cli.json(*PROBE, *FEW, "--profile", "local", "--baseline")
    finally:
        server.stop()
    every = found["scores"][-1]
    assert (every["kind"], every["asked"], every["compacted"]["mean"]) == ("all", 4, 1.0)
    assert (found["asked"], found["answered"], found["cost"]) == (8, 6, 0.0)
    assert found["difference"] == {"answered": 3, "mean": 0.0, "low": 0.0, "high": 0.0}
    assert [one["score"] for one in found["answers"]].count(None) == 2


def test_a_model_that_never_answers_ends_with_3(cli: Cli) -> None:
    with run_loopback(loopback.UNAUTHORISED) as server:
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local", "--quiet") == 3
    assert (cli.out, cli.err.count("\n"), len(server.log)) == ("", 1, 3)
    assert "refused the key (HTTP 401)" in cli.err


def test_a_paid_run_needs_a_yes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.cli.output.model_call.can_ask", lambda: False)
    ProfileStore().save(PAID)
    error = cli.error_text(*PROBE, "--profile", "paid")
    assert all(words in error for words in ("19 calls", "at most $", "--yes", "--dry-run"))
    ProfileStore().save(Profile("free", "ollama", "m"))
    error = cli.error_text(*PROBE, "--profile", "free", "--judge", "paid", "--free", "1")
    assert "Paid calls need a yes" in error


class _Interrupting(Loopback):
    def reply_to(self, received: ReceivedRequest) -> Reply:
        found = super().reply_to(received)
        if len(self.log) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return found


def test_ctrl_c_ends_the_run(cli: Cli) -> None:
    server = _Interrupting(Reply("No."), Reply("No. " * 200, pace=0.05))
    server.start()
    try:
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local", "--quiet") == 130
    finally:
        server.stop()
    assert (cli.out, cli.err, len(server.log)) == ("", "Cancelled.\n", 2)


def test_a_summary_is_written_first_and_then_asked_about(cli: Cli) -> None:
    with run_loopback(Reply(SUMMARY), Reply("Not in the context.")) as server:
        local(server)
        assert cli.run("probe", SESSION, "-s", MIDDLE, "--profile", "local", "--yes", *FEW) == 0
    assert len(server.log) == 5
    assert "about 5 calls" in cli.err
    assert "Ship the parser" in server.log[1].text
