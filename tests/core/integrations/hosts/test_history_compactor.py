"""Histories inside hosts: kept messages are the host's own, and no error reaches the agent."""

import logging
from functools import partial
from typing import Any

import pytest

from core.api import Compacted, FoldlineError, SummaryRequest, lint, size, trigger_size
from core.integrations.hosts.history_compactor import HistoryCompactor
from core.strategies.registry import COMPACTION_STRATEGIES
from tests.core.integrations.hosts.histories import (
    LIMIT,
    RUN_LIMIT,
    openai_messages,
    write_one_section,
)
from tests.core.integrations.hosts.whole_run import Dict, alone, drive


def compacted(
    compactor: HistoryCompactor[Dict], messages: list[Dict]
) -> list[Dict] | None:
    return compactor.compacted(messages, lambda message: [message], lambda item: item)


def test_a_history_over_the_trigger_is_shortened_once_and_keeps_the_hosts_messages() -> (
    None
):
    given, compactor = (
        openai_messages(),
        HistoryCompactor[Dict]("middle-out", limit=LIMIT),
    )
    shorter = compacted(compactor, given)
    trigger = trigger_size(strategy="middle-out", limit=LIMIT)
    assert shorter is not None
    assert trigger is not None
    assert size(shorter, model="gpt-4o") < trigger <= size(given, model="gpt-4o")
    new = [message for message in shorter if not any(message is one for one in given)]
    assert len(new) == 2  # the summary and its answer
    assert (shorter[0], shorter[-1]) == (given[0], given[-1])
    assert not [finding for finding in lint(shorter) if finding.severity == "error"]
    assert compacted(compactor, shorter) is None  # below the trigger


def test_messages_of_several_dicts_stay_whole() -> None:
    dicts = openai_messages()
    groups = [
        dicts[:1],
        *(dicts[place : place + 4] for place in range(1, len(dicts), 4)),
    ]
    shorter = HistoryCompactor[list[Dict]]("high-density", limit=LIMIT).compacted(
        groups, list, lambda item: [item]
    )
    assert shorter is not None
    assert any(group is groups[0] for group in shorter)
    assert any(group is groups[-2] for group in shorter)


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_every_strategy_can_be_made(name: str) -> None:
    HistoryCompactor[Dict](name, limit=200_000, summarizer=never)


def never(_: SummaryRequest) -> str:
    raise AssertionError("no summary is asked for before there is a history")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "middl-out"}, "middl-out"),
        ({"settings": {"compression-treshold": 0.5}}, "compression-treshold"),
        ({"settings": {"compression.threshold": "much"}}, "compression.threshold"),
        ({"summariser": never}, "summariser"),
        ({"summarizer": "haiku"}, "not a function"),
        ({"limit": None, "model": "no-such-model"}, "not in the model table"),
        ({"limit": None}, "needs the window"),
        ({"pins": {3: "keep"}}, "pins"),
    ],
)
def test_options_that_cannot_be_used_raise_before_the_first_request(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(FoldlineError, match=words):
        HistoryCompactor[Dict](**{"strategy": "middle-out", "limit": LIMIT, **options})


@pytest.mark.parametrize("host_stores_the_result", [False, True])
@pytest.mark.parametrize(
    ("strategy", "rewritten"),
    [
        *(
            ("middle-out", 6),
            ("top-down-truncation", 6),
            ("one-shot", 6),
            ("high-density", 6),
        ),
        ("tiered", 10),  # it removes old results before it summarises
    ],
)
def test_a_whole_run_pays_for_few_summaries_and_stays_inside_the_window(
    strategy: str, rewritten: int, host_stores_the_result: bool
) -> None:
    run = drive(alone(strategy, host_stores_the_result=host_stores_the_result))
    assert len(run.summaries) <= 6
    assert max(run.sizes) < RUN_LIMIT
    assert (
        sum(run.rewritten) <= rewritten
    )  # the other requests begin with all of the one before


@pytest.mark.logs
def test_a_failing_summariser_is_asked_again_only_once_the_history_has_grown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: SummaryRequest) -> str:
        raise ZeroDivisionError

    with caplog.at_level(logging.ERROR, "foldline"):
        run = drive(alone("middle-out"), summarizer=fail)
    assert 1 <= len(run.summaries) < 15


@pytest.mark.logs
def test_a_summary_that_is_refused_is_said_and_why(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "foldline"):
        run = drive(alone("tiered"), summarizer=write_one_section)
    assert "lacks the sections" in caplog.text
    assert "Traceback" not in caplog.text
    assert max(run.sizes) > RUN_LIMIT  # nothing else makes this history fit


def test_two_runs_of_one_adapter_do_not_mix() -> None:
    compactor, (one, other) = (
        HistoryCompactor[Dict]("middle-out", limit=LIMIT),
        (openai_messages(),) * 2,
    )
    other = [*other[:1], {"role": "user", "content": "Something else."}, *other[2:]]
    shorter = [compacted(compactor, history) for history in (one, other, one, other)]
    assert shorter[0] == shorter[2] != shorter[1] == shorter[3]


class TooLongError(Exception):
    status_code = 413


def test_functions_are_told_before_and_after_a_compaction() -> None:
    told: list[int] = []
    results: list[Compacted[Any]] = []
    given = openai_messages()
    compactor = HistoryCompactor[Dict](
        "middle-out", limit=LIMIT, before=told.append, after=results.append
    )
    assert compacted(compactor, given) == results[0].messages
    assert told == [size(given)]
    refusing = HistoryCompactor[Dict]("middle-out", limit=LIMIT, before=lambda _: False)
    assert compacted(refusing, given) is None


@pytest.mark.logs
def test_an_error_of_the_function_that_is_told_leaves_the_result(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: Compacted[Any]) -> None:
        raise ZeroDivisionError

    compactor = HistoryCompactor[Dict]("middle-out", limit=LIMIT, after=fail)
    with caplog.at_level(logging.ERROR, "foldline"):
        assert compacted(compactor, openai_messages())
    assert "ZeroDivisionError" in caplog.text


def test_a_request_that_was_refused_as_too_long_says_the_window() -> None:
    given = openai_messages()
    compactor = HistoryCompactor[Dict]("middle-out", limit=200_000)
    after = partial(
        compactor.compacted_after, messages=given, to_dicts=lambda one: [one]
    )
    assert after(ValueError("no"), from_dict=lambda item: item) is None
    assert compacted(compactor, given) is None
    shorter = after(TooLongError(), from_dict=lambda item: item)
    assert shorter is not None
    assert size(shorter) < size(given) * 0.7
    assert compacted(compactor, given) == shorter  # what was refused is not sent again
    assert compactor.options["limit"] == 200_000
