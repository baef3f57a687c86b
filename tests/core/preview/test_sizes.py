"""What is said of a result is what would be sent, by one value: at or under its target, or by how
much it is missed; the window, ``compact --json``, the library and ``inspect`` of the file agree."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api import compact
from core.common.errors import CompactionFailed
from core.common.paths import SAMPLES
from core.export.checked_saving import size_difference
from core.export.export import export_history, find_exporter
from core.formats.registry import load_conversation
from core.llm.request_size import next_request_tokens, request_sizing
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_wording import preview_warnings
from core.presentation.verdict import preview_verdict
from core.preview.options import (
    Preview,
    PreviewOptions,
    StageCache,
    SummaryOptions,
    missed_text,
)
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.settings.profile import Profile
from core.strategies import excerpt
from core.strategies.registry import STRATEGIES
from core.tokens.counter import counter_for
from core.transcript.model import Conversation, SystemPart
from core.transcript.scopes import CURRENT
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.strategies.strategy_running import values
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    talk,
    tool,
)
from tests.support.narrowing import known
from tests.support.sampling import sampled

NAMES = tuple(strategy.name for strategy in STRATEGIES)
LIMITS = (2_000, 8_000, 30_000)
WORK = tuple(
    message
    for number in range(12)
    for message in exchange(
        f"t{number}", "bash", f"line {number}\n" * 200, command=f"ls {number}"
    )
)
GENERATED = {
    "a long request": conversation(
        human("Find the fault: " + "pump 4, 2.1 bar; " * 800), *WORK, model="gpt-4o"
    ),
    "a system prompt above the limit": conversation(
        human("go"),
        *talk(9),
        *WORK,
        model="gpt-4o",
        system=SystemPart(("rule " * 9_000,)),
    ),
    "a result nobody read": conversation(
        human("go"),
        *talk(5),
        ai("", call("read", "last", path="/w/a.py")),
        tool(response("last", "read", "row of numbers\n" * 3_000)),
        model="gpt-4o",
    ),
}
SAMPLE_FILES = sorted(path.name for path in SAMPLES.glob("*.json*"))
CORPUS = (
    "claude_code/14_vscode-copilot-chat.jsonl",
    "claude_code/18_packmind-context-evaluator.jsonl",
    "codex_rollout/03_vibecodingtracker.jsonl",
    "openai_chat/08_taubench-airline-t3.json",
    "openhands/03_openhands-basic-traj.json",
)


def limits_of(name: str, turn: int) -> tuple[int, ...]:
    """Return all limits, or one of them: with three turns a strategy meets each."""
    place = (NAMES.index(name) + turn) % len(LIMITS)
    return sampled(LIMITS, LIMITS[place : place + 1])


def previews(source: Conversation, turn: int) -> Iterator[Preview]:
    stages = StageCache()
    options = PreviewOptions(scope=CURRENT, checks=False)
    for name in NAMES:
        for limit in limits_of(name, turn):
            settings = values(compression__strategy=name, context_limit=limit)
            try:
                yield compute_preview(source, settings, options, stages)
            except CompactionFailed:  # a request for a summary that no window takes
                continue


def assert_said(preview: Preview) -> None:
    sizes, missed = preview.sizes, preview.missed
    case = f"{preview.strategy.name}, {sizes.model_limit.tokens:,}"
    assert not sizes.is_changed or sizes.after_tokens >= sizes.message_tokens_after, (
        case
    )
    assert sizes.message_tokens_after == sum(preview.result.after_counts), case
    if sizes.bar is None or sizes.after_tokens <= sizes.bar:
        assert missed is None, case
        return
    assert missed is not None, case
    assert (
        missed.size == sizes.after_tokens == sum(tokens for _, tokens in missed.kept)
    ), case
    assert (
        f"{sizes.after_tokens - sizes.bar:,} above the " in preview_warnings(preview)[0]
    ), case


def size_of_file(preview: Preview, path: Path) -> tuple[int, str]:
    """Return what the written result says when it is opened again, and what its export warns of."""
    content, name = (
        export_input(preview, result=True),
        preview.source.conversation.format,
    )
    path.write_bytes(export_history(content, name).data)
    reopened = load_conversation(path)
    counter = counter_for(reopened.model)
    sizing = request_sizing(reopened, counter, CURRENT, reopened.model)
    tokens = next_request_tokens(reopened, counter, sizing)
    return tokens, size_difference(content, find_exporter(name), reopened)


@pytest.mark.parametrize("file", SAMPLE_FILES)
def test_a_result_of_a_sample_fits_or_the_miss_is_said(file: str) -> None:
    turn = SAMPLE_FILES.index(file)
    for preview in previews(load_conversation(SAMPLES / file), turn):
        assert_said(preview)


@pytest.mark.parametrize("name", GENERATED)
def test_a_result_of_a_hard_case_fits_or_the_miss_is_said(name: str) -> None:
    for preview in previews(GENERATED[name], [*GENERATED].index(name)):
        assert_said(preview)


@pytest.mark.parametrize("file", CORPUS)
def test_a_real_session_fits_or_the_miss_is_said(
    file: str, corpus: Path, tmp_path: Path
) -> None:
    source = load_conversation(corpus / file)
    for preview in previews(source, CORPUS.index(file)):
        assert_said(preview)
        if preview.sizes.is_changed and preview.sizes.model_limit.tokens == LIMITS[1]:
            size, warning = size_of_file(preview, tmp_path / Path(file).name)
            same = size == pytest.approx(preview.sizes.after_tokens, rel=0.01, abs=100)
            assert same or warning, preview.strategy.name


@pytest.mark.parametrize("session", [SESSION, CHAT])
@pytest.mark.parametrize(
    "name", ["middle-out", "top-down-truncation", "tiered", "high-density"]
)
def test_all_who_say_the_size_say_the_same(
    session: str, name: str, cli: Cli, tmp_path: Path
) -> None:
    out, limit = tmp_path / Path(session).name, 3_000 if session == CHAT else 30_000
    settings = ("-s", name, "--set", f"compression.context-limit={limit}")
    (preview,) = (
        one for one in previews_at(load_conversation(Path(session)), name, limit)
    )
    size = preview.sizes.after_tokens
    said = cli.json("compact", session, *settings, "-o", str(out))
    assert said["after"]["tokens"] == size
    assert preview_verdict(preview_columns(preview)).gauge.after == size
    made = compact(load_conversation(Path(session)), strategy=name, limit=limit)
    assert (made.tokens_after == size) or load_conversation(Path(session)).recorded
    assert cli.json("inspect", str(out))["context"]["tokens"] == pytest.approx(
        size, rel=0.01
    )


def previews_at(source: Conversation, name: str, limit: int) -> Iterator[Preview]:
    settings = values(compression__strategy=name, context_limit=limit)
    yield compute_preview(source, settings, PreviewOptions(scope=CURRENT))


@pytest.mark.parametrize(
    "name", ["top-down-truncation", "tiered", "hybrid", "high-density"]
)
def test_a_target_that_cannot_be_met_is_no_reason_to_do_nothing(
    name: str,
) -> None:  # fix TI-11
    source = GENERATED["a system prompt above the limit"]
    (preview,) = previews_at(source, name, 8_000)
    assert preview.sizes.after_tokens < preview.sizes.before_tokens
    words = preview_warnings(preview)[0]
    assert "above the limit of 8,000" in words
    assert words.endswith(
        f"System prompt and tools alone are {preview.sizes.overhead_tokens - 8_000:,} above the "
        "limit."
    )


def test_the_request_that_stays_is_counted_before_the_cut() -> None:  # fix TD-02
    asked = (
        human("long " * 600),
        *talk(20, "word " * 30),
        human("now this"),
        *WORK[:2],
    )
    (preview,) = previews_at(
        conversation(*asked, model="gpt-4o"), "top-down-truncation", 3_000
    )
    assert preview.sizes.after_tokens <= (preview.sizes.target or 0)


@pytest.mark.req("EXC-1")
@pytest.mark.parametrize("file", SAMPLE_FILES)
def test_excerpt_fills_the_room_of_a_sample_and_no_more(file: str) -> None:
    source, stages = load_conversation(SAMPLES / file), StageCache()
    whole = compute_preview(
        source, values(), PreviewOptions(checks=False), stages
    ).sizes
    for percent in range(6, 76, 7):
        target = whole.overhead_tokens + percent * whole.message_tokens_before // 100
        limit = round(target / excerpt.TARGET)
        settings = values(compression__strategy=excerpt.NAME, context_limit=limit)
        sizes = compute_preview(
            source, settings, PreviewOptions(checks=False), stages
        ).sizes
        room = known(sizes.target) - sizes.result_overhead_tokens
        assert 0.97 * room <= sizes.message_tokens_after <= room, percent


def test_an_unwritten_summary_is_no_part_of_what_is_missed() -> None:
    haiku = Profile(name="haiku", provider="anthropic", model="claude-haiku-4-5")
    made = compute_preview(
        conversation(*talk(40, "word " * 200)),
        values(compression__strategy="middle-out", context_limit=3_000),
        PreviewOptions(summary=SummaryOptions(profile=haiku, is_written=False)),
    )
    missed, budgets = known(made.missed), made.result.compaction.budgets
    assert missed.size == made.sizes.after_tokens - sum(budgets.values())
    assert sum(tokens for _, tokens in missed.kept) == missed.size
    assert "has at least" in missed_text(missed)
