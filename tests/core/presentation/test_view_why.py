"""The reasons for fates and cuts; the page of a run: tiers, statistics, calls, tools of an
agent."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest

from core.common.errors import CompactionFailed
from core.common.number_format import signed
from core.formats.registry import load_conversation
from core.llm.request_size import RequestSizing
from core.presentation.inspector_model import TextSpan, WhyPage, WhySection
from core.presentation.message_body import (
    MAX_BLOCK_LENGTH,
    displayable_text,
    message_body,
)
from core.presentation.summary_page import run_page
from core.presentation.why import linked_spans, why_cut, why_message
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview, with_restored
from core.settings.schema import LIMIT, MODE
from core.settings_store.layers import SettingLayers
from core.strategies.registry import STRATEGIES
from core.transcript.compaction import (
    AgentStep,
    Compaction,
    FateKind,
    HybridStats,
    ModelCall,
    StrategyFigures,
    TierOutcome,
)
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Opaque,
    Thinking,
)
from core.transcript.pins import MessagePin, PinKind
from tests.benchmarks.loops import agent_loop
from tests.core.cli.running_cli import CHAT, RECORDING, SESSION
from tests.core.presentation.test_view_screen import layers, made, session
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


def text(spans: tuple[TextSpan, ...]) -> str:
    return "".join(span.text for span in spans)


def section(page: WhyPage, title: str) -> str:
    return next(text(one.text) for one in page.sections if one.title == title)


def test_numbers_of_messages_become_links() -> None:
    spans = (TextSpan("see "), TextSpan("#3", "before:2"), TextSpan(" and #9."))
    assert linked_spans("see #3 and #9.", 5) == spans


@pytest.mark.parametrize("name", ["middle-out", "high-density"])
def test_put_back_says_by_how_much_the_result_grows(name: str) -> None:
    """With a call its results come back: the figure is of all that come."""
    preview = compute_preview(
        load_conversation(SESSION), layers(strategy=name).resolve()
    )
    changed = [
        at
        for at, fate in enumerate(preview.result.compaction.fates)
        if fate.kind is not FateKind.KEPT
    ]
    assert changed
    for index in changed:
        page = why_message(preview, "before", index)
        offer = next(
            span.text
            for one in page.sections
            for span in one.text
            if span.link == f"put-back:{index}"
        )
        grown = (
            with_restored(preview, frozenset({index})).sizes.after_tokens
            - preview.sizes.after_tokens
        )
        assert offer == f"Put back · {signed(grown)}"


def test_a_call_leads_to_the_conversation_of_its_sub_agent() -> None:
    tasks = [
        ListedConversation(at, "look", 3, "sub-agent", f"t{at - 1}") for at in (2, 3)
    ]
    listed = (ListedConversation(1, "all"), *tasks)
    start = ai("", call("Task", "t1"), call("Task", "t2"))
    answers = tool(response("t1", "Task"), response("t2", "Task"))
    source = conversation(start, answers, *talk(9), listed=listed)
    page = why_message(made(source), "before", 0)
    links = [
        span.link
        for one in page.sections
        for span in one.text
        if span.link.startswith("conversation")
    ]
    assert links == ["conversation:2", "conversation:3"]
    assert "Open the sub-agent's conversation 2: look" in section(page, "Sub-agent")
    assert not any(
        one.title == "Sub-agent"
        for one in why_message(made(source), "before", 5).sections
    )


def test_a_summarised_message_leads_to_its_summary_and_partner() -> None:
    page = why_message(made(session()), "before", 6)
    assert "after:4" in {span.link for one in page.sections for span in one.text}
    assert section(page, "Pair") == "Call and response stay on one side: with #8."


def pinned(preview: Preview, pins: dict[int, MessagePin]) -> Preview:
    return replace(preview, source=replace(preview.source, pins=pins))


def test_a_pin_that_the_strategy_does_not_look_at_is_said() -> None:
    pins = {0: MessagePin(PinKind.KEEP), 1: MessagePin(PinKind.NOTE, "ask again")}
    page = why_message(pinned(made(session()), pins), "before", 0)
    assert (
        section(page, "Pinned to keep") == "middle-out does not obey pins: use excerpt."
    )
    assert "strategy:excerpt" in {
        span.link for one in page.sections for span in one.text
    }
    others = [made(session(), strategy="excerpt"), made(session())]
    for index, other in enumerate(others):
        page = why_message(pinned(other, pins), "before", index)
        assert not any(one.title.startswith("Pinned") for one in page.sections)


def test_blocks_are_texts_with_titles() -> None:
    blocks = (
        call("bash", "id1", command="ls"),
        Opaque("redacted_thinking", {"data": "x"}),
    )
    message = ai("Hello", *blocks, thinking="hm")
    found = message_body(made(conversation(message, *talk(8))), "before", 0)
    assert [block.kind for block in found.blocks] == [
        "thinking",
        "text",
        "call",
        "opaque",
    ]
    assert (found.blocks[2].title, found.blocks[2].text) == (
        "bash · id1",
        '{\n  "command": "ls"\n}',
    )


def test_thinking_without_text_says_what_is_not_in_the_file() -> None:
    message = ai("Hello", Thinking(""))
    found = message_body(made(conversation(message, *talk(8))), "before", 0)
    assert "thinking, not in the file" in [block.text for block in found.blocks]


def test_long_texts_are_capped_unless_all_is_asked_for() -> None:
    one = made(conversation(human("line\n" * 40_000)))
    block = message_body(one, "before", 0).blocks[0]
    assert (block.displayed_length, block.total) == (MAX_BLOCK_LENGTH, 200_000)
    assert (
        message_body(one, "before", 0, is_complete=True).blocks[0].displayed_length
        == 200_000
    )


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("a\0b", "a␀b"),
        ("\x1b[31mred", "␛[31mred"),
        ("ü\ud800x", "ü\ufffdx"),
        ("\ud83c\udf88", "🎈"),
        ("a\u202e[link](http://…)", "a⟨U+202E⟩[link](http://…)"),
        ("one\r\n\ttwo", "one\n\ttwo"),
        ("نام\u200cها 👩\u200d🔧", "نام\u200cها 👩\u200d🔧"),
    ],
)
def test_what_cannot_be_seen_or_turns_the_text_about_is_a_mark(
    said: str, seen: str
) -> None:
    assert displayable_text(said) == seen


def test_the_raw_json_comes_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi", "extra": 1}]))
    one = made(load_conversation(path))
    found = message_body(one, "before", 0)
    assert found.raw_title == "talk.json:1"
    assert json.loads(found.raw) == {"role": "user", "content": "hi", "extra": 1}
    path.write_text("[]")
    assert "was changed or removed after" in message_body(one, "before", 0).raw


_KEY = re.compile(r"\b(?:compression|compaction|hybrid)\.\w|\b[A-Z]{2}-\d\d\b")
"""Keys of settings and ids of fixes, which are no words for people."""
_ID = re.compile(rf"[a-z]_[a-z]|^[a-z]+-[a-z]+$|{_KEY.pattern}")
"""The same, and names as code has them."""
_NUMBER = re.compile(r"#(\d+)")


@cache
def _histories() -> tuple[tuple[Conversation, StageCache], ...]:
    files = (load_conversation(path) for path in (SESSION, CHAT, RECORDING))
    return tuple((one, StageCache()) for one in (*files, conversation(*agent_loop(80))))


def _made(strategy: str, limit: int) -> Iterator[Preview]:
    for talked, stages in _histories():
        with suppress(
            CompactionFailed
        ):  # a request that does not fit into so small a window
            found = layers(strategy=strategy, limit=limit).resolve()
            yield compute_preview(talked, found, PreviewOptions(checks=False), stages)


def _links(page: WhyPage) -> set[str]:
    parts = [page.sentence, *(one.text for one in page.sections)]
    parts += [spans for step in page.steps for spans in (step.title, step.detail)]
    return {span.link for spans in parts for span in spans if span.link}


def _check_cuts(run: Preview) -> None:
    """Strategies without a reference mode say nothing of one."""
    split, reference = run.result.compaction.split, run.strategy.reference
    for cut in (
        split.cuts if split is not None and run.result.compaction.no_op is None else ()
    ):
        page = why_cut(run, cut.name)
        told = [one.title for one in page.sections if one.title.startswith("Reference")]
        assert told == ([f"Reference ({reference})"] if reference else [])
        assert (
            reference
            or "reference"
            not in " ".join(text(step.title) for step in page.steps).lower()
        )


@pytest.mark.parametrize(
    ("strategy", "limit"),
    [(one.name, limit) for one, limit in zip(STRATEGIES, cycle((30_000, 9_000)))],
)
def test_every_fate_and_cut_is_told_in_words(strategy: str, limit: int) -> None:
    for run in _made(strategy, limit):
        _check_cuts(run)
        steps = {
            step for fate in set(run.result.compaction.fates) for step in fate.steps
        }
        for step in steps:
            assert step.reason.endswith("."), step
            assert not _ID.search(step.rule), step
            assert not _KEY.search(step.reason), step
        for index in range(len(run.result.compaction.messages)):
            assert text(why_message(run, "after", index).sentence)
        for index, fate in enumerate(run.result.compaction.fates):
            page = why_message(run, "before", index)
            assert page.title
            assert text(page.sentence)
            links = _links(page)
            wanted = {at for step in fate.steps for at in step.links}
            wanted |= {int(number) - 1 for number in _NUMBER.findall(fate.last.reason)}
            assert {f"before:{at}" for at in wanted if at < len(run.messages)} <= links
            if fate.kind.value == "summarised":
                assert any(link.startswith("after:") for link in links), (
                    "the summary that stands for it"
                )


def test_a_superseded_read_leads_to_what_superseded_it() -> None:
    read = exchange("r", "read_file", "line\n" * 40, file_path="/a.py")
    write = exchange("w", "write_file", file_path="/a.py", content="x")
    source = conversation(*talk(4), *read, *write, *talk(8))
    page = why_message(made(source, strategy="high-density", limit=9_000), "before", 5)
    assert text(page.sentence).startswith("Superseded by the write in #")
    assert page.sentence[1].link.startswith("before:")


def test_linked_messages_that_are_not_listed_are_counted() -> None:
    run = made(conversation(*talk(30)), strategy="middle-out", limit=9_000)
    compaction = run.result.compaction
    fate = compaction.fates[5]
    step = replace(fate.steps[-1], reason="Moved.", links=tuple(range(15)))
    fates = list(compaction.fates)
    fates[5] = replace(fate, steps=(step,))
    linking = replace(compaction, fates=tuple(fates))
    page = why_message(
        replace(run, result=replace(run.result, compaction=linking)), "before", 5
    )
    (links,) = [one for one in page.sections if one.title == "See also"]
    assert text(links.text).endswith(", #12 and 3 more")


def _separating() -> Conversation:
    parallel = ai("", call("ls", "toolu_01"), call("ls", "toolu_02"))
    early, late = tool(response("toolu_01", "ls")), tool(response("toolu_02", "ls"))
    return conversation(*talk(7), parallel, early, *talk(2), late, *talk(2))


def test_a_cut_tells_both_modes_where_the_reference_separates_a_pair() -> None:
    safe = why_cut(made(_separating(), bottom=0.35), "bottom")
    assert "Not a valid boundary" in [text(step.title) for step in safe.steps]
    assert safe.steps[-1].tone == "end"
    orphaned = (
        "llxprt would have cut before #10 and orphaned the result of toolu_02; here ls keeps "
        "its result"
    )
    assert section(safe, "Reference (llxprt)").startswith(orphaned)
    values = layers(bottom=0.35).with_session(MODE, "reference").resolve()
    reference = section(
        why_cut(compute_preview(_separating(), values), "bottom"), "Reference (llxprt)"
    )
    assert (
        reference
        == "llxprt cuts before #10 and orphans the result of toolu_02. Safe mode cuts before #8."
    )


TALK = conversation(*talk(30))
CALL = ModelCall(
    profile="offline",
    model="snapshot",
    input_tokens=120,
    output_tokens=40,
    retries=1,
    purpose="#3",
)


def ran(**changes: object) -> Preview:
    one = compute_preview(TALK, SettingLayers().with_session(LIMIT, 1000).resolve())
    compaction: Compaction = replace(one.result.compaction, **changes)  # type: ignore[arg-type]
    sizes = replace(
        one.sizes, target=compaction.target, is_changed=compaction.no_op is None
    )
    return replace(one, sizes=sizes, result=replace(one.result, compaction=compaction))


def run_section(shown: Preview, title: str) -> WhySection:
    return next(one for one in run_page(shown).sections if one.title.startswith(title))


def test_each_tier_names_what_it_changed_and_what_was_left() -> None:
    tiers = (
        TierOutcome(1, "truncate", 900, (3, 4)),
        TierOutcome(2, "remove", 800, (), "no older results"),
    )
    shown = ran(figures=StrategyFigures(tiers=tiers), target=700)
    page = run_page(shown)
    titles = ["Tier 1, truncate: 2 messages changed", "Tier 2, remove: nothing changed"]
    assert [text(step.title) for step in page.steps] == titles
    assert "no older results" in text(page.steps[1].detail)
    links = [span.link for span in run_section(shown, "Tier 1").text if span.link]
    assert links == ["before:3", "before:4"]
    assert "the target of 700 tokens is" in text(page.sentence)


def test_the_sizes_of_a_run_are_those_of_the_request_and_add_up_with_its_target() -> (
    None
):
    shown = ran(target=700)
    sizes = replace(
        shown.sizes,
        message_tokens_after=900,
        system_tokens=0,
        sizing=RequestSizing(hidden=5_000),
    )
    sentence = text(run_page(replace(shown, sizes=sizes)).sentence)
    assert sentence.endswith(
        " → ≈5,900 tokens; the target of 700 tokens is missed by 5,200."
    )
    sentence = text(
        run_page(replace(shown, sizes=replace(sizes, system_tokens=40))).sentence
    )
    assert sentence.endswith(
        " → ≈5,940 tokens; the target of 700 tokens is missed by 5,240."
    )


def test_the_counters_of_hybrid_and_its_calls_are_there() -> None:
    stats = HybridStats(
        original_tokens=1000,
        compressed_tokens=400,
        compression_ratio=0.4,
        tool_results_compressed=3,
        user_messages_compressed=2,
        assistant_messages_compressed=1,
        display_data_deleted=1,
        messages_protected=5,
    )
    shown = ran(
        figures=StrategyFigures(stats=stats), calls=(CALL, replace(CALL, purpose="#5"))
    )
    facts = {fact.label: fact.value for fact in run_section(shown, "Statistics").facts}
    assert facts["tool results compressed"] == "3"
    assert facts["share that is left"] == "40 %"
    first = run_section(shown, "2 calls").facts[0]
    assert (first.label, first.value) == ("#3", "snapshot · 120 → 40 · 1 retry")


def test_an_agents_tools_stand_round_by_round_with_their_effects() -> None:
    steps = (
        AgentStep(
            1, "get_compression_metadata", "{}", "30 messages listed", False, 900
        ),
        AgentStep(
            2,
            "compress_tool_result",
            '{"message_index": 4}',
            "#5 is protected",
            True,
            900,
        ),
    )
    found = run_section(ran(calls=(replace(CALL, agent_steps=steps),)), "Round 2")
    assert (
        text(found.text)
        == 'compress_tool_result {"message_index": 4}\n→ refused: #5 is protected'
    )
    assert [one.link for one in found.text if one.link] == ["before:4"]
    assert "900" in found.facts[0].value


def test_sizes_stand_with_the_tier_that_changed_a_message_last() -> None:
    tiers = (
        TierOutcome(1, "truncate", 900, (3, 4)),
        TierOutcome(2, "remove", 800, (4,)),
    )
    first, second = (
        text(run_section(ran(figures=StrategyFigures(tiers=tiers)), title).text)
        for title in ("Tier 1", "Tier 2")
    )
    assert ["→" in part for part in first.split(",")] == [True, False]
    assert "→" in second
