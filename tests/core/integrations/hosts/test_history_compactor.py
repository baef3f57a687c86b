"""Histories inside hosts: kept messages are the host's own, and no error reaches the agent."""

import logging

import pytest

from core.api import InputError, lint, size, trigger_size
from core.common.json_value import Json
from core.integrations.hosts.history_compactor import HistoryCompactor
from tests.core.integrations.hosts.histories import LIMIT, openai_messages

Dict = dict[str, Json]


def compacted(compactor: HistoryCompactor, messages: list[Dict]) -> list[Dict] | None:
    return compactor.compacted(messages, lambda message: [message], lambda item: item)


def test_a_history_over_the_trigger_is_shortened_once_and_keeps_the_hosts_messages() -> None:
    given, compactor = openai_messages(), HistoryCompactor("middle-out", limit=LIMIT)
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
    groups = [dicts[:1], *(dicts[place : place + 4] for place in range(1, len(dicts), 4))]
    shorter = HistoryCompactor("high-density", limit=LIMIT).compacted(groups, list, lambda item: [item])
    assert shorter is not None
    assert any(group is groups[0] for group in shorter)
    assert any(group is groups[-2] for group in shorter)


@pytest.mark.logs
def test_an_error_leaves_the_history_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "foldline"):
        assert compacted(HistoryCompactor("no-such-strategy", limit=LIMIT), openai_messages()) is None
    assert "could not be compacted" in caplog.text


def test_a_window_must_be_known() -> None:
    with pytest.raises(InputError, match="needs the window"):
        HistoryCompactor("middle-out")
