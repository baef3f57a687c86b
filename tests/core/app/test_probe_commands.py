"""Probes in the worker: an offer with its price, a page without a call, a page after each answer."""

from __future__ import annotations

import pytest

from core.app.services.preview import PreviewService
from core.app.services.probes import ProbeService
from core.app.services.settings import ProfileService
from core.configuration.profile_store import ProfileStore
from core.presentation.inspector_model import ProbePage
from core.settings.keys import STRATEGY
from core.settings.profile import Profile
from core.strategies.high_density import NAME as DENSE
from tests.core.app.recording_session import (
    RecordingHandler,
    last_event,
)
from tests.core.cli.running_cli import SESSION
from tests.loopback import Loopback, Reply


@pytest.fixture
def handler() -> RecordingHandler:
    handler = RecordingHandler(SESSION)
    handler(PreviewService.change, ((STRATEGY, DENSE),))
    return handler


def test_an_offer_of_questions_says_price_or_reason(handler: RecordingHandler, server: Loopback) -> None:
    assert "offline profile answers no questions" in handler(ProbeService.offer).note
    handler.use_profile(server)
    assert handler(ProbeService.offer).note == "local: nothing to pay"
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5"))
    handler(ProfileService.use, "haiku")
    assert handler(ProbeService.offer).note.startswith("haiku: at most $")


def test_answers_come_one_by_one_and_stay_with_a_result(handler: RecordingHandler, server: Loopback) -> None:
    handler.use_profile(server, Reply("Not in the context."))
    handler(ProbeService.questions, False)
    assert "Ask local 18 questions · nothing to pay" in last_event(handler, ProbePage).button_text
    assert server.log == []
    handler(ProbeService.run, False)
    pages = [event for event in handler.events if isinstance(event, ProbePage)]
    assert [page.done for page in pages if page.is_running] == list(range(19))
    done = last_event(handler, ProbePage)
    assert "18 of 18 answered" in done.status
    assert done.table[-1][0] == "all"
    assert {row.verdict for row in done.rows} == {"right", "wrong"}
    assert handler(ProbeService.questions, False).table == done.table
    more = handler(ProbeService.questions, True)
    assert (more.table, more.total) == ((), 36)
    handler(PreviewService.change, ((STRATEGY, "one-shot"),))
    handler(ProfileService.use, "local")
    assert handler(ProbeService.questions, False).reason == "The summary is not written yet: compact first."
    assert len(server.log) == 18
