"""Probes in the worker: an offer with its price, a page without a call, a page after each answer."""

from collections.abc import Iterator

import pytest

from core.app.events import OpenRequest
from core.app.services.preview import OpenService, PreviewService
from core.app.services.probes import ProbeService
from core.app.services.settings import ProfileService
from core.configuration.profile_store import ProfileStore
from core.llm.litellm_adapter import load_litellm
from core.presentation.inspector_model import ProbeOffer, ProbePage
from core.settings.keys import STRATEGY
from core.settings.profile import Profile
from core.strategies.high_density import NAME as DENSE
from tests.core.app.recording_session import RecordingHandler, last_event, save_profile
from tests.core.cli.running_cli import SESSION
from tests.loopback import Loopback, Reply, run_loopback


@pytest.fixture
def handler() -> RecordingHandler:
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(SESSION))
    handler(PreviewService.change, ((STRATEGY, DENSE),))
    return handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    load_litellm()
    monkeypatch.setenv("LOCAL_KEY", "sk-local-0123456789abcdef")
    with run_loopback(Reply("Not in the context.")) as one:
        yield one


def pages(handler: RecordingHandler) -> list[ProbePage]:
    return [event for event in handler.events if isinstance(event, ProbePage)]


def test_the_foot_of_the_fidelity_tab_says_price_or_reason(
    handler: RecordingHandler, server: Loopback
) -> None:
    handler(ProbeService.offer)
    assert "offline profile answers no questions" in last_event(handler, ProbeOffer).note
    save_profile(server)
    handler(ProfileService.use, "local")
    handler(ProbeService.offer)
    assert last_event(handler, ProbeOffer).note == "local: nothing to pay"
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5"))
    handler(ProfileService.use, "haiku")
    handler(ProbeService.offer)
    assert last_event(handler, ProbeOffer).note.startswith("haiku: at most $")


def test_answers_come_one_by_one_and_stay_until_the_result_changes(
    handler: RecordingHandler, server: Loopback
) -> None:
    save_profile(server)
    handler(ProfileService.use, "local")
    handler(ProbeService.questions, False)
    assert "Ask local 19 questions · nothing to pay" in last_event(handler, ProbePage).button_text
    assert server.log == []
    handler(ProbeService.run, False)
    running = [page for page in pages(handler) if page.is_running]
    assert [page.done for page in running] == list(range(20))
    done = last_event(handler, ProbePage)
    assert "19 of 19 answered" in done.status
    assert done.table[-1][0] == "all"
    assert {row.verdict for row in done.rows} == {"right", "wrong"}
    handler(ProbeService.questions, False)
    assert last_event(handler, ProbePage).table == done.table
    handler(ProbeService.questions, True)
    assert (last_event(handler, ProbePage).table, last_event(handler, ProbePage).total) == ((), 38)
    handler(PreviewService.change, ((STRATEGY, "one-shot"),))
    handler(ProfileService.use, "local")
    handler(ProbeService.questions, False)
    assert last_event(handler, ProbePage).reason == "The summary is not written yet: compact first."
    assert len(server.log) == 19
