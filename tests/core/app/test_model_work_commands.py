"""A model at work in the worker: prompt trials, questions, hybrid's agent mode; confirmed, shown,
recorded."""

import json
from pathlib import Path

import pytest

from core.app.events import CompactionRequest
from core.app.services.ask import AskService
from core.app.services.preview import PreviewService
from core.app.services.prompts import PromptService
from core.app.services.settings import ProfileService
from core.presentation.dialog_model import (
    CallQuestion,
    PromptLocation,
    PromptPage,
    SummaryProgress,
    TrialPage,
)
from core.presentation.inspector_model import AskPage
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from core.settings.prompts import built_in
from core.settings.schema import HYBRID_MODE, LIMIT, STRATEGY
from core.strategies.high_density import NAME as DENSE
from core.strategies.hybrid import NAME as HYBRID
from core.strategies.hybrid_agent import MAX_ROUNDS, METADATA, RESULT, SEGMENT
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.scopes import ALL
from tests.core.app.recording_workspace import (
    RecordingHandler,
    last_event,
    save_profile,
)
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.losses.test_judge import judging, says
from tests.support import loopback
from tests.support.loopback import UNAUTHORISED, Loopback, Reply, reply_with_calls

NAME = COMPACTION_STRATEGIES[0]
TEXT = built_in(NAME).text
OTHER = TEXT.replace("errors_encountered", "weather")
RULE = "Never raise the timeout of the upload test."
FAULT = "ConnectionResetError: [Errno 104] Connection reset by peer"


@pytest.fixture
def handler(transcript: Path) -> RecordingHandler:
    messages = json.loads(transcript.read_text())
    messages[12]["content"] = RULE
    messages[16]["tool_calls"][0]["function"] = {
        "name": "bash",
        "arguments": '{"command": "pytest"}',
    }
    messages[17]["content"] = f"{FAULT}\n"
    transcript.write_text(json.dumps(messages))
    return RecordingHandler(transcript)


def facts(page: TrialPage) -> dict[str, tuple[str, str]]:
    return {fact.label: (fact.value, fact.tone) for fact in page.facts}


def prompt_page(handler: RecordingHandler) -> PromptPage:
    handler(PromptService.page, PromptLocation(NAME), None)
    return last_event(handler, PromptPage)


def test_without_a_name_the_prompt_of_the_chosen_strategy_is_shown(
    handler: RecordingHandler,
) -> None:
    for strategy, prompt in (("tiered", "tiered"), ("one-shot", NAME), ("none", NAME)):
        handler(PreviewService.change, ((STRATEGY, strategy), (LIMIT, 100_000)))
        assert handler.call(PromptService.page, PromptLocation("")).name == prompt


def test_offline_tells_what_its_summary_holds_and_changes_nothing(
    handler: RecordingHandler,
) -> None:
    before = handler(PreviewService.change)
    page = handler(PromptService.try_prompt, NAME, TEXT, offline=True)
    assert RULE in page.text
    assert facts(page)["Your messages, word for word"][0] == "6 of 6"
    assert facts(page)["Open errors, word for word"] == ("1 of 1", "ok")
    assert not page.is_running
    worded = handler(
        PromptService.try_prompt, NAME, f"In a friendly voice: {TEXT}", offline=True
    )
    assert (worded.text, worded.facts) == (page.text, page.facts)
    assert worded.note.endswith("The built-in text gives this same summary.")
    after = handler(PreviewService.change)
    assert after.result.heading == before.result.heading
    assert after.history.choices == before.history.choices


def test_a_model_writes_beside_the_built_in_text(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server)
    page = prompt_page(handler)
    assert page.trial.model == "Try with local…"
    assert (
        page.request.facts[-1].value
        == f"to {server.base[7:]}, by local, nothing to pay"
    )
    server.script = [
        Reply(text=f"- {RULE}\nIt failed: {FAULT}"),
        Reply(text=f"It failed: {FAULT}"),
    ]
    first = handler(PromptService.try_prompt, NAME, OTHER)
    assert "weather" in server.log[-1].text
    assert facts(first)["Open errors, word for word"] == ("1 of 1", "ok")
    assert "built-in text with local" in first.note
    handler(PromptService.try_prompt, NAME, TEXT)
    server.script = [Reply(text=f"- {RULE}")]
    again = handler(PromptService.try_prompt, NAME, OTHER)
    assert [(fact.label, fact.value) for fact in again.facts][1:] == [
        ("Your messages, word for word", "1 of 6"),
        ("– with built in", "0 of 6"),
        ("Open errors, word for word", "0 of 1"),
        ("– with built in", "1 of 1"),
    ]
    assert again.note == ""
    assert any(
        event.progress for event in handler.events if isinstance(event, TrialPage)
    )


def test_another_temperature_needs_a_trial_of_the_built_in_text_again(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler.use_profile(server)
    handler(PromptService.try_prompt, NAME, TEXT)
    known_text = handler(PromptService.try_prompt, NAME, OTHER)
    assert known_text.note == ""
    handler.use_profile(server, parameters={"temperature": 1})
    warmer = handler(PromptService.try_prompt, NAME, OTHER)
    assert "built-in text with local" in warmer.note


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (UNAUTHORISED, "local (tiny-1)"),
        (Reply(text="w " * 400, pace=0.05), "Cancelled."),
    ],
)
def test_a_try_that_fails_or_is_cancelled_says_so_in_its_page(
    handler: RecordingHandler, server: Loopback, reply: Reply, what: str
) -> None:
    handler.use_profile(server, reply)
    handler.reason = "" if reply is UNAUTHORISED else "cancel"
    page = handler(PromptService.try_prompt, NAME, TEXT)
    assert what in page.notice.title
    assert not page.is_running
    assert not any(isinstance(event, Notice) for event in handler.events)


def test_a_paid_model_is_asked_about_once_for_tries_and_runs(
    handler: RecordingHandler,
) -> None:
    handler.use_paid_profile()
    sent = "to api.anthropic.com, by haiku, at most $"
    assert prompt_page(handler).request.facts[-1].value.startswith(sent)
    assert handler(PromptService.try_prompt, NAME, TEXT).question.title.startswith(
        f"Send this {sent}"
    )
    assert "NOT_SET_HERE" in str(
        handler(PromptService.try_prompt, NAME, TEXT, agreed=True).notice
    )
    handler(PreviewService.compact, CompactionRequest())
    assert "NOT_SET_HERE" in str(last_event(handler, Notice))


@pytest.fixture
def sample() -> RecordingHandler:
    sample = RecordingHandler(SESSION)
    sample(PreviewService.set_scope, ALL)
    sample(PreviewService.change, ((STRATEGY, DENSE),))
    return sample


def test_a_run_is_named_by_its_size_and_its_notice_says_what_it_saved(
    sample: RecordingHandler,
) -> None:
    made = sample.screen(PreviewService.compact, CompactionRequest())
    size = f"≈{sample.preview.sizes.after_tokens:,}"
    assert sample.preview.sizes.overhead_tokens
    assert made.history.choices[0].label == f"run 1 · {DENSE} · {size}"
    saved = sample.preview.sizes.before_tokens - sample.preview.sizes.after_tokens
    assert f"−{saved:,} tokens" in sample.notices[0].title


def test_answers_come_one_by_one_and_stay_with_a_result(
    sample: RecordingHandler,
) -> None:
    with judging(says("missing")) as (server, _):
        sample.use_profile(server, key_env="")
        sample(AskService.questions, False)
        assert (
            "Ask local · 4 questions, nothing to pay"
            in last_event(sample, AskPage).button_text
        )
        assert server.log == []
        sample(AskService.run, False)
        pages = [event for event in sample.events if isinstance(event, AskPage)]
        assert [page.done for page in pages if page.is_running] == list(range(5))
        done = last_event(sample, AskPage)
        assert "of 4 questions: 4 not found" in done.status
        assert {row.verdict for row in done.rows} == {"not found"}
        assert ("expected", "missing") in [
            (cells[0], cells[2]) for cells in done.rows[0].details
        ]
        assert sample(AskService.questions, False).rows == done.rows
        assert len(server.log) == 1
    sample(PreviewService.change, ((STRATEGY, "one-shot"),))
    sample(ProfileService.use, "local")
    unwritten = "The summary is not written yet: compact first."
    assert sample(AskService.questions, False).reason == unwritten


RESULTS = [
    (RESULT, {"message_index": place, "strategy": "generic"})
    for place in range(2, 30, 3)
]
SCRIPT = (
    reply_with_calls((METADATA, {})),
    reply_with_calls(*RESULTS),
    reply_with_calls((SEGMENT, {"start_index": 0, "end_index": 29, "summary": "S"})),
    Reply(text="Done."),
)
AGENT = ((STRATEGY, HYBRID), (HYBRID_MODE, "agent"), (LIMIT, 4000))
WORDS = [word for key, value in AGENT for word in ("--set", f"{key}={value}")]


@pytest.fixture
def agent(transcript: Path, server: Loopback) -> RecordingHandler:
    server.script = list(SCRIPT)
    agent = RecordingHandler(transcript)
    agent(PreviewService.change, AGENT)
    return agent


@pytest.mark.req("LH-77", "LH-72", "LH-89")
def test_the_window_shows_rounds_and_calls_as_they_come(
    agent: RecordingHandler, server: Loopback
) -> None:
    agent.use_profile(server)
    assert server.log == []
    agent(PreviewService.compact, CompactionRequest())
    pictures = [event for event in agent.events if isinstance(event, SummaryProgress)]
    assert pictures[-1].is_over
    titles = [
        f"local works with tools, round {number} of at most {MAX_ROUNDS}"
        for number in range(1, 5)
    ]
    assert list(dict.fromkeys(one.title for one in pictures)) == titles
    text = pictures[-1].text
    assert f"Round 1 · {METADATA}: Looked at 30 messages." in text
    assert f"Round 2 · {RESULT}: The result in #3 became a line" in text
    assert f"Round 3 · {SEGMENT}: Refused: Cannot compress: Message at index" in text
    assert [one.fraction for one in pictures] == sorted(
        one.fraction for one in pictures
    )
    assert last_event(agent, Screen).history.choices


@pytest.mark.req("LH-92")
@pytest.mark.parametrize("reply", [loopback.UNAUTHORISED, loopback.REFUSED])
def test_a_later_error_changes_nothing(
    agent: RecordingHandler, server: Loopback, reply: Reply
) -> None:
    server.script = [*SCRIPT[:2], reply]
    agent.use_profile(server, stream=False)
    before = last_event(agent, Screen)
    agent(PreviewService.compact, CompactionRequest())
    notice = last_event(agent, Notice)
    assert notice.severity == "error"
    assert "local (tiny-1)" in notice.title
    assert "The conversation is unchanged" in notice.text
    agent(PreviewService.change)
    assert last_event(agent, Screen).result.heading == before.result.heading


@pytest.mark.req("LH-90")
def test_cancel_ends_the_run_and_leaves_the_history(
    agent: RecordingHandler, server: Loopback
) -> None:
    agent.use_profile(server)
    agent.reason = "cancel"
    agent(PreviewService.compact, CompactionRequest())
    assert last_event(agent, Notice).title == "Cancelled."
    assert last_event(agent, Notice).text == "The conversation is unchanged."


def test_a_paid_profile_is_asked_about_with_rounds_and_most_cost(
    agent: RecordingHandler,
) -> None:
    agent.use_paid_profile()
    assert "$" in str(last_event(agent, Screen))
    agent(PreviewService.compact, CompactionRequest())
    asked = last_event(agent, CallQuestion)
    assert f"in up to {MAX_ROUNDS} rounds" in asked.text
    assert asked.facts[0].value.startswith("at most $")
    assert asked.facts[0].value.endswith(f"in {MAX_ROUNDS} rounds")


@pytest.mark.req("LH-85")
def test_the_command_line_records_each_call(
    cli: Cli, transcript: Path, server: Loopback
) -> None:
    save_profile(server, *SCRIPT)
    made = cli.json("compact", str(transcript), *WORDS, "--profile", "local")
    assert [call["purpose"] for call in made["calls"]] == [
        f"round {number}" for number in range(1, 5)
    ]
    steps = [step for call in made["calls"] for step in call["agent_steps"]]
    assert [step["round"] for step in steps] == [1, *[2] * len(RESULTS), 3]
    assert steps[1]["tool"] == RESULT
    assert steps[-1]["refused"]
    assert made["after"]["tokens"] == steps[-1]["tokens"] < made["before"]["tokens"]
    assert made["stats"]["tool_results_compressed"] == len(RESULTS)


@pytest.mark.req("LH-77")
def test_offline_runs_directly_and_says_so(cli: Cli, transcript: Path) -> None:
    made = cli.json("compact", str(transcript), *WORDS)
    assert any("direct ran instead" in warning for warning in made["warnings"])
