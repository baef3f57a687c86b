"""Every fate of every strategy has a reason with links to the messages that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

import pytest

from core.common.errors import CompactionFailed
from core.common.paths import SAMPLES
from core.configuration.layers import SettingLayers
from core.formats.registry import load_conversation
from core.presentation.inspector_model import TextSpan, WhyPage
from core.presentation.why import why_message
from core.presentation.why_cut import why_cut
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.keys import LIMIT, MODE, PRESERVE, STRATEGY
from core.strategies.registry import STRATEGIES
from core.transcript.model import Conversation
from tests.benchmarks.loops import agent_loop
from tests.builders import ai, call, conversation, exchange, response, talk, tool

_KEY = re.compile(r"\b(?:compression|compaction|hybrid)\.\w|\b[A-Z]{2}-\d\d\b")
"""Keys of settings and ids of fixes, which are no words for people."""
_ID = re.compile(rf"[a-z]_[a-z]|^[a-z]+-[a-z]+$|{_KEY.pattern}")
"""The same, and names as code has them."""
_NUMBER = re.compile(r"#(\d+)")


@cache
def _histories() -> tuple[tuple[Conversation, StageCache], ...]:
    files = (
        load_conversation(str(SAMPLES / name))
        for name in ("fix-flaky-upload.jsonl", "support-desk.json", "tide-tables.jsonl")
    )
    return tuple((one, StageCache()) for one in (*files, conversation(*agent_loop(80))))


def _made(strategy: str, limit: int) -> Iterator[Preview]:
    layers = SettingLayers().with_session(STRATEGY, strategy).with_session(LIMIT, limit)
    for talked, stages in _histories():
        with suppress(CompactionFailed):  # a request that does not fit into so small a window
            yield compute_preview(talked, layers.resolve(), PreviewOptions(checks=False), stages)


def _text(spans: tuple[TextSpan, ...]) -> str:
    return "".join(span.text for span in spans)


def _links(page: WhyPage) -> set[str]:
    parts = [page.sentence, *(one.text for one in page.sections)]
    parts += [spans for step in page.steps for spans in (step.title, step.detail)]
    return {span.link for spans in parts for span in spans if span.link}


@pytest.mark.parametrize("strategy", [one.name for one in STRATEGIES])
def test_every_fate_is_told_in_words(strategy: str) -> None:
    for made in (*_made(strategy, 30_000), *_made(strategy, 9_000)):
        steps = {step for fate in set(made.compaction.fates) for step in fate.steps}
        for step in steps:
            assert step.reason.endswith("."), step
            assert not _ID.search(step.rule), step
            assert not _KEY.search(step.reason), step
        for index, fate in enumerate(made.compaction.fates):
            page = why_message(made, "before", index)
            assert _text(page.sentence)
            links = _links(page)
            wanted = {at for step in fate.steps for at in step.links}
            wanted |= {int(number) - 1 for number in _NUMBER.findall(fate.last.reason)}
            assert {f"before:{at}" for at in wanted if at < len(made.messages)} <= links
            if fate.kind.value == "summarised":
                assert any(link.startswith("after:") for link in links), "the summary that stands for it"


def test_a_superseded_read_leads_to_what_superseded_it() -> None:
    read = exchange("r", "read_file", "line\n" * 40, file_path="/a.py")
    write = exchange("w", "write_file", file_path="/a.py", content="x")
    layers = SettingLayers().with_session(STRATEGY, "high-density").with_session(LIMIT, 9_000)
    page = why_message(
        compute_preview(conversation(*talk(4), *read, *write, *talk(8)), layers.resolve()), "before", 5
    )
    assert _text(page.sentence).startswith("Superseded by the write in #")
    assert page.sentence[1].link.startswith("before:")


def _separating() -> Conversation:
    """Return parallel calls, one of them answered after the reference's cut."""
    parallel = ai("", call("ls", "toolu_01"), call("ls", "toolu_02"))
    early, late = tool(response("toolu_01", "ls")), tool(response("toolu_02", "ls"))
    return conversation(*talk(7), parallel, early, *talk(2), late, *talk(2))


def _cut(strategy: str, mode: str, name: str) -> dict[str, str]:
    layers = (
        SettingLayers().with_session(STRATEGY, strategy).with_session(MODE, mode).with_session(LIMIT, 4_000)
    )
    made = compute_preview(_separating(), layers.with_session(PRESERVE, 0.35).resolve())
    return {one.title: _text(one.text) for one in why_cut(made, name).sections}


def test_a_cut_tells_both_modes_where_the_reference_separates_a_pair() -> None:
    safe = _cut("middle-out", "safe", "bottom")["Reference (llxprt)"]
    assert safe.startswith(
        "llxprt would have cut before #10 and orphaned the result of toolu_02; here ls keeps its result"
    )
    reference = _cut("middle-out", "reference", "bottom")["Reference (llxprt)"]
    assert reference == "llxprt cuts before #10 and orphans the result of toolu_02. Safe mode cuts before #8."


def test_strategies_without_a_reference_mode_say_nothing_of_one() -> None:
    assert {one.reference for one in STRATEGIES} == {"llxprt", "ion", ""}
    for strategy in STRATEGIES:
        for made in _made(strategy.name, 20_000):
            split = made.compaction.split
            for cut in split.cuts if split is not None and made.compaction.no_op is None else ():
                page = why_cut(made, cut.name)
                told = [one.title for one in page.sections if one.title.startswith("Reference")]
                assert told == ([f"Reference ({strategy.reference})"] if strategy.reference else [])
                steps = " ".join(_text(step.title) for step in page.steps)
                assert strategy.reference or "reference" not in steps.lower()
