"""The verdict on a preview: each state of size, messages, losses and price has its words and its
tone."""

from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from core.analysis.costs import compaction_cost
from core.app.open_file import OpenFile
from core.common.number_format import (
    abbreviated,
    dollar_pair,
    dollar_text,
    reduction_percent,
)
from core.common.paths import SAMPLES
from core.facts.model import Fact, FactKind
from core.facts.name_patterns import NameKind
from core.formats.registry import load_conversation
from core.llm.request_size import RequestSizing
from core.losses.evidence import (
    Evidence,
    EvidenceStatus,
    Losses,
    MustStatus,
    SentenceEvidence,
    SentenceStatus,
    SummaryEvidence,
)
from core.losses.must_keep import MustEvidence
from core.losses.needed_later import NeededLater, NeededName
from core.presentation.compare.columns import unit_cell
from core.presentation.compare.model import Unit
from core.presentation.lists.side_rows import ListContent
from core.presentation.losses_words import losses_sentences
from core.presentation.model import DROPPED, EDITED, KEPT, SUMMARISED
from core.presentation.paid_words import UNPRICED_MODEL, cost_source
from core.presentation.preview_columns import UnknownCounts, preview_columns
from core.presentation.preview_status import run_notice, status_parts
from core.presentation.ruler.bands import ruler_totals
from core.presentation.verdict import (
    DUE_AGAIN,
    NO_LIMIT,
    checked_cost,
    losses_cell,
    messages_cell,
    preview_verdict,
    price_cell,
    price_page,
    size_cell,
    size_page,
    size_parts,
    suggested_musts,
)
from core.presentation.verdict_model import Phrase, Verdict
from core.preview.options import Preview, PreviewOptions, SummaryOptions
from core.preview.preview import compute_preview
from core.reports.report_data import report_screen
from core.settings.profile import Profile
from core.settings.schema import LIMIT, MODE, PRESERVE, STRATEGY, TOP_PRESERVE
from core.settings_store.layers import SettingLayers
from core.tokens.calibration import ReportedRequest, calibrate
from core.transcript.model import Conversation
from core.transcript.scopes import ALL, CURRENT
from core.trials.trial import Backtest
from tests.support.builders import ai, call, conversation, exchange, human, talk
from tests.support.sweep_points import point_result

HAIKU = Profile(name="haiku", provider="anthropic", model="claude-haiku-4-5")


def session(**fields: Any) -> Conversation:
    output = "line of output " * 80
    pairs = (
        exchange(f"id{number}", "bash", f"{number} {output}", command="ls")
        for number in range(5)
    )
    return conversation(*talk(6), *chain.from_iterable(pairs), *talk(4), **fields)


KEEPS = "keeps 62 % of what its turns used"


def made(
    source: Conversation | None = None,
    options: PreviewOptions | None = None,
    **values: Any,
) -> Preview:
    layers = SettingLayers()
    keys = {
        "strategy": STRATEGY,
        "limit": LIMIT,
        "top": TOP_PRESERVE,
        "bottom": PRESERVE,
    }
    for name, value in {"strategy": "middle-out", "limit": 40_000, **values}.items():
        layers = layers.with_session(keys[name], value)
    return compute_preview(
        source or session(), layers.resolve(), options or PreviewOptions()
    )


def verdict(preview: Preview, price: str = "") -> Verdict:
    return preview_verdict(preview_columns(preview), price)


def with_size(
    preview: Preview,
    after: int,
    limit: int | None = 200_000,
    trigger: int | None = None,
) -> Preview:
    """Return a preview whose next request with the result has ``after`` tokens."""
    messages = after - preview.sizes.overhead_tokens
    model_limit = replace(preview.sizes.model_limit, tokens=limit)
    sizes = replace(
        preview.sizes,
        message_tokens_after=messages,
        model_limit=model_limit,
        trigger_tokens=trigger,
        is_changed=True,
    )
    return replace(preview, sizes=sizes)


def size_words(preview: Preview) -> tuple[str, str]:
    cell = verdict(preview).size
    return "".join(text for text, _ in cell.phrases[0]), cell.tone


def test_a_result_below_trigger_and_limit_fits() -> None:
    preview = with_size(made(), 500, trigger=170_000)
    assert size_words(preview) == ("Fits", "ok")
    cell = verdict(preview).size
    assert (
        cell.text
        == f"Fits · {preview.sizes.before_tokens:,} → 500 of 200,000 · trigger 170,000"
    )
    assert cell.glyph == "ok"


def test_a_result_from_the_trigger_on_is_a_warning_and_due_again() -> None:
    preview = with_size(made(), 180_309, trigger=170_000)
    assert size_words(preview) == ("Over the trigger by 10,309", "warn")
    assert DUE_AGAIN in price_cell(preview, "").text


def test_a_result_above_the_limit_would_be_refused() -> None:
    preview = with_size(made(), 204_310, trigger=170_000)
    assert size_words(preview) == (
        "Over the limit by 4,310 · would be refused",
        "error",
    )
    assert verdict(preview).gauge.tone == "error"


def test_a_result_that_is_larger_grows() -> None:
    preview = made()
    preview = with_size(preview, preview.sizes.before_tokens + 1_204, trigger=170_000)
    assert size_words(preview) == ("Grows by 1,204", "warn")


def test_without_a_limit_there_are_numbers_and_no_judgement() -> None:
    cell = verdict(with_size(made(), 500, limit=None)).size
    assert (cell.tone, cell.glyph) == ("", "")
    assert cell.text.endswith(f"→ 500 · {NO_LIMIT}")


@pytest.mark.parametrize(
    ("size", "state"),
    [(9_000, "Over the trigger by up to 1,000"), (500, "At most 500 of 200,000")],
)
def test_a_summary_that_is_not_written_is_an_upper_bound(size: int, state: str) -> None:
    preview = with_size(
        made(
            options=PreviewOptions(
                summary=SummaryOptions(profile=HAIKU, is_written=False)
            )
        ),
        size,
        trigger=8_000,
    )
    assert size_words(preview)[0] == state
    assert f"{size:,} of 200,000" in verdict(preview).size.text
    assert verdict(preview).size.glyph != "ok"
    assert ruler_totals(preview_columns(preview)).after_total == f"≤{size:,}"


def test_a_missed_aim_is_a_warning_and_yours_if_you_set_it() -> None:
    preview = made(strategy="high-density")
    after = preview.sizes.after_tokens
    preview = replace(preview, sizes=replace(preview.sizes, target=after - 100))
    cell = verdict(preview).size
    text = f"100 above its aim of {after - 100:,} · trigger 34,000"
    assert (cell.text, cell.tone) == (text, "warn")
    preview = replace(preview, sizes=replace(preview.sizes, aim=after - 100))
    assert "100 above your aim" in verdict(preview).size.text


def test_a_result_that_an_api_refuses_is_an_error() -> None:
    cell = size_cell(preview_columns(with_size(made(), 500)), "Anthropic")
    assert (cell.text, cell.tone) == ("Anthropic refuses it · fits: 500", "error")


def test_the_size_gives_up_the_trigger_then_exact_numbers_and_never_the_state() -> None:
    preview = made()
    before = preview.sizes.before_tokens
    cell = verdict(with_size(preview, 500, trigger=170_000)).size
    assert [_said(form) for form in cell.forms] == [
        f"Fits · {before:,} → 500 of 200,000 · trigger 170,000",
        f"Fits · {before:,} → 500 of 200,000",
        f"Fits · {before:,} → 500 of 200k",
        f"Fits · {abbreviated(before)} → 500 of 200k",
        "Fits",
    ]


def _said(form: tuple[Phrase, ...]) -> str:
    return " · ".join("".join(text for text, _ in phrase) for phrase in form)


def test_what_cannot_be_counted_is_no_success() -> None:
    preview = with_size(made(), 500)
    columns = replace(preview_columns(preview), unknown_counts=UnknownCounts(1, 1))
    size = preview_verdict(columns).size
    assert (size.tone, size.glyph) == ("", "")
    assert size.text.startswith("Fits as far as it is counted · ")
    assert "500+" in size.text


def test_the_messages_are_counted_by_what_becomes_of_them() -> None:
    cell = verdict(made(limit=4_000, top=0.2, bottom=0.2)).messages
    assert cell.text.endswith("of 20 become one summary")
    assert cell.glyph == "summarised"
    assert (
        verdict(made(limit=4_000, strategy="high-density")).messages.text
        == "5 shortened, of 20"
    )


@pytest.mark.parametrize(
    ("shortened", "words"),
    [(2, "18 summarised, 2 shortened, of 120"), (1, "19 of 120 become one summary")],
)
def test_what_happens_to_few_of_the_changed_messages_is_not_named(
    shortened: int, words: str
) -> None:
    fates = [KEPT] * 100 + [SUMMARISED] * (20 - shortened) + [EDITED] * shortened
    columns = replace(preview_columns(made()), fates=bytes(fates))
    assert messages_cell(columns).text == words


def test_a_no_op_says_why_and_stays_what_it_is() -> None:
    preview = made(conversation(*talk(7)))
    found = verdict(preview)
    assert found.messages.text.startswith("Nothing to compact: · ")
    few = (("Nothing to compact", "strong"),), (("too few", ""),)
    assert found.messages.shorter == (few, few[:1])
    assert found.size.text.endswith(
        f"{preview.sizes.before_tokens:,} of 40,000, unchanged · trigger 34,000"
    )


def _losses(
    gone: int, used: int = 39, *, reworded: int = 0, is_written: bool = True
) -> Losses:
    names = tuple(
        NeededName(f"name{number}", NameKind.IDENTIFIER, 1, 1) for number in range(gone)
    )
    said = (
        Fact(kind=FactKind.YOUR_MESSAGE, key=f"m{n}", text=f"m{n}", first=n, last=n)
        for n in range(9)
    )
    return Losses(
        removed_tokens=9,
        removed_messages=1,
        items=tuple(
            Evidence(
                fact=one,
                status=EvidenceStatus.REWORDED
                if one.first < reworded
                else EvidenceStatus.WORD_FOR_WORD,
                sentences=(
                    SentenceEvidence(
                        one.text,
                        SentenceStatus.NEAREST
                        if one.first < reworded
                        else SentenceStatus.STANDS,
                    ),
                ),
            )
            for one in said
        ),
        summary=SummaryEvidence(),
        needed=NeededLater(used, used - gone, used - gone, names),
        is_written=is_written,
        summary_profile="haiku",
    )


@pytest.mark.req("LOSS-2.5.1")
@pytest.mark.parametrize(
    ("losses", "words", "tone", "glyph"),
    [
        (_losses(15), "15 of 39 needed names gone", "error", "dropped"),
        (_losses(2), "2 of 39 needed names gone", "error", "dropped"),
        (
            _losses(0, reworded=2),
            "2 of your messages not word for word",
            "warn",
            "half",
        ),
        (_losses(0, used=0), "your 9 messages are here", "", ""),
        (_losses(0), "all 39 needed names and your 9 messages are here", "ok", "ok"),
        (
            _losses(0, is_written=False),
            "9 of your 9 messages stay · the rest depends on haiku",
            "",
            "unknown",
        ),
    ],
)
def test_the_losses_have_a_tone_only_where_strings_prove_it(
    losses: Losses, words: str, tone: str, glyph: str
) -> None:
    cell = losses_cell(losses)
    assert (cell.text, cell.tone, cell.glyph) == (words, tone, glyph)


GONE_NAME = Evidence(
    fact=Fact(kind=FactKind.NAME, key="retry", text="retry", first=1, last=1),
    status=EvidenceStatus.GONE,
)


def _backtest(kept: int, planned: int = 3) -> Backtest:
    point = point_result(300, NeededLater(50, kept, kept), before=900)
    return Backtest("middle-out", (point,) * 3, planned)


@pytest.mark.req("LOSS-2.5.1", "BACK-5")
@pytest.mark.parametrize(
    ("losses", "backtest", "words"),
    [
        (replace(_losses(0), needed=None), _backtest(31), KEEPS),
        (
            replace(_losses(0), needed=None),
            _backtest(31, planned=4),
            "your 9 messages are here",
        ),
        (
            replace(_losses(0, reworded=2), needed=None),
            _backtest(31),
            "2 of your messages not word for word",
        ),
        (_losses(0), _backtest(31), "all 39 needed names and your 9 messages are here"),
        (
            replace(_losses(0), needed=None, items=(*_losses(0).items, GONE_NAME)),
            _backtest(31),
            f"{KEEPS} · 1 name gone",
        ),
    ],
)
def test_where_nothing_follows_a_finished_backtest_takes_the_place_of_what_was_needed(
    losses: Losses, backtest: Backtest, words: str
) -> None:
    cell = losses_cell(losses, backtest)
    assert cell.text == words


def test_a_sentence_that_announces_a_list_is_not_offered_as_a_rule() -> None:
    text = "Never edit files under vendor/. You must change these:"
    fact = Fact(kind=FactKind.YOUR_MESSAGE, key="m", text=text, first=0, last=0)
    assert suggested_musts([fact]) == ["Never edit files under vendor/."]


@pytest.mark.parametrize(
    ("losses", "short"),
    [
        (_losses(2), "2 of 39 needed names gone"),
        (_losses(0), "all 39 needed here"),
        (_losses(0, used=0), "your 9 messages here"),
        (replace(_losses(0, used=0), items=()), "nothing counted gone"),
        (_losses(0, used=1), "the one needed here"),
    ],
)
def test_a_narrow_cell_says_the_losses_in_two_or_three_words(
    losses: Losses, short: str
) -> None:
    assert losses_cell(losses).forms[-1][0][0][0] == short


def test_without_a_message_of_the_person_no_name_is_said_to_be_here() -> None:
    """Names that nothing needed are not counted: some may be gone."""
    assert (
        losses_cell(replace(_losses(0, used=0), items=())).text
        == "nothing that counts is gone"
    )
    assert (
        losses_cell(replace(_losses(0), items=())).text
        == "all 39 needed names are here"
    )


@pytest.mark.req("LOSS-2.5.1")
@pytest.mark.parametrize(
    ("used", "words"),
    [
        (0, "your 9 messages are here · 1 file and 2 names gone"),
        (39, "all 39 needed names and your 9 messages are here"),
    ],
)
def test_beside_messages_that_are_here_stands_what_else_is_gone(
    used: int, words: str
) -> None:
    """Unless it is known that nobody needed it."""
    kinds = (FactKind.FILE_READ, FactKind.NAME, FactKind.NAME)
    gone = [
        Fact(kind=kind, key=f"{n}", text=f"{n}", first=n, last=n)
        for n, kind in enumerate(kinds)
    ]
    losses = _losses(0, used=used)
    items = (
        *losses.items,
        *(Evidence(fact=one, status=EvidenceStatus.GONE) for one in gone),
    )
    assert losses_cell(replace(losses, items=items)).text == words
    if not used:
        assert (
            losses_cell(replace(losses, items=items[9:])).text
            == "1 file and 2 names gone"
        )


@pytest.mark.req("LOSS-2.5.1")
def test_one_name_and_one_message_have_no_number_and_no_plural() -> None:
    name, both = replace(_losses(0, used=1), items=()), _losses(0, used=1)
    both = replace(both, items=both.items[:1])
    own, reworded = replace(both, needed=None), _losses(0, used=0, reworded=1)
    reworded = replace(reworded, items=reworded.items[:1])
    heads = [
        losses_cell(one).text
        for one in (
            name,
            both,
            own,
            reworded,
            replace(_losses(1, 1), items=()),
            replace(name, needed=NeededLater(1, 0, 1)),
        )
    ]
    assert heads == [
        "the one needed name is here",
        "the one needed name and your message are here",
        "your message is here",
        "your message not word for word",
        "the one needed name gone",
        "the one needed name by name alone",
    ]
    assert "Later turns used 1 name: it is here." in losses_sentences(both)
    assert "Later turns used 1 name: it is gone (name0)." in losses_sentences(
        _losses(1, 1)
    )
    bare = replace(both, needed=NeededLater(1, 0, 1))
    assert "Later turns used 1 name: it is here by name alone." in losses_sentences(
        bare
    )
    assert "Word for word: your sentence." in losses_sentences(own)
    assert "Not word for word: your sentence (“m0”)." in losses_sentences(reworded)
    unwritten = replace(own, is_written=False)
    depends = "the rest depends on haiku"
    assert losses_cell(unwritten).text == f"your message stays · {depends}"
    may_go = replace(reworded, is_written=False)
    assert losses_cell(may_go).text == f"your message may not stay · {depends}"


def test_while_the_losses_are_counted_the_cell_says_so() -> None:
    assert verdict(made()).losses.text == "counting…"


def judged(*statuses: MustStatus) -> list[MustEvidence]:
    return [
        MustEvidence(text=f"{n}", status=status) for n, status in enumerate(statuses)
    ]


GONE, HERE, UNWRITTEN = (
    MustStatus.GONE,
    MustStatus.WORD_FOR_WORD,
    MustStatus.NOT_WRITTEN,
)


@pytest.mark.parametrize(
    ("losses", "musts", "words", "glyph"),
    [
        (
            _losses(2),
            judged(GONE, HERE),
            "1 of 2 musts gone · 2 of 39 needed names gone",
            "dropped",
        ),
        (
            _losses(2),
            judged(HERE, HERE),
            "2 of 39 needed names gone · all 2 musts are here",
            "dropped",
        ),
        (_losses(0), judged(HERE, HERE), "all 2 musts are here", "ok"),
        (
            _losses(0, is_written=False),
            judged(UNWRITTEN, HERE),
            "1 of 2 musts stay for sure · the rest depends on haiku",
            "unknown",
        ),
    ],
)
def test_musts_come_first_where_one_is_not_there(
    losses: Losses, musts: list[MustEvidence], words: str, glyph: str
) -> None:
    cell = losses_cell(losses, _backtest(31), musts)
    assert (cell.text, cell.glyph) == (words, glyph)


def test_units_go_from_the_last_to_the_second_and_more_is_said() -> None:
    cell = losses_cell(_losses(2, reworded=1), None, judged(GONE, HERE))
    words = [_said(form) for form in cell.shorter]
    first, second = "1 of 2 musts gone", "2 of 39 needed names gone"
    assert words == [f"{first} · {second} · and more", f"{first} · and more", first]


def test_the_price_is_free_or_that_of_a_model_or_not_known() -> None:
    unwritten = made(
        options=PreviewOptions(summary=SummaryOptions(profile=HAIKU, is_written=False))
    )
    assert price_cell(made(), "").text == "free"
    assert price_cell(unwritten, "≈ $0.05").text == "≈ $0.05"
    assert price_cell(unwritten, "price –").text == "price –"


def test_the_price_says_what_calls_cost_and_opens_all_its_parts() -> None:
    preview = made(session(model="claude-sonnet-4-5"), limit=4_000)
    cost = checked_cost(preview)
    assert cost == compaction_cost(preview)
    assert cost is not None
    now, later = dollar_pair(cost.later_before, cost.later_after)
    pays = f"pays for itself after {cost.break_even_text}"
    assert (
        price_cell(preview, "", cost).text == f"free · a call {now} → {later}, {pays}"
    )
    assert [_said(form) for form in price_cell(preview, "", cost).shorter] == [
        f"free · {pays}",
        f"free · pays after {cost.break_even_text}",
        "free",
        "",
    ]
    facts = dict(price_page(preview, cost).facts)
    assert (facts["A call now"], facts["Each call after that"]) == (
        f"≈ {now}",
        f"≈ {later}",
    )
    assert f"≈ {dollar_text(cost.first_after)}" in facts.values()
    assert facts["Start that stays cached"] == f"≈{cost.prefix:,} tokens"


def test_whence_a_price_comes_is_said_as_on_the_command_line() -> None:
    preview = made(session(model="claude-sonnet-4-5"), limit=4_000)
    cost = replace(compaction_cost(preview), cache_kept=0.75)
    source = "recorded usage: requests read 75 % of what was sent before from the cache"
    assert cost_source(cost) == source
    first = price_page(preview, cost).notes[0]
    assert first == f"By the prices of claude-sonnet-4-5 and {source}."
    assert price_page(preview, replace(cost, rates=None)).notes == (UNPRICED_MODEL,)


def test_one_number_is_the_size_wherever_it_stands() -> None:
    preview = made(session(system="You are careful. " * 90), limit=4_000)
    size, columns = preview.sizes.before_tokens, preview_columns(preview)
    assert (
        size
        == preview.sizes.message_tokens_before + preview.sizes.overhead_tokens
        > preview.sizes.message_tokens_before
    )
    found, marks = preview_verdict(columns), ruler_totals(columns)
    assert f"{size:,} → {preview.sizes.after_tokens:,} of 4,000" in found.size.text
    assert (marks.before_total, marks.after_total) == (
        f"≈{size:,}",
        f"≈{preview.sizes.after_tokens:,}",
    )
    assert (found.gauge.now, found.gauge.after) == (size, preview.sizes.after_tokens)
    facts = dict(size_parts(preview, size).facts)
    assert "Last request, as the provider counted it" not in facts
    assert facts["Next request"] == f"≈{size:,}"
    assert facts["Messages"] == f"≈{preview.sizes.message_tokens_before:,}"
    assert facts["system prompt and tools"] == f"≈{marks.hidden:,}"
    texts = [part.text for part in status_parts(preview, size, "openai")]
    assert (
        f"≈{size:,} = {marks.hidden:,} system prompt and tools + "
        f"{preview.sizes.message_tokens_before:,} in messages"
    ) in texts


def test_the_status_names_the_current_context_where_it_has_another_size() -> None:
    preview = made(conversation(human("go"), *talk(4)))
    texts = [part.text for part in status_parts(preview, 187_427, "openai")]
    assert "current context ≈187,427" in texts


def test_the_status_says_what_the_apis_make_of_the_result() -> None:
    base64 = conversation(human("see " + "iVBORw0KGgoAAAANSUhEUgAAB4cVq5Zf9Xy2" * 60))
    unanswered = conversation(human("go"), ai("", call("bash")), *talk(2))
    unchecked = PreviewOptions(checks=False)
    found = [
        [part.text for part in status_parts(preview, 1, "openai")][2:]
        for preview in (made(base64), made(unanswered), made(base64, unchecked))
    ]
    apis = "Anthropic, OpenAI, Responses, Gemini"
    assert found == [
        [f"in order for {apis}", "1 warning"],
        [f"1 fault for {apis}"],
        ["checks –"],
    ]


@pytest.mark.parametrize(
    ("name", "program"), [("tiered", "ion"), ("middle-out", "llxprt")]
)
def test_reference_mode_names_the_program_that_it_repeats(
    name: str, program: str
) -> None:
    layers = SettingLayers().with_session(MODE, "reference").with_session(LIMIT, 40_000)
    layers = layers.with_session(STRATEGY, name)
    preview = compute_preview(session(), layers.resolve(), PreviewOptions())
    part = next(
        one for one in status_parts(preview, 1, "openai") if "reference" in one.text
    )
    assert program in part.tip


def test_the_parts_of_a_calibrated_current_context_add_up_wherever_they_stand() -> None:
    """Rows of the list, its first row, bars, verdict, popup, status, the line of a run: one
    size."""
    source = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    preview = made(source, PreviewOptions(scope=CURRENT), limit=200_000)
    size, after, tokens = (
        preview.sizes.before_tokens,
        preview.sizes.after_tokens,
        preview.sizes.message_tokens_before,
    )
    assert preview.sizes.sizing.is_reported
    screen = report_screen(preview)
    before, result = ListContent("before", screen), ListContent("after", screen)
    assert (sum(before.rows.tokens), before.hidden + sum(before.rows.tokens)) == (
        tokens,
        size,
    )
    assert sum(result.rows.tokens) + preview.sizes.overhead_tokens == after
    assert (screen.ruler.totals.before_total, screen.ruler.totals.after_total) == (
        f"≈{size:,}",
        f"≈{after:,}",
    )
    assert screen.heading.sizes == ()  # the current context has no second size
    assert f"{size:,} → {after:,} of 200,000" in screen.verdict.size.text
    share, parts, *_ = (part.text for part in status_parts(preview, size, "anthropic"))
    assert share == f"now [ctx: {size * 100 // 200_000}%]"
    assert (
        parts
        == f"≈{size:,} = {before.hidden:,} system prompt and tools + {tokens:,} in messages"
    )
    facts = dict(size_parts(preview, size).facts)
    assert (facts["Next request"], facts["Messages"]) == (f"≈{size:,}", f"≈{tokens:,}")
    assert not any("current context" in name for name in facts)
    last = facts["Last request, as the provider counted it"]
    assert last == f"={source.reported_context:,}"
    assert f"{after - size:,} tokens".replace("-", "−") in run_notice(preview).title


def test_only_the_whole_session_has_a_second_size() -> None:
    source = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    file = OpenFile(conversation=source)
    all_of_it, current = made(source), made(source, PreviewOptions(scope=CURRENT))
    size = current.sizes.before_tokens
    assert {file.context_tokens(one) for one in (all_of_it, current)} == {size}
    assert f"current context ≈{size:,}" in [
        one.text for one in status_parts(all_of_it, size, "anthropic")
    ]
    assert f"current context ≈{size:,}" not in [
        one.text for one in status_parts(current, size, "anthropic")
    ]


def test_the_size_page_says_why_its_factor_is_not_fitted() -> None:
    few = RequestSizing(1.2, calibration=calibrate([ReportedRequest(100, 150, "m")]))
    other = replace(few, reporting_model="gpt-5")
    reasons = [size_page(sizing, ()).notes[0] for sizing in (few, other)]
    assert reasons == [
        "Too few requests are reported: the factor is that of the model's family.",
        "The requests were gpt-5's: the factor is that of the chosen model's family.",
    ]


def test_a_compaction_says_what_it_made_and_can_be_taken_back() -> None:
    preview = made(limit=4_000, top=0.2, bottom=0.2)
    notice = run_notice(preview)
    sizes = preview.sizes
    saved = sizes.before_tokens - sizes.after_tokens
    assert notice.title.endswith(f" messages became one summary · −{saved:,} tokens")
    assert [action.label for action in notice.actions] == ["Undo"]


def test_an_empty_message_that_goes_does_not_change_what_was_made() -> None:
    source = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    preview = made(source, PreviewOptions(scope=ALL))
    assert DROPPED in preview_columns(preview).fates
    assert " messages became one summary" in run_notice(preview).title


def test_ruler_cards_and_tables_say_one_figure_for_a_result() -> None:
    preview = made(load_conversation(SAMPLES / "fix-flaky-upload.jsonl"))
    sizes = preview.sizes
    share = reduction_percent(1 - sizes.after_tokens / sizes.before_tokens)
    assert ruler_totals(preview_columns(preview)).reduction.endswith(f" · {share}")
    cell = unit_cell(Unit.CHANGE, 1 - sizes.after_tokens / sizes.before_tokens)
    assert cell.text == share
