"""Compare in the window with the summaries of several profiles: prices, one yes, rows, cancel."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.app.services import compare
from core.app.services.compare import CompareService
from core.app.services.inspector import MustService
from core.app.services.preview import PreviewService
from core.app.services.side_by_side import SideBySideService
from core.presentation.compare.model import SUMMARIES_GROUP, ComparePage
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from core.settings.profile import OFFLINE
from core.settings.schema import LIMIT, PRESERVE, RETRIES
from core.settings_store.profile_store import ProfileStore
from core.strategies.names import EXCERPT, MIDDLE_OUT
from core.trials.trial import WRITTEN_BY, TrialResult
from tests.core.app.recording_workspace import RecordingHandler, last_event
from tests.core.cli.running_cli import SESSION
from tests.support.loopback import BROKEN, Reply
from tests.support.narrowing import known
from tests.support.two_models import BOTH, INVENTED, INVENTED_NAMES, Servers, two_models

COMPARED = ("none", MIDDLE_OUT)


@pytest.fixture
def servers() -> Iterator[Servers]:
    with two_models() as found:
        yield found


@pytest.fixture
def handler(servers: Servers) -> RecordingHandler:
    return RecordingHandler(SESSION)


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call is asked about, as if it left this machine."""
    monkeypatch.setattr(
        compare, "needs_consent", lambda profile: not profile.is_offline
    )


def compared(
    handler: RecordingHandler,
    names: tuple[str, ...] = COMPARED,
    profiles: tuple[str, ...] = BOTH,
    *,
    agreed: bool = False,
) -> ComparePage:
    page = handler(CompareService.compare_profiles, names, profiles, agreed)
    assert isinstance(page, ComparePage)
    return page


def rows(page: ComparePage) -> dict[str, TrialResult]:
    return {row.name: row for row in page.rows}


def calls(servers: Servers) -> list[int]:
    return [len(server.log) for server in servers]


def test_each_profile_has_a_row_of_its_own_summary(
    handler: RecordingHandler, servers: Servers
) -> None:
    page = compared(handler)
    found = rows(page)
    assert set(found) == {"none", "middle-out · first", "middle-out · second"}
    made_up = [found[f"middle-out · {name}"].losses.nowhere for name in BOTH]
    assert made_up[1] - made_up[0] == INVENTED_NAMES
    assert "summaries by first, second" in page.about
    assert page.is_over
    assert calls(servers) == [1, 1]


def test_profiles_are_offered_beside_an_aim_too(handler: RecordingHandler) -> None:
    page = handler(CompareService.compare, COMPARED, 20_000.0)
    offered = {one.value for one in page.choices if one.group == SUMMARIES_GROUP}
    assert offered == {f"{WRITTEN_BY}{name}" for name in (*BOTH, OFFLINE)}
    assert set(page.chosen) == {f"{WRITTEN_BY}{OFFLINE}", *COMPARED}


@pytest.mark.usefixtures("paid")
def test_the_prices_come_before_any_call(
    handler: RecordingHandler, servers: Servers
) -> None:
    page = compared(handler)
    question = page.question
    assert question is not None
    facts = {fact.label: fact.value for fact in question.facts}
    assert facts["first (model-first)"].startswith("1 call,")
    assert facts["second (model-second)"].startswith("1 call,")
    assert "Secrets found in the text" in facts
    assert not page.rows
    assert calls(servers) == [0, 0]


@pytest.mark.usefixtures("paid")
def test_one_yes_is_enough_for_all_calls(
    handler: RecordingHandler, servers: Servers
) -> None:
    compared(handler)
    assert len(compared(handler, agreed=True).rows) == 3
    again = compared(handler)
    assert again.question is None
    assert len(again.rows) == 3
    assert calls(servers) == [1, 1]


@pytest.mark.usefixtures("paid")
def test_another_strategy_is_asked_about_anew(
    handler: RecordingHandler, servers: Servers
) -> None:
    compared(handler, agreed=True)
    assert compared(handler, (*COMPARED, "one-shot")).question is not None
    assert calls(servers) == [1, 1]


@pytest.mark.usefixtures("paid")
def test_other_settings_are_asked_about_anew(
    handler: RecordingHandler, servers: Servers
) -> None:
    compared(handler, agreed=True)
    handler(PreviewService.change, ((PRESERVE, 0.1),))
    assert compared(handler).question is not None
    assert calls(servers) == [1, 1]


@pytest.mark.usefixtures("paid")
def test_an_edited_profile_is_asked_about_anew(
    handler: RecordingHandler, servers: Servers
) -> None:
    compared(handler, agreed=True)
    store = ProfileStore()
    store.save(replace(store.load("second"), model="another"))
    question = compared(handler).question
    assert question is not None
    assert [fact.value[:7] for fact in question.facts[:2]] == ["0 calls", "1 call,"]


def test_cancel_ends_the_call_and_keeps_what_is_there(
    handler: RecordingHandler, servers: Servers
) -> None:
    servers[1].script = [Reply(delay=5.0)]

    def cancel() -> None:
        if servers[1].log:
            handler.reason = "cancel"

    handler.while_waiting(cancel)
    handler(CompareService.compare_profiles, COMPARED, BOTH)
    assert "middle-out · first" in rows(last_event(handler, ComparePage))
    handler.reason = ""
    handler.while_waiting(lambda: None)
    servers[1].script = [Reply(text=INVENTED)]
    assert not any(row.error for row in compared(handler).rows)
    assert calls(servers)[0] == 1


def test_a_failed_row_is_tried_again_with_profiles_chosen_anew(
    handler: RecordingHandler, servers: Servers
) -> None:
    handler(PreviewService.change, ((RETRIES, 0),))
    servers[1].script = [BROKEN]
    assert rows(compared(handler))["middle-out · second"].error
    servers[1].script = [Reply(text=INVENTED)]
    assert rows(compared(handler))["middle-out · second"].error
    compared(handler, profiles=(OFFLINE, "first"))
    assert not rows(compared(handler))["middle-out · second"].error
    assert len(servers[0].log) == 1


def test_comparing_profiles_switches_the_summary_of_excerpt_on(
    handler: RecordingHandler,
) -> None:
    handler(PreviewService.change, ((LIMIT, 4_000),))
    page = compared(handler, (EXCERPT,))
    assert set(rows(page)) == {"excerpt · first", "excerpt · second"}


def test_strategies_without_a_summary_are_refused(handler: RecordingHandler) -> None:
    notice = handler(CompareService.compare_profiles, ("top-down-truncation",), BOTH)
    assert isinstance(notice, Notice)
    assert "No summary is asked for" in notice.title


def test_a_row_opens_as_it_was_written_without_a_call(
    handler: RecordingHandler, servers: Servers
) -> None:
    row = rows(compared(handler))["middle-out · second"]
    handler(PreviewService.use_trial, row.trial)
    screen = last_event(handler, Screen)
    assert "written by second" in screen.result.heading
    summary = handler.preview.result.compaction.summary
    assert "parseEverythingTwice" in known(summary).text
    assert calls(servers) == [1, 1]


def test_two_rows_stand_side_by_side_without_a_call(
    handler: RecordingHandler, servers: Servers
) -> None:
    found = rows(compared(handler))
    a, b = (found[f"middle-out · {name}"].trial for name in BOTH)
    handler(SideBySideService.results, a, b)
    assert "middle-out · second" in last_event(handler, Screen).result.heading
    assert calls(servers) == [1, 1]


def test_a_new_text_to_keep_is_judged_without_a_call(
    handler: RecordingHandler, servers: Servers
) -> None:
    compared(handler)
    handler(MustService.add, "parseEverythingTwice()")
    found = rows(compared(handler))
    assert all(len(row.losses.musts) == 1 for row in found.values())
    assert calls(servers) == [1, 1]
