"""Asking a model over the loopback server: grades, refusals, failures, price; ``foldline probe``."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from core.analysis.losses.losses_of import source_facts
from core.analysis.probes.cost import probe_costs
from core.analysis.probes.model import ProbeAnswer
from core.analysis.probes.runner import MAX_FAILURES, ProbePlan, ProbeRound, plan_round, probe_answers
from core.common.errors import Cancelled
from core.configuration.profile_store import ProfileStore
from core.llm.client import LLMClient
from core.llm.litellm_adapter import load_litellm
from core.preview.options import StageCache
from core.settings.profile import Profile
from core.strategies.one_shot import NAME as ONE_SHOT
from tests.core.analysis.probing import AnsweringServer, truncated_preview
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_model import PAID, local
from tests.core.llm.model_asking import KEY, profile
from tests.support import loopback
from tests.support.loopback import SUMMARY, Loopback, ReceivedRequest, Reply, run_loopback

LOCAL = Profile("work", "openai", "m", base_url="http://127.0.0.1:9/v1")
WRITTEN = Reply("Question: Which port does staging use?\nReference: 9090.")
GRADED = Reply(
    "accuracy: 5\ncontext awareness: 4\nartifact trail: 3\ncompleteness: 2\ncontinuity: 1\n"
    "instruction following: 0"
)


def plan(answerer: Profile = LOCAL, judge: Profile = LOCAL, **plan_fields: object) -> ProbeRound:
    run = truncated_preview()
    return plan_round(run, source_facts(run, StageCache()), ProbePlan(**plan_fields), answerer, judge)  # type: ignore[arg-type]


def caller(asked_of: Profile, retries: int = 0) -> LLMClient:
    load_litellm()
    return LLMClient(
        asked_of, KEY, retries=retries, observer=lambda event: None, cancelled=lambda: False, first_wait=0.01
    )


def given(server: Loopback, asked_of: ProbeRound, shape: str = "openai") -> list[ProbeAnswer]:
    one = caller(profile(server, shape))
    return list(probe_answers(asked_of, one, one))


@contextmanager
def running(server: Loopback) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.stop()


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_model_that_knows_is_right_and_one_that_does_not_is_wrong(shape: str) -> None:
    found = plan(max_questions=8)
    server = AnsweringServer({one.text: one.expected for one in found.questions})
    with running(server):
        assert {one.score for one in given(server, found, shape)} == {1.0}
        server.answers = {}
        assert {one.score for one in given(server, found, shape)} == {0.0}


def test_one_question_goes_out_at_a_time_over_the_result_alone() -> None:
    found = plan(max_questions=4)
    with run_loopback(Reply("Not in the context.")) as server:
        given(server, found)
    for sent, question in zip(server.log, found.questions, strict=True):
        assert sent.body["temperature"] == 0
        assert sent.text.endswith(question.text)
        assert sum(one.text in sent.text for one in found.questions) == 1
        assert "Never touch" not in sent.text.replace(question.text, "")
        assert "never an order" in sent.text
    assert server.log[0].body["messages"][0] == server.log[1].body["messages"][0]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (loopback.EMPTY, "answered nothing"),
        (loopback.TOO_LONG, "was cut off"),
        (loopback.BROKEN, "the server failed (HTTP 500)"),
        (loopback.GARBAGE, "cannot be read"),
        (loopback.REFUSED, "refused to answer"),
    ],
    ids=["empty", "cut", "500", "garbage", "refused"],
)
def test_no_answer_is_a_failure_and_never_a_wrong_answer(reply: Reply, words: str) -> None:
    with run_loopback(Reply("No."), reply) as server:
        found = given(server, plan(max_questions=8), "anthropic" if reply is loopback.REFUSED else "openai")
    assert found[0].score == 0
    assert [one.score for one in found[1:]] == [None] * MAX_FAILURES  # and nothing more is asked
    assert words in found[1].failure
    assert KEY not in found[1].failure


def test_cancel_ends_the_run_between_two_answers() -> None:
    stop = False

    def is_cancelled() -> bool:
        return stop

    load_litellm()
    with run_loopback(Reply("No.")) as server:
        one = LLMClient(
            profile(server),
            KEY,
            retries=0,
            observer=lambda event: None,
            cancelled=is_cancelled,
            first_wait=0.01,
        )
        running = probe_answers(plan(max_questions=8), one, one)
        assert next(running).score == 0
        stop = True
        with pytest.raises(Cancelled):
            next(running)
    assert len(server.log) == 1


def test_a_free_question_is_written_answered_and_graded() -> None:
    found = replace(plan(max_questions=1, free_count=1), questions=())
    with run_loopback(WRITTEN, Reply("9090, I think."), GRADED) as server:
        (one,) = given(server, found)
    assert (one.question.text, one.question.expected) == ("Which port does staging use?", "9090.")
    assert (one.answer, one.grades, one.score) == ("9090, I think.", (5, 4, 3, 2, 1, 0), 0.5)
    writing, answering, grading = (sent.text for sent in server.log)
    assert "Never touch" in writing
    assert "Never touch" not in answering
    assert "9090, I think." in grading


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ((Reply("I would ask about ports."),), "wrote no question"),
        ((WRITTEN, loopback.EMPTY), "answered nothing"),
        ((WRITTEN, Reply("9090"), Reply("Very good!")), "gave no six grades"),
    ],
    ids=["unreadable", "unanswered", "ungraded"],
)
def test_a_free_question_that_fails_is_told(script: tuple[Reply, ...], words: str) -> None:
    with run_loopback(*script) as server:
        (one,) = given(server, replace(plan(max_questions=1, free_count=1), questions=()))
    assert one.score is None
    assert words in one.failure


def test_the_price_counts_every_call_and_says_who_is_paid() -> None:
    found = plan(PAID, LOCAL, max_questions=5, free_count=2, baseline=True)
    answering, judging = probe_costs(found, PAID, LOCAL)
    asked = len(found.questions)
    assert (answering.calls, answering.needs_consent) == (asked + 2 + asked, True)
    assert (judging.calls, judging.needs_consent) == (4, False)
    assert answering.price.known
    assert found.uncompacted is not None
    assert answering.sent > (asked + 2) * found.compacted.tokens + asked * found.uncompacted.tokens


def test_a_history_that_does_not_fit_is_not_asked_over() -> None:
    small = Profile("small", "openai", "gpt-4", base_url=LOCAL.base_url)  # a window of 8,192
    long = replace(
        truncated_preview(),
        history=replace(truncated_preview().history, messages=truncated_preview().messages * 8),
    )
    found = plan_round(
        long, source_facts(truncated_preview(), StageCache()), ProbePlan(baseline=True), small, small
    )
    assert found.uncompacted is None
    assert "does not fit the window of gpt-4 (8,192)" in found.warnings[0]


PROBE = ("probe", SESSION, "-s", "high-density")
FEW = ("--questions", "3", "--set", "compression.retries=0")


def test_a_dry_run_shows_questions_and_answers_and_calls_nothing(cli: Cli) -> None:
    assert cli.run(*PROBE, "--dry-run") == 0
    assert "With what error did “pytest" in cli.out
    assert "3 questions; offline answers none of them" in cli.out
    ProfileStore().save(PAID)  # whose key is nowhere
    assert cli.run(*PROBE, "--dry-run", "--profile", "paid", "--free", "2") == 0
    assert "9 calls, ≈" in cli.out
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
    with running(server):
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local") == 0
        assert "answered     2 of 3" in cli.out
        assert "the server failed (HTTP 500)" in cli.out
        assert "nothing to pay" in cli.err
        found = cli.json(*PROBE, *FEW, "--profile", "local", "--baseline")
    every = found["scores"][-1]
    assert (every["kind"], every["asked"], every["compacted"]["mean"]) == ("all", 3, 1.0)
    assert (found["asked"], found["answered"], found["cost"]) == (6, 4, 0.0)
    assert found["difference"] == {"answered": 2, "mean": 0.0, "low": 0.0, "high": 0.0}
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
    assert all(words in error for words in ("3 calls", "at most $", "--yes", "--dry-run"))
    ProfileStore().save(Profile("free", "ollama", "m"))
    error = cli.error_text(*PROBE, "--profile", "free", "--judge", "paid", "--free", "1")
    assert "Calls need a yes" in error


class _Interrupting(Loopback):
    def reply_to(self, received: ReceivedRequest) -> Reply:
        found = super().reply_to(received)
        if len(self.log) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return found


def test_ctrl_c_ends_the_run(cli: Cli) -> None:
    server = _Interrupting(Reply("No."), Reply("No. " * 200, pace=0.05))
    with running(server):
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local", "--quiet") == 130
    assert (cli.out, cli.err, len(server.log)) == ("", "Cancelled.\n", 2)


def test_a_summary_is_written_first_and_then_asked_about(cli: Cli) -> None:
    with run_loopback(Reply(SUMMARY), Reply("Not in the context.")) as server:
        local(server)
        assert cli.run("probe", SESSION, "-s", ONE_SHOT, "--profile", "local", "--yes", *FEW) == 0
    assert len(server.log) == 4
    assert "about 4 calls" in cli.err
    assert "Ship the parser" in server.log[1].text


def test_where_there_is_nothing_to_ask_nothing_is_sent(cli: Cli) -> None:
    with run_loopback(Reply(SUMMARY)) as server:
        local(server)
        assert cli.run("probe", SESSION, "-s", "middle-out", *FEW, "--profile", "local") == 0
    assert "Nothing was compacted that could be asked for." in cli.err
    assert server.log == []
