"""Probes in the worker: an offer with its price, a page without a call, a page after each answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.app.messages import (
    ChangeSettingsCommand,
    LoadFidelityCommand,
    LoadProbesCommand,
    OpenFileCommand,
    RunCompactionCommand,
    RunProbesCommand,
)
from core.app.services.settings_commands import UseProfileCommand
from core.configuration.profile_store import ProfileStore
from core.llm.litellm_adapter import load_litellm
from core.presentation.model import Notice
from core.presentation.probes.model import ProbeOffer, ProbePage
from core.settings.keys import STRATEGY
from core.settings.profile import Profile
from core.strategies.high_density import NAME as DENSE
from tests import loopback
from tests.core.app.test_desk import Bench
from tests.core.app.test_desk_model import found, profile
from tests.core.cli.running_cli import SESSION
from tests.loopback import Loopback, Reply, serving


@pytest.fixture
def desk() -> Bench:
    bench = Bench()
    bench(OpenFileCommand(SESSION))
    bench(ChangeSettingsCommand(((STRATEGY, DENSE),)))
    return bench


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    load_litellm()
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with serving(Reply("Not in the context.")) as one:
        yield one


def pages(desk: Bench) -> list[ProbePage]:
    return [event for event in desk.events if isinstance(event, ProbePage)]


def test_the_foot_of_the_fidelity_tab_says_price_or_reason(desk: Bench, server: Loopback) -> None:
    desk(LoadFidelityCommand())
    assert "offline profile answers no questions" in found(desk, ProbeOffer).note
    profile(server)
    desk(UseProfileCommand("local"))
    desk(LoadFidelityCommand())
    assert found(desk, ProbeOffer).note == "local: nothing to pay"
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5"))
    desk(UseProfileCommand("haiku"))
    desk(LoadFidelityCommand())
    assert found(desk, ProbeOffer).note.startswith("haiku: at most $")


def test_offline_the_questions_are_shown_and_cannot_be_asked(desk: Bench) -> None:
    desk(LoadProbesCommand())
    page = found(desk, ProbePage)
    assert len(page.rows) == page.total == 20
    assert page.rows[0].details[0][0] == "expected"
    assert "choose one with a model" in page.reason
    desk(RunProbesCommand())
    assert "answers no questions" in str(found(desk, Notice))


def test_where_there_is_nothing_to_ask_no_model_is_called_for(desk: Bench) -> None:
    desk(ChangeSettingsCommand(((STRATEGY, "none"),)))
    desk(LoadProbesCommand())
    page = found(desk, ProbePage)
    assert (page.total, page.reason) == (0, "Nothing was compacted that could be asked for.")


def test_answers_come_one_by_one_and_stay_until_the_result_changes(desk: Bench, server: Loopback) -> None:
    profile(server)
    desk(UseProfileCommand("local"))
    desk(LoadProbesCommand())
    assert "Ask local 20 questions · nothing to pay" in found(desk, ProbePage).ask
    assert server.log == []
    desk(RunProbesCommand())
    running = [page for page in pages(desk) if page.is_running]
    assert [page.done for page in running] == list(range(21))
    done = found(desk, ProbePage)
    assert "20 of 20 answered" in done.said
    assert done.table[-1][0] == "all"
    assert {row.verdict for row in done.rows} == {"right", "wrong"}
    desk(LoadProbesCommand())
    assert found(desk, ProbePage).table == done.table
    desk(LoadProbesCommand(baseline=True))
    assert (found(desk, ProbePage).table, found(desk, ProbePage).total) == ((), 40)
    desk(ChangeSettingsCommand(((STRATEGY, "one-shot"),)))
    desk(UseProfileCommand("local"))
    desk(LoadProbesCommand())
    assert found(desk, ProbePage).reason == "The summary is not written yet: compact first."
    assert len(server.log) == 20


def test_failures_and_cancel_are_said(desk: Bench, server: Loopback) -> None:
    profile(server, Reply("No."), loopback.UNAUTHORISED)
    desk(UseProfileCommand("local"))
    desk(RunProbesCommand())
    page = found(desk, ProbePage)
    assert "1 of 20 answered, stopped after 3 failures in a row" in page.said
    assert [row.verdict for row in page.rows[:5]] == ["wrong", *["not answered"] * 3, ""]
    assert "sk-local" not in repr(page)
    desk.reason = "cancel"
    desk(RunProbesCommand())
    desk.reason = ""
    assert found(desk, ProbePage).said == "Cancelled."


def test_a_written_summary_can_be_asked_about(desk: Bench, server: Loopback) -> None:
    profile(server, Reply(loopback.SUMMARY), Reply("Not in the context."))
    desk(ChangeSettingsCommand(((STRATEGY, "one-shot"),)))
    desk(UseProfileCommand("local"))
    desk(RunCompactionCommand())
    desk(LoadProbesCommand())
    assert found(desk, ProbePage).reason == ""
