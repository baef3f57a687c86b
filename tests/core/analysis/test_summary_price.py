"""Prices of summaries that no model wrote: in rows, tracks, points and views."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.analysis.compare.compare import compare_strategies
from core.analysis.context import AnalysisInput
from core.analysis.cost.summary_price import priced_cost, priced_row, pricing_model
from core.analysis.model import NO_UNPAID_REQUESTS, UnpaidRequests
from core.app.events import OpenRequest
from core.app.services.compare import CompareService, SweepService
from core.app.services.preview import OpenService
from core.app.services.replay import ReplayService
from core.common.errors import InputError
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.llm.catalog import find_model
from core.llm.prompt_cache import TokenRates, break_even
from core.presentation.compare.model import ComparePage, ReplayPage, SweepPage
from core.presentation.model import Notice
from core.settings.keys import PRESERVE
from core.settings.profile import OFFLINE
from core.strategies.one_shot import STRATEGY as ONE_SHOT
from tests.builders import conversation, talk
from tests.core.app.recording_session import RecordingHandler
from tests.core.cli.running_cli import Cli

VALUES = SettingLayers().resolve()
SAMPLE = str(SAMPLES / "fix-flaky-upload.jsonl")
DEAR, CHEAP = "claude-opus-4-5", "claude-haiku-4-5"


def test_a_request_and_its_answer_are_paid_at_the_price_of_the_model() -> None:
    price, info = pricing_model(DEAR, ""), find_model(DEAR)
    assert info is not None
    assert info.input_price is not None
    assert info.output_price is not None
    assert price.price(UnpaidRequests(((1000, 100),))) == pytest.approx(
        1000 * info.input_price + 100 * info.output_price
    )
    assert pricing_model("", DEAR) == price


def test_offline_is_free_and_an_unknown_session_has_no_price() -> None:
    assert pricing_model(OFFLINE, DEAR).price(UnpaidRequests(((1000, 100),))) == 0
    assert pricing_model("", "nobody-knows").price(UnpaidRequests(((1000, 100),))) is None
    assert pricing_model("", "nobody-knows").price(NO_UNPAID_REQUESTS) == 0
    with pytest.raises(InputError, match="no price of nobody-knows"):
        pricing_model("nobody-knows", DEAR)


def test_the_price_is_in_the_row_and_in_what_it_pays_back() -> None:
    talked = conversation(*talk(40, "so we go on with the next step " * 8), model=DEAR)
    (row,) = (one for one in compare_strategies(AnalysisInput(talked, VALUES), (ONE_SHOT.name,)))
    dear, cheap, free = (priced_row(row, pricing_model(name, DEAR)).cost for name in (DEAR, CHEAP, OFFLINE))
    assert row.cost is not None
    assert dear is not None
    assert cheap is not None
    assert free is not None
    assert free.break_even == pytest.approx(row.cost.break_even)
    assert row.cost.unpaid.sent > sum(len(str(one)) for one in talked.messages) // 20
    assert dear.summary is not None
    assert cheap.summary is not None
    assert 0 < cheap.summary < dear.summary
    assert dear.break_even is not None
    assert cheap.break_even is not None
    assert row.cost.break_even is not None
    assert row.cost.break_even < cheap.break_even < dear.break_even
    assert priced_cost(row.cost, pricing_model("", "nobody-knows")).summary is None


@pytest.mark.parametrize("command", ["compare", "replay", "sweep"])
def test_the_command_line_prices_as_a_model(cli: Cli, command: str) -> None:
    words = [command, SAMPLE, "-s", ONE_SHOT.name]
    words += ["--vary", f"{PRESERVE}=0.2,0.3"] if command == "sweep" else []
    assert cli.run(*words, "--price-as", CHEAP) == 0
    assert f"priced as {CHEAP}" in cli.out
    assert cli.json(*words)["price_as"] == "claude-sonnet-4-5"
    assert cli.json(*words, "--price-as", OFFLINE)["price_as"] == OFFLINE
    assert "no price of nobody" in cli.error_text(*words, "--price-as", "nobody")


def test_the_views_show_the_same_rows_at_other_prices() -> None:
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(SAMPLE))
    before = handler(CompareService.compare, (ONE_SHOT.name,))
    assert isinstance(before, ComparePage)
    assert before.price.choices[0].label == "claude-sonnet-4-5"
    handler(CompareService.price_as, DEAR)
    after = handler(CompareService.compare, (ONE_SHOT.name,))
    assert isinstance(after, ComparePage)
    first, second = (page.rows[0].cost for page in (before, after))
    assert first is not None
    assert second is not None
    assert (first.summary or 0) < (second.summary or 0)
    for method, kind, given in (
        (ReplayService.replay, ReplayPage, (ONE_SHOT.name,)),
        (SweepService.sweep, SweepPage, (f"{PRESERVE}=0.2,0.3",)),
    ):
        page = handler(method, given)
        assert isinstance(page, kind)
        assert page.price.value == DEAR


def test_a_model_without_a_price_is_refused_in_one_sentence() -> None:
    handler = RecordingHandler()
    handler(OpenService.open, OpenRequest(SAMPLE))
    notice = handler(CompareService.price_as, "nobody")
    assert isinstance(notice, Notice)
    assert notice.title == "The model table has no price of nobody."


FRESH = 1e-6
SHORT_CACHE = TokenRates("with a fee for writing", FRESH, 5e-6, FRESH * 0.1, FRESH * 1.25)
NO_FEE = TokenRates("without one", FRESH, 5e-6, FRESH * 0.1, FRESH)


@pytest.mark.parametrize(
    ("rates", "before", "after", "prefix", "summary", "calls"),
    [
        (SHORT_CACHE, 150_000, 120_000, 20_000, 0.0, 38.3),
        (SHORT_CACHE, 150_000, 120_000, 100_000, 0.0, 7.7),
        (NO_FEE, 150_000, 120_000, 20_000, 0.0, 30.0),
        (replace(NO_FEE, read=FRESH * 0.5), 150_000, 120_000, 20_000, 0.0, 3.3),
        (SHORT_CACHE, 150_000, 15_000, 12_000, 30_000 * FRESH, 2.5),
        (SHORT_CACHE, 150_000, 15_000, 12_000, 165_000 * FRESH, 12.5),
    ],
)
def test_it_has_paid_back_after_as_many_calls(
    rates: TokenRates, before: int, after: int, prefix: int, summary: float, calls: float
) -> None:
    found = break_even(before, after, prefix, rates, summary)
    assert found == pytest.approx(calls, abs=0.05)
