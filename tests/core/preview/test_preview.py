"""The preview: stages, marginal effects, drafts, limits, and real transcripts."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import Cancelled, CompactionFailed, InputError
from core.formats.registry import load_conversation
from core.preview import preview_input
from core.preview.options import Preview, PreviewOptions, StageCache, SummaryOptions
from core.preview.preview import compute_preview
from core.settings.schema import (
    DENSITY_SWITCHES,
    PRESERVE,
    READ_WRITE,
    RECENCY,
    SettingValue,
)
from core.strategies.base import DensityResult, DensitySettings
from core.strategies.helpers import trigger_tokens
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.transcript.compaction import DensityCounters, FateKind, NoOpCode
from core.transcript.model import Conversation, Message, SourceDocument, Text
from core.transcript.pins import MessagePin, PinKind
from core.transcript.scopes import history_of_scope, scopes
from tests.core.formats.exporting import corpus_files, strategies_for
from tests.core.histories import histories, loose_ends
from tests.core.strategies.strategy_running import values
from tests.support.builders import conversation, exchange, human, talk
from tests.support.narrowing import known
from tests.support.sampling import sampled

LONG = "line of text\n" * 80
LOOP = tuple(
    m for n in range(8) for m in exchange(str(n), "bash", LONG, command=f"make {n}")
)
READ = exchange("r", "read_file", LONG, file_path="a")
WRITE = exchange("w", "write_file", "ok", file_path="a")
CORPUS_FOLDERS = (
    *(
        "anthropic_messages",
        "claude_code",
        "codex_rollout",
        "copilot_cli",
        "goose",
        "openai_chat",
    ),
    *("cline_ui", "openhands", "openai_responses", "pi_agent"),
)
MIDDLE_OUT, TOP_DOWN, ONE_SHOT, HIGH_DENSITY = COMPACTION_STRATEGIES[:4]


def shown(
    talk: Conversation, ask: PreviewOptions | None = None, **settings: SettingValue
) -> Preview:
    return compute_preview(talk, values(**{"context_limit": 4000} | settings), ask)


@pytest.mark.req("REQ-CS-001.4", "REQ-HD-008.5")
@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_every_strategy_previews_with_fates_metadata_and_totals(name: str) -> None:
    result = shown(conversation(human("go"), *LOOP), compression__strategy=name)
    assert len(result.result.compaction.fates) == 17
    assert result.sizes.before_tokens == sum(result.source.counts)
    assert (
        result.sizes.after_tokens
        == sum(result.result.after_counts)
        <= result.sizes.before_tokens
    )
    assert result.result.compaction.metadata.original_message_count == 17
    # A trigger at or below 0 is none: the strategy cannot work in so small a window.
    trigger = trigger_tokens(find_strategy(name), result.source.values, 4000) or None
    assert result.sizes.trigger_tokens == trigger


@pytest.mark.req("REQ-HD-012.2")
@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_a_file_has_the_same_result_in_every_folder(name: str) -> None:
    def result_in(folder: Path) -> tuple[Message, ...]:
        document = SourceDocument(name="log.jsonl", path=folder / "log.jsonl")
        work = replace(conversation(human("go"), *LOOP), document=document)
        return shown(work, compression__strategy=name).result.compaction.messages

    assert result_in(Path("/")) == result_in(Path("/home/user/a longer name"))


def test_the_density_step_of_one_strategy_is_not_taken_for_that_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nothing(history: Sequence[Message], config: DensitySettings) -> DensityResult:
        return DensityResult((), {}, DensityCounters(), {})

    work, cache = conversation(human("go"), *READ, *WRITE, *LOOP), StageCache()
    chosen = values(compression__strategy=HIGH_DENSITY, context_limit=400)
    first = compute_preview(work, chosen, PreviewOptions(every_turn=True), cache)
    plain = replace(find_strategy(HIGH_DENSITY), name="plain", optimize=nothing)
    monkeypatch.setattr(preview_input, "find_strategy", lambda name: plain)
    second = compute_preview(work, chosen, PreviewOptions(every_turn=True), cache)
    assert (first.result.after_density, second.result.after_density) == (
        first.sizes.after_tokens,
        first.sizes.before_tokens,
    )
    assert second.result.compaction.messages == work.messages


@pytest.mark.req("REQ-HD-001.2", "REQ-HD-001.8")
def test_every_turn_is_the_density_pass_alone_and_needs_no_limit() -> None:
    work = conversation(human("go"), *READ, *WRITE, *LOOP)
    cache, chosen = (
        StageCache(),
        values(compression__strategy=HIGH_DENSITY, context_limit=400),
    )
    each_turn = compute_preview(work, chosen, PreviewOptions(every_turn=True), cache)
    compacted = compute_preview(work, chosen, PreviewOptions(), cache)
    assert each_turn.result.compaction.messages == (
        work.messages[0],
        *work.messages[3:],
    )
    assert [fate.kind for fate in each_turn.result.compaction.fates] == [
        FateKind.KEPT,
        *[FateKind.PRUNED] * 2,
        *[FateKind.KEPT] * 18,
    ]
    assert (
        each_turn.sizes.after_tokens
        == each_turn.result.after_density
        == sum(each_turn.result.after_counts)
    )
    assert (each_turn.run_name, compacted.run_name) == (
        f"{HIGH_DENSITY}, every turn",
        HIGH_DENSITY,
    )
    assert (
        compacted.sizes.after_tokens
        < each_turn.sizes.after_tokens
        < each_turn.sizes.before_tokens
    )
    without_limit = values(compression__strategy=HIGH_DENSITY)
    assert (
        compute_preview(
            work, without_limit, PreviewOptions(every_turn=True)
        ).result.compaction.no_op
        is None
    )


@pytest.mark.req("REQ-HD-002.5")
def test_an_every_turn_run_that_finds_nothing_says_which_passes_looked() -> None:
    work, alone = conversation(human("go"), *LOOP), PreviewOptions(every_turn=True)
    found = shown(work, alone, compression__strategy=HIGH_DENSITY)
    no_op = known(found.result.compaction.no_op)
    assert (no_op.code, found.result.compaction.messages) == (
        NoOpCode.NOTHING_TO_PRUNE,
        work.messages,
    )
    assert (
        "no read of a file that was written again, no file that was included again."
        in no_op.reason
    )
    switched_off = dict.fromkeys(
        (key.replace("-", "_").replace(".", "__") for key in DENSITY_SWITCHES), False
    )
    off = shown(work, alone, compression__strategy=HIGH_DENSITY, **switched_off)
    assert known(off.result.compaction.no_op).reason.startswith(
        "All density passes are off"
    )


def test_a_strategy_without_a_density_pass_compacts_whatever_kind_of_run_is_shown() -> (
    None
):
    work = conversation(human("go"), *LOOP)
    assert (
        shown(work, PreviewOptions(every_turn=True)).result.compaction
        == shown(work).result.compaction
    )
    assert not shown(work, PreviewOptions(every_turn=True)).every_turn


@pytest.mark.req("REQ-HD-011.2")
def test_open_todos_of_the_conversation_reach_the_answer_after_the_summary() -> None:
    todos = [{"content": "write the test", "status": "in_progress"}]
    planned = exchange("t", "TodoWrite", "ok", todos=todos)
    result = shown(conversation(human("go"), *LOOP, *planned, human("and now")))
    texts = [
        b.text
        for m in result.result.compaction.messages
        for b in m.blocks
        if isinstance(b, Text)
    ]
    assert any("Continuing with: write the test" in text for text in texts)


def test_a_switch_shows_what_it_saves_and_under_others_what_it_would_save() -> None:
    talked = conversation(human("go"), *READ, *WRITE, *LOOP)
    dense = shown(talked, compression__strategy=HIGH_DENSITY)
    other = shown(talked, compression__strategy=MIDDLE_OUT)
    by_key = {one.key: one for one in dense.checks.marginals}
    assert set(by_key) == set(DENSITY_SWITCHES)
    assert by_key[READ_WRITE].active
    assert by_key[READ_WRITE].tokens == sum(dense.source.counts[1:3])
    assert [(one.tokens, one.active) for one in other.checks.marginals] == [
        (one.tokens, False) for one in dense.checks.marginals
    ]


def test_a_switch_that_adds_tokens_says_so() -> None:
    short = [
        m for n in range(6) for m in exchange(f"s{n}", "Bash", "ok", command="true")
    ]
    dense = shown(
        conversation(human("go"), *short),
        compression__strategy=HIGH_DENSITY,
        compression__mode="reference",
        compression__density__recency_pruning=True,
    )
    (recency,) = (one for one in dense.checks.marginals if one.key == RECENCY)
    assert recency.tokens < 0
    assert recency.tokens == dense.sizes.before_tokens - known(
        dense.result.after_density
    )


def test_a_given_summary_is_used_and_a_larger_result_refused() -> None:
    given = shown(
        conversation(*talk(40)), PreviewOptions(summary=SummaryOptions(text="MINE"))
    )
    assert known(given.result.compaction.summary).text == "MINE"
    refused = shown(
        conversation(*talk(40)),
        PreviewOptions(summary=SummaryOptions(text="word " * 3000)),
    )
    assert known(refused.result.compaction.no_op).code is NoOpCode.NOT_SMALLER
    assert refused.sizes.after_tokens == refused.sizes.before_tokens


def test_an_unknown_limit_is_a_sentence_with_the_way_out() -> None:
    talked = conversation(*talk(9), model="nobody-7b")
    with pytest.raises(
        InputError, match=r"Set compression.context-limit, or choose a model"
    ):
        compute_preview(talked, values(compression__strategy=TOP_DOWN))


PINNED = st.dictionaries(
    st.integers(0, 12), st.sampled_from(PinKind).map(MessagePin), max_size=3
)
WISH = st.tuples(st.sampled_from((300, 2000)), st.booleans(), PINNED)


@settings(max_examples=40)
@given(histories(), st.lists(WISH, min_size=2, max_size=4))
def test_what_earlier_previews_left_changes_no_later_one(
    messages: tuple[Message, ...], wishes: list[tuple[int, bool, dict[int, MessagePin]]]
) -> None:
    talked, stages = conversation(*messages), StageCache()
    for limit, recency, pinned in wishes:
        recent = {"compression__density__recency_pruning": recency}
        wanted = values(
            context_limit=limit, compression__strategy=HIGH_DENSITY, **recent
        )
        ask = PreviewOptions(
            pins={place: pin for place, pin in pinned.items() if place < len(messages)}
        )
        assert compute_preview(talked, wanted, ask, stages) == compute_preview(
            talked, wanted, ask
        )


SHARES = ((0.2, 2000), (0.0, 60_000), (0.37, 2000))
"""Shares to preserve, and limits in tokens."""


@pytest.mark.req("REQ-CS-002.3", "REQ-CS-003.3")
@pytest.mark.parametrize("path", corpus_files(*CORPUS_FOLDERS))
def test_no_strategy_parts_a_pair_in_a_real_transcript(path: Path) -> None:
    real, stages = load_conversation(path), StageCache()
    scope = cycle(one for one in scopes(real) if history_of_scope(real, one).messages)
    folder = CORPUS_FOLDERS.index(path.parent.name)
    for name in strategies_for(path):
        strategy = find_strategy(name)
        shares = SHARES if PRESERVE in strategy.options else SHARES[:2]
        # A strategy meets a file or more of each folder, and every share in some of them.
        turn = folder % len(shares)
        for keep, limit in sampled(shares, shares[turn : turn + 1]):
            chosen = values(
                compression__strategy=name,
                compression_preserve_threshold=keep,
                context_limit=limit,
            )
            try:
                result = compute_preview(
                    real,
                    chosen,
                    PreviewOptions(scope=next(scope), checks=False),
                    stages,
                )
            except CompactionFailed:
                assert (
                    strategy.emulates is not None
                )  # its request has no room in so small a window
                continue
            made = result.result.compaction.messages
            assert not loose_ends(made) - loose_ends(result.messages)
            assert result.sizes.after_tokens <= result.sizes.before_tokens
            told = sorted(
                index
                for sources in result.result.compaction.origins
                for index in sources
            )
            gone = (FateKind.PRUNED, FateKind.DROPPED)
            assert told == [
                i
                for i, f in enumerate(result.result.compaction.fates)
                if f.kind not in gone
            ]


TALK = conversation(
    *talk(6),
    *(
        one
        for n in range(6)
        for one in exchange(f"{n}", "read_file", "line\n" * 90, file_path="a")
    ),
)


@pytest.mark.parametrize("name", ["middle-out", "high-density", "tiered", "excerpt"])
def test_a_strategy_can_be_cancelled_while_it_runs(name: str) -> None:
    def stop(fraction: float, text: str) -> None:
        if text == "Compacting":
            raise Cancelled

    stages = StageCache()
    own = values(compression__strategy=name, context_limit=1000)
    with pytest.raises(Cancelled):
        compute_preview(TALK, own, PreviewOptions(progress=stop), stages)
    assert compute_preview(TALK, own, PreviewOptions(), stages) == compute_preview(
        TALK, own
    )


def test_a_preview_can_be_cancelled_between_counting_and_pairing() -> None:
    stages, known = StageCache(), list[set[str]]()
    ask = PreviewOptions(
        progress=lambda *_: known.append({name for name, _ in stages.results})
    )
    compute_preview(TALK, values(), ask, stages)
    assert any("counts" in names and "pairs" not in names for names in known)
