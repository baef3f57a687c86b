"""Comparison rows of strategies, presets and recorded compactions, their order and their prices."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.analysis_input import AnalysisInput
from core.analysis.costs import priced_cost, pricing_model
from core.analysis.model import BASELINE, NO_UNPAID_REQUESTS, UnpaidRequests
from core.app.services.compare import CompareService, ReplayService, SweepService
from core.common.errors import Cancelled, InputError
from core.common.paths import SAMPLES
from core.facts.model import FactKind
from core.formats.registry import load_conversation
from core.llm.catalog import TokenRates, break_even, find_model
from core.losses.evidence import MustMark, MustStatus
from core.losses.needed_later import NeededLater
from core.presentation.compare.model import ComparePage, ReplayPage, SweepPage
from core.presentation.model import Notice
from core.preview.options import PreviewOptions, StageCache
from core.settings.profile import OFFLINE
from core.settings.schema import PRESERVE
from core.settings_store.layers import SettingLayers
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.strategies.one_shot import STRATEGY as ONE_SHOT
from core.strategies.top_down import STRATEGY as TOP_DOWN
from core.transcript.model import (
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
)
from core.transcript.scopes import ALL
from core.trials.by_strategy import compare_strategies, pairwise_losses, ranked_rows
from core.trials.preset_check import (
    compare_preset_with_recorded,
    compare_presets_with_file,
    recorded_preset_pairs,
)
from core.trials.run import priced, scope_facts
from core.trials.trial import (
    RecordedComparison,
    Sizes,
    Trial,
    TrialLosses,
    TrialResult,
    kept_shares,
)
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, conversation, human, talk
from tests.support.sweep_points import past_keeping

VALUES = SettingLayers().resolve()
STRATEGIES = (MIDDLE_OUT.name, TOP_DOWN.name, "high-density", "claude-code")
SAMPLE = SAMPLES / "fix-flaky-upload.jsonl"
RULE = "Never write to /srv/upload/live.db directly."


def rows(
    found: Conversation,
    *names: str,
    scope: str = ALL,
    limit: int = 0,
    stages: StageCache | None = None,
) -> tuple[TrialResult, ...]:
    effective = values(context_limit=limit) if limit else VALUES
    source = AnalysisInput(
        conversation=found,
        values=effective,
        options=PreviewOptions(scope=scope),
        stages=stages or StageCache(),
    )
    return ranked_rows(list(compare_strategies(source, names)), scope)


def long_talk() -> Conversation:
    return conversation(
        human(RULE), ai("Understood."), *talk(38, "so we go on with the next step " * 8)
    )


@pytest.mark.req("LOSS-2.5.3")
def test_rows_come_by_what_they_keep_behind_the_baseline_and_what_was_recorded() -> (
    None
):
    found = rows(load_conversation(SAMPLE), BASELINE, "recorded", *STRATEGIES)
    assert all(row.needed_share is None for row in found[2:]), (
        "the session ends with what was compacted"
    )
    assert [row.sizes.tokens for row in found[2:]] == sorted(
        row.sizes.tokens for row in found[2:]
    )


@pytest.mark.req("LOSS-2.5.3")
def test_what_is_known_of_later_turns_and_the_backtest_are_never_mixed() -> None:
    later = TrialResult(
        trial=Trial("a"),
        kind="strategy",
        scope=ALL,
        sizes=Sizes(before_tokens=9, tokens=5, messages=1),
        losses=TrialLosses(needed=NeededLater(10, 4, 4)),
    )
    past = TrialResult(
        trial=Trial("b"),
        kind="strategy",
        scope=ALL,
        sizes=Sizes(before_tokens=9, tokens=5, messages=1),
        losses=TrialLosses(past=past_keeping(90)),
    )
    elsewhere = replace(later, trial=Trial("recorded 1"), scope="before:1")
    assert kept_shares((later, past), ALL) == ([0.4, None], False)
    assert kept_shares((elsewhere, past), ALL) == ([None, 0.9], True)
    assert kept_shares((elsewhere, replace(past, error="failed")), ALL) == (
        [None, None],
        False,
    )
    assert [row.name for row in ranked_rows((past, later), ALL)] == ["a", "b"]


@pytest.mark.req("LOSS-2.5.3")
def test_the_front_holds_what_no_other_row_beats() -> None:
    row = TrialResult(
        trial=Trial("a"),
        kind="strategy",
        scope=ALL,
        sizes=Sizes(before_tokens=100, tokens=50, messages=5),
    )

    def kept(names: int) -> NeededLater:
        return NeededLater(9, names, names)

    made = [
        replace(row, losses=replace(row.losses, needed=kept(8), gone=9)),
        replace(
            row,
            trial=Trial("b"),
            sizes=replace(row.sizes, tokens=60),
            losses=replace(row.losses, needed=kept(7), gone=0),
        ),
        replace(
            row,
            trial=Trial("c"),
            sizes=replace(row.sizes, tokens=40),
            losses=replace(row.losses, needed=kept(4)),
        ),
        replace(
            row,
            trial=Trial("idle"),
            no_op="Nothing to do.",
            sizes=replace(row.sizes, tokens=100),
            losses=replace(row.losses, needed=kept(9)),
        ),
        replace(
            row,
            trial=Trial(BASELINE),
            kind="preset",
            no_op="It never does.",
            sizes=replace(row.sizes, tokens=100),
            losses=replace(row.losses, needed=kept(9)),
        ),
        replace(
            row,
            trial=Trial("recorded 1"),
            kind="recorded",
            scope="before:1",
            sizes=replace(row.sizes, tokens=1),
            losses=replace(row.losses, needed=kept(9)),
        ),
        replace(
            row,
            trial=Trial("broken"),
            error="It failed.",
            sizes=replace(row.sizes, tokens=0, messages=0),
        ),
    ]
    found = ranked_rows(made, ALL)
    assert [row.name for row in found] == [
        BASELINE,
        "recorded 1",
        "idle",
        "a",
        "b",
        "c",
        "broken",
    ]
    assert {row.name for row in found if row.on_front} == {"a", "c"}


def made_row(name: str, tokens: int, *statuses: MustStatus) -> TrialResult:
    marks = tuple(MustMark(str(index), status) for index, status in enumerate(statuses))
    return TrialResult(
        trial=Trial(name),
        kind="strategy",
        scope=ALL,
        sizes=Sizes(before_tokens=1_000, tokens=tokens, messages=5),
        losses=TrialLosses(needed=NeededLater(9, 5, 5), musts=marks),
    )


GONE, PART, STANDS = MustStatus.GONE, MustStatus.IN_PART, MustStatus.WORD_FOR_WORD


def test_rows_come_by_most_musts_that_stand_fewest_gone_tokens() -> None:
    made = [
        made_row("d", 10, GONE, PART),
        made_row("c", 700, PART, STANDS),
        made_row("b", 500, PART, STANDS),
        made_row("e", 20, GONE, STANDS),
        made_row("a", 900, STANDS, STANDS),
    ]
    assert [row.name for row in ranked_rows(made, ALL)] == ["a", "b", "c", "e", "d"]


def test_no_row_with_a_must_gone_is_a_best_trade_off() -> None:
    found = ranked_rows((made_row("gone", 10, GONE), made_row("part", 500, PART)), ALL)
    assert [row.name for row in found if row.on_front] == ["part"]


def test_no_row_that_saves_nothing_is_a_best_trade_off() -> None:
    found = ranked_rows((made_row("idle", 999), made_row("less", 600)), ALL)
    assert [row.name for row in found if row.on_front] == ["less"]


def test_a_strategy_that_fails_says_why_and_the_others_go_on() -> None:
    found = {row.name: row for row in rows(long_talk(), TOP_DOWN.name, MIDDLE_OUT.name)}
    assert "context limit" in found[TOP_DOWN.name].error
    assert (
        found[MIDDLE_OUT.name].sizes.tokens < found[MIDDLE_OUT.name].sizes.before_tokens
    )


def test_progress_rises_and_cancel_ends_it_between_rows() -> None:
    told: list[float] = []
    made: list[str] = []

    def watch(fraction: float, text: str) -> None:
        told.append(fraction)
        if len(made) == 2:
            raise Cancelled

    stream = compare_strategies(
        AnalysisInput(
            conversation=long_talk(),
            values=VALUES,
            options=PreviewOptions(progress=watch),
        ),
        (),
    )
    with pytest.raises(Cancelled):
        made.extend(row.name for row in stream)
    assert len(made) == 2
    assert told == sorted(told)


def recorded_session(*summary: Message) -> Conversation:
    had = (human(RULE), ai("Understood."), *talk(8))
    one = RecordedCompaction(
        kind="summary", boundary=len(had), summary=summary, kept=(len(had) - 1,)
    )
    return conversation(*had, format="claude_code", recorded=(one,))


def summary_of(text: str) -> Message:
    return human(text, flags=MessageFlag.RECORDED_SUMMARY)


def recorded_row(found: Conversation) -> TrialResult:
    (row,) = compare_strategies(
        AnalysisInput(conversation=found, values=VALUES), ("recorded 1",)
    )
    return row


def test_a_recorded_compaction_is_judged_over_what_the_agent_had() -> None:
    kept = recorded_row(recorded_session(summary_of(f"The person said:\n- {RULE}")))
    lost = recorded_row(recorded_session(summary_of("We talked about this and that.")))
    assert (kept.kind, kept.scope, kept.sizes.before_messages, kept.sizes.messages) == (
        "recorded",
        "before:1",
        10,
        2,
    )
    assert (kept.losses.gone or 0) < (lost.losses.gone or 0)
    assert kept.cost is not None
    assert kept.cost.summary is None  # the price of its call is in no file


def test_an_encrypted_compaction_says_so_and_claims_nothing() -> None:
    opaque = Message(
        speaker=Speaker.UNKNOWN,
        blocks=(Opaque("compaction", {}),),
        flags=MessageFlag.RECORDED_SUMMARY,
    )
    found = recorded_row(recorded_session(opaque))
    assert "encrypted" in found.note
    assert (found.losses.gone, found.cost, found.losses.statuses) == (None, None, b"")


@pytest.mark.req("LH-84")
def test_what_one_row_loses_and_the_other_keeps() -> None:
    found, stages = long_talk(), StageCache()
    made = {
        row.name: row
        for row in rows(found, TOP_DOWN.name, BASELINE, limit=1_000, stages=stages)
    }
    facts = scope_facts(
        AnalysisInput(conversation=found, values=VALUES, stages=stages), ALL
    )
    told = pairwise_losses(made[TOP_DOWN.name], made[BASELINE], facts)
    assert FactKind.YOUR_MESSAGE in {one.fact.kind for one in told.lost_in_a}
    assert told.lost_in_b == ()


def against_recorded(found: Conversation) -> list[RecordedComparison]:
    source = AnalysisInput(conversation=found, values=VALUES).offline
    return [
        compare_preset_with_recorded(source, *pair)
        for pair in recorded_preset_pairs(found)
    ]


def test_a_preset_is_set_beside_what_its_agent_did() -> None:
    (found,) = against_recorded(load_conversation(SAMPLE))
    text = " ".join(found.sentences)
    assert found.number == 1
    assert all(
        words in text
        for words in (
            found.preset,
            "the agent left",
            "messages",
            "New text",
            "word for word",
        )
    )


@pytest.mark.parametrize(
    "name",
    [
        "claude_code/36_entire-cli.jsonl",
        "codex_rollout/13_agentv.jsonl",
        "cline_session/03_cline-sdk-session.json",
    ],
)
def test_presets_beside_real_agents(corpus: Path, name: str) -> None:
    found = load_conversation(corpus / name)
    if found.recorded:
        told = against_recorded(found)
    else:
        left = load_conversation(
            corpus / "cline_session" / "02_cline-sdk-basic-compaction.json"
        )
        told = list(
            compare_presets_with_file(
                AnalysisInput(conversation=found, values=VALUES).offline, left
            )
        )
    assert told
    for one in told:
        agent, own = (
            len(one.messages[0]) + len(one.messages[1]),
            len(one.messages[0]) + len(one.messages[2]),
        )
        assert (
            f"the agent kept {agent or 'none'} as they were, {one.preset} keeps {own or 'none'}"
            in " ".join(one.sentences)
        )


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
    assert (
        pricing_model("", "nobody-knows").price(UnpaidRequests(((1000, 100),))) is None
    )
    assert pricing_model("", "nobody-knows").price(NO_UNPAID_REQUESTS) == 0
    with pytest.raises(InputError, match="no price for nobody-knows"):
        pricing_model("nobody-knows", DEAR)


def test_the_price_is_in_the_row_and_in_what_it_pays_back() -> None:
    talked = conversation(*talk(40, "so we go on with the next step " * 8), model=DEAR)
    (row,) = (
        one
        for one in compare_strategies(
            AnalysisInput(conversation=talked, values=VALUES), (ONE_SHOT.name,)
        )
    )
    dear, cheap, free = (
        priced(row, pricing_model(name, DEAR)).cost for name in (DEAR, CHEAP, OFFLINE)
    )
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
    words = [command, str(SAMPLE), "-s", ONE_SHOT.name]
    words += ["--vary", f"{PRESERVE}=0.2,0.3"] if command == "sweep" else []
    assert cli.run(*words, "--price-as", CHEAP) == 0
    assert f"priced as {CHEAP}" in cli.out
    assert cli.json(*words)["price_as"] == "claude-sonnet-4-5"
    assert cli.json(*words, "--price-as", OFFLINE)["price_as"] == OFFLINE
    assert "no price for nobody" in cli.error_text(*words, "--price-as", "nobody")


def test_the_views_show_the_same_rows_at_other_prices() -> None:
    handler = RecordingHandler(SAMPLE)
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
    handler = RecordingHandler(SAMPLE)
    notice = handler(CompareService.price_as, "nobody")
    assert isinstance(notice, Notice)
    assert notice.title == "The model table has no price for nobody."


FRESH = 1e-6
SHORT_CACHE = TokenRates(
    model="with a fee for writing",
    input=FRESH,
    output=5e-6,
    read=FRESH * 0.1,
    write=FRESH * 1.25,
)
NO_FEE = TokenRates(
    model="without one", input=FRESH, output=5e-6, read=FRESH * 0.1, write=FRESH
)


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
    rates: TokenRates,
    before: int,
    after: int,
    prefix: int,
    summary: float,
    calls: float,
) -> None:
    found = break_even(before, after, prefix, rates, summary)
    assert found == pytest.approx(calls, abs=0.05)


def test_compact_and_compare_say_the_same_of_when_it_pays(cli: Cli) -> None:
    (row,) = cli.json("compare", SESSION, "-s", MIDDLE_OUT.name)["rows"]
    cost = cli.json("compact", SESSION, "-s", MIDDLE_OUT.name)["cost"]
    assert cost["break_even_with_model"] == row["break_even"] > cost["break_even"]
