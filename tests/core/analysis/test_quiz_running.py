"""The quiz over the loopback server: good, lying, refusing and cut-off answers and grades."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from core.analysis.losses.losses_of import source_facts
from core.analysis.quiz.model import QuizAnswer
from core.analysis.quiz.runner import (
    MAX_FAILURES,
    QuizPlan,
    QuizRound,
    plan_round,
    quiz_answers,
    quiz_costs,
    quiz_secrets,
)
from core.common.errors import Cancelled
from core.llm.client import LLMClient
from core.llm.litellm_adapter import load_litellm
from core.preview.options import StageCache
from core.settings.profile import Profile
from core.settings_store.profile_store import ProfileStore
from core.strategies.one_shot import NAME as ONE_SHOT
from tests.core.analysis.quiz_servers import AnsweringServer, truncated_preview
from tests.core.analysis.test_judge import Answer, last_text, says
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_model import PAID, local
from tests.core.common.test_redact import SAMPLES
from tests.core.llm.model_asking import KEY, profile
from tests.support import loopback
from tests.support.loopback import SUMMARY, Loopback, ReceivedRequest, Reply, run_loopback

LOCAL = Profile(name="work", provider="openai", model="m", base_url="http://127.0.0.1:9/v1")
STRETCH = "The retry_limit is 7 for staging."
WRITTEN = {"question": "How often is an upload tried again?", "answer": "7 times", "quote": STRETCH}


def written(**changed: str) -> Reply:
    return Reply(text=json.dumps(WRITTEN | changed))


def plan(answerer: Profile = LOCAL, **plan_fields: object) -> QuizRound:
    run = truncated_preview()
    return plan_round(run, source_facts(run, StageCache()), QuizPlan(**plan_fields), answerer)  # type: ignore[arg-type]


def caller(asked_of: Profile, retries: int = 0) -> LLMClient:
    load_litellm()
    return LLMClient(
        asked_of,
        KEY,
        retries=retries,
        observer=lambda event: None,
        cancelled=lambda: False,
        first_wait=0.01,
    )


def given(server: Loopback, asked_of: QuizRound, shape: str = "openai") -> list[QuizAnswer]:
    one = caller(profile(server, shape))
    return list(quiz_answers(asked_of, one, one))


@contextmanager
def running(server: Loopback) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.stop()


@pytest.mark.req("JUDGE-4")
@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_model_that_knows_is_right_and_one_that_does_not_is_wrong(shape: str) -> None:
    found = plan(max_questions=8)
    server = AnsweringServer({one.text: " and ".join(one.points) for one in found.questions})
    with running(server):
        right = given(server, found, shape)
        server.answers = {}
        assert {one.score for one in given(server, found, shape)} == {0.0}
    assert {one.score for one in right} == {1.0}
    assert [one.judgements[0].quote for one in right] == [one.points[0] for one in found.questions]


def test_one_question_goes_out_at_a_time_over_the_result_alone() -> None:
    found = plan(max_questions=4)
    server = AnsweringServer({})
    with running(server):
        given(server, found)
    for sent, question in zip(server.questions, found.questions, strict=True):
        assert sent.body["temperature"] == 0
        assert sent.text.endswith(question.text)
        assert sum(one.text in sent.text for one in found.questions) == 1
        assert "Never touch" not in sent.text.replace(question.text, "")
        assert "never an order" in sent.text
    first, second, *_ = server.questions
    assert first.body["messages"][0] == second.body["messages"][0]


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
    asked = plan(max_questions=8)
    server = AnsweringServer({one.text: reply for one in asked.questions[1:]})
    with running(server):
        found = given(server, asked, "anthropic" if reply is loopback.REFUSED else "openai")
    assert found[0].score == 0
    assert [one.score for one in found[1:]] == [None] * MAX_FAILURES  # and nothing more is asked
    assert words in found[1].failure
    assert KEY not in found[1].failure


@pytest.mark.req("JUDGE-4")
@pytest.mark.parametrize(
    ("grades", "words"),
    [
        (says("says the same", "These words stand nowhere"), "its quote is not in the text"),
        (says("splendid"), "the model gave no known verdict"),
        (Reply(text="All right."), "gave no verdicts"),
        (Reply(text='{"verdicts": [{"id": 1', finish="length"), "was cut off"),
        (loopback.REFUSED, "refused to answer"),
        (loopback.BROKEN, "the server failed (HTTP 500)"),
    ],
    ids=["lying", "bad", "prose", "cut", "refused", "500"],
)
def test_what_a_judge_cannot_prove_is_no_grade(grades: Answer | Reply, words: str) -> None:
    server = AnsweringServer({})
    server.answer = grades
    with running(server):
        found = given(server, plan(max_questions=8))
    assert [one.score for one in found] == [None] * MAX_FAILURES
    assert {one.answer for one in found} == {"Not in the context."}
    assert all(words in one.failure for one in found)


def test_cancel_ends_the_run_between_two_answers() -> None:
    stop = False

    def is_cancelled() -> bool:
        return stop

    load_litellm()
    server = AnsweringServer({})
    with running(server):
        one = LLMClient(
            profile(server),
            KEY,
            retries=0,
            observer=lambda event: None,
            cancelled=is_cancelled,
            first_wait=0.01,
        )
        answers = quiz_answers(plan(max_questions=8), one, one)
        assert next(answers).score == 0
        stop = True
        with pytest.raises(Cancelled):
            next(answers)
    assert len(server.questions) == 1


def written_ones(*replies: Reply, answer: str = "") -> tuple[AnsweringServer, list[QuizAnswer]]:
    """Ask one question a reply, each written from a stretch."""
    asked = replace(plan(max_questions=1, written_count=len(replies)), questions=())
    server = AnsweringServer({WRITTEN["question"]: answer}, replies)
    with running(server):
        return server, given(server, asked)


@pytest.mark.req("JUDGE-4")
def test_a_written_question_has_a_quote_of_the_source_and_is_graded_like_all() -> None:
    server, (one,) = written_ones(written(), answer="It is tried 7 times.")
    assert (one.question.text, one.question.points) == (WRITTEN["question"], ("7 times",))
    assert (one.question.quote, one.score) == (STRETCH, 1.0)
    assert 0 in one.question.messages
    writing, answering, grading = (sent.text for sent in server.log)
    assert "Never touch" in writing
    assert "Never touch" not in answering
    assert "It is tried 7 times." in grading


def test_the_writer_hears_what_was_asked_before() -> None:
    server, _ = written_ones(written(), written(question="Which port?", answer="7"))
    first, second = (sent for sent in server.log if "asked before" in last_text(sent))
    assert json.loads(last_text(first))["asked before"] == []
    assert json.loads(last_text(second))["asked before"] == [WRITTEN["question"]]


@pytest.mark.req("JUDGE-4")
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(text="I would ask about ports."), "wrote no question with an answer"),
        (written(answer=" "), "wrote no question with an answer"),
        (written(quote="The limit is 8."), "whose quote is not in the source"),
        (written(quote=""), "whose quote is not in the source"),
        (written(answer="an upload"), "contains its answer"),
        (replace(written(), finish="length"), "was cut off"),
        (loopback.REFUSED, "refused to answer"),
    ],
    ids=["prose", "half", "lying", "unquoted", "given-away", "cut", "refused"],
)
def test_a_question_that_cannot_be_proven_is_not_asked(reply: Reply, words: str) -> None:
    server, (one,) = written_ones(reply)
    assert one.score is None
    assert words in one.failure
    assert server.questions == []


@pytest.mark.req("JUDGE-4")
def test_the_price_counts_every_call_and_says_who_is_paid() -> None:
    found = plan(PAID, max_questions=5, written_count=2, baseline=True)
    answering, judging = quiz_costs(found, PAID, LOCAL)
    asked = len(found.questions) + 2
    assert (answering.calls, answering.needs_consent) == (2 * asked, True)
    assert (judging.calls, judging.needs_consent) == (2 + 2 * asked, False)
    assert answering.price.known
    assert found.uncompacted is not None
    assert answering.sent > asked * (found.compacted.tokens + found.uncompacted.tokens)


def test_a_secret_that_only_the_judge_is_sent_counts() -> None:
    found = plan(max_questions=1)
    assert quiz_secrets(found) == 0
    (question,) = found.questions
    expected = replace(question, points=(SAMPLES["github-token"],))
    assert quiz_secrets(replace(found, questions=(expected,))) == 1


def test_a_history_that_does_not_fit_is_not_asked_over() -> None:
    small = Profile(
        name="small", provider="openai", model="gpt-4", base_url=LOCAL.base_url
    )  # a window of 8,192
    short = truncated_preview()
    history = replace(short.source.history, messages=short.messages * 8)
    long = replace(short, source=replace(short.source, history=history))
    found = plan_round(
        long, source_facts(truncated_preview(), StageCache()), QuizPlan(baseline=True), small
    )
    assert found.uncompacted is None
    assert "does not fit the window of gpt-4 (8,192)" in found.warnings[0]


WHOLE = (SESSION, "--scope", "all")
PROBE = ("probe", *WHOLE, "-s", "high-density")
FEW = ("--questions", "3", "--set", "compression.retries=0")


def test_a_dry_run_shows_questions_and_answers_and_calls_nothing(cli: Cli) -> None:
    assert cli.run(*PROBE, "--dry-run") == 0
    assert "With what error did “pytest" in cli.out
    assert "3 questions; offline answers none of them" in cli.out
    ProfileStore().save(PAID)  # whose key is nowhere
    assert cli.run(*PROBE, "--dry-run", "--profile", "paid", "--free", "2") == 0
    assert "12 calls, ≈" in cli.out
    assert "at most $" in cli.out
    assert "2 questions that the model writes" in cli.out


def test_the_size_is_that_of_the_next_request_as_in_the_window(cli: Cli) -> None:
    assert cli.run("probe", SESSION, "-s", "high-density", "--scope", "all", "--dry-run") == 0
    assert "context  ≈101,039 → " in cli.out


def test_offline_answers_no_questions(cli: Cli) -> None:
    assert "The offline profile answers no questions." in cli.error_text(*PROBE)
    ProfileStore().save(PAID)
    error = cli.error_text(*PROBE, "--profile", "paid", "--judge", "offline")
    assert "The offline profile grades no answers." in error


def test_scores_come_with_how_many_were_graded(cli: Cli) -> None:
    questions = cli.json(*PROBE, "--dry-run", *FEW)["questions"]
    answers: dict[str, str | Reply] = {
        one["question"]: " / ".join(one["expected"]) for one in questions
    }
    answers[questions[1]["question"]] = loopback.BROKEN
    server = AnsweringServer(answers)
    with running(server):
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local") == 0
        assert "graded by    local (m, unproven)" in cli.out
        assert "graded       2 of 3" in cli.out
        assert "the server failed (HTTP 500)" in cli.out
        assert "nothing to pay" in cli.err
        found = cli.json(*PROBE, *FEW, "--profile", "local", "--baseline")
    every = found["scores"][-1]
    assert (every["kind"], every["asked"], every["compacted"]["mean"]) == ("all", 3, 1.0)
    assert (found["asked"], found["answered"], found["graded"], found["cost"]) == (6, 4, 4, 0.0)
    assert {one["verdict"] for one in found["answers"][0]["verdicts"]} == {"says the same"}
    assert found["difference"] == {"graded": 2, "mean": 0.0, "low": 0.0, "high": 0.0}
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
    assert all(words in error for words in ("6 calls", "at most $", "--yes", "--dry-run"))
    ProfileStore().save(Profile(name="free", provider="ollama", model="m"))
    error = cli.error_text(*PROBE, "--profile", "free", "--judge", "paid")
    assert "Calls need a yes" in error


class _Interrupting(Loopback):
    def reply_to(self, received: ReceivedRequest) -> Reply:
        found = super().reply_to(received)
        if len(self.log) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return found


def test_ctrl_c_ends_the_run(cli: Cli) -> None:
    server = _Interrupting(Reply(text="No."), Reply(text="No. " * 200, pace=0.05))
    with running(server):
        local(server)
        assert cli.run(*PROBE, *FEW, "--profile", "local", "--quiet") == 130
    assert (cli.out, cli.err, len(server.log)) == ("", "Cancelled.\n", 2)


class _Summarising(AnsweringServer):
    def reply_to(self, received: ReceivedRequest) -> Reply:
        found = super().reply_to(received)
        return Reply(text=SUMMARY) if len(self.log) == 1 else found


def test_a_summary_is_written_first_and_then_asked_about(cli: Cli) -> None:
    server = _Summarising({})
    with running(server):
        local(server)
        assert cli.run("probe", *WHOLE, "-s", ONE_SHOT, "--profile", "local", "--yes", *FEW) == 0
    assert len(server.log) == 7
    assert "about 7 calls" in cli.err
    assert "Ship the parser" in server.log[1].text


def test_where_there_is_nothing_to_ask_nothing_is_sent(cli: Cli) -> None:
    with run_loopback(Reply(text=SUMMARY)) as server:
        local(server)
        assert cli.run("probe", *WHOLE, "-s", "middle-out", *FEW, "--profile", "local") == 0
    assert "Nothing was compacted that could be asked for." in cli.err
    assert server.log == []
