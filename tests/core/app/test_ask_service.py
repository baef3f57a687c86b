"""A model is asked about reworded sentences from the window: price first, then answer by answer."""

from collections.abc import Iterator

import pytest

from core.app.events import CompactionRequest
from core.app.services.ask import AskService
from core.app.services.lists import PanelService
from core.app.services.preview import PreviewService
from core.app.services.settings import ProfileService
from core.presentation.inspector_model import AskOffer, AskPage
from tests.core.app.recording_workspace import BOTTOM, RecordingHandler, save_profile
from tests.core.cli.running_cli import SESSION
from tests.core.losses.test_judge import JudgingServer, judging, says
from tests.support.loopback import SUMMARY, Reply

PAIRS = 120


@pytest.fixture
def server() -> Iterator[JudgingServer]:
    with judging(Reply(text=SUMMARY)) as (server, _):
        yield server


@pytest.fixture
def handler(server: JudgingServer) -> RecordingHandler:
    """A session whose summary a model wrote; from here on it judges."""
    handler = RecordingHandler(SESSION)
    save_profile(server, key_env="")
    handler(ProfileService.choose_summary_profile, "local")
    handler(PreviewService.compact, CompactionRequest())
    server.answer = says("missing")
    server.log.clear()
    return handler


def price(page: AskPage) -> str:
    return next(fact.value for fact in page.facts if fact.label == "Price")


def test_the_price_includes_the_pairs_where_they_are_asked_for(
    handler: RecordingHandler, server: JudgingServer
) -> None:
    alone, with_pairs = (
        handler(AskService.questions, calibrates) for calibrates in (False, True)
    )
    calls = int(price(alone).split()[0])
    assert calls == 2  # the statements, and the question that the result answers
    assert price(with_pairs).startswith(f"{calls + 8} calls")
    assert server.log == []
    assert [
        fact.value for fact in alone.facts if fact.label == "Secrets found in the text"
    ] == ["none"]


def test_the_pairs_are_counted_while_they_are_asked(handler: RecordingHandler) -> None:
    handler(AskService.run, True)
    pages = [event for event in handler.events if isinstance(event, AskPage)]
    pairs = [page.done for page in pages if page.total == PAIRS and page.is_running]
    assert pairs == list(range(PAIRS + 1))
    assert not pages[-1].is_running
    assert pages[-1].done == pages[-1].total != PAIRS
    again = handler(AskService.questions, False)
    assert again.rows == pages[-1].rows
    assert price(again).startswith("0 calls")


def test_what_another_profile_said_is_not_its_successors(
    handler: RecordingHandler, server: JudgingServer
) -> None:
    handler(AskService.run, False)
    save_profile(server, name="other", model="other-1", key_env="")
    handler(ProfileService.use, "other")
    page = handler(AskService.questions, False)
    assert not any(row.verdict for row in page.rows)


def test_where_nothing_is_to_be_asked_no_number_is_on_the_button(
    server: JudgingServer,
) -> None:
    handler = RecordingHandler(SESSION)
    save_profile(server, key_env="")
    handler(ProfileService.choose_summary_profile, "local")  # who has not written yet
    page = handler(AskService.questions, False)
    assert (page.button_text, page.reason) == (
        "Ask",
        "The summary is not written yet: compact first.",
    )


def offer(handler: RecordingHandler) -> object:
    return handler.call(PanelService.studies, False)[1]


@pytest.mark.req("LOSS-2.5.1")
def test_the_offer_counts_what_is_asked_and_has_the_price_of_who_is_asked(
    handler: RecordingHandler, server: JudgingServer
) -> None:
    page = handler(AskService.questions, False)
    asks = f"Ask a model · {page.total - 1} sentences, 1 question"
    assert offer(handler) == AskOffer(f"{asks}, nothing to pay")
    assert server.log == []


def test_where_nothing_is_to_be_asked_there_is_no_offer(server: JudgingServer) -> None:
    handler = RecordingHandler(SESSION)
    save_profile(server, key_env="")
    handler(ProfileService.choose_summary_profile, "local")  # who has not written yet
    assert offer(handler) == AskOffer("")


def test_after_the_pairs_the_model_is_asked_what_was_agreed_to(
    handler: RecordingHandler,
) -> None:
    asked = handler.call(AskService.questions, False)[0].questions
    steps = handler.steps(AskService.run, True)
    next(steps)
    handler(PreviewService.change, ((BOTTOM, 0.9),))
    assert [*steps][-1].questions == asked
