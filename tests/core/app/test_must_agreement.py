"""Every place that judges by the texts that must survive finds the same of the same result."""

import random
from collections import Counter
from pathlib import Path
from shutil import copy

import pytest

from core.app.services.compare import CompareService
from core.app.services.inspector import InspectorService, MustService
from core.app.services.settings import SettingsService
from core.common.paths import SAMPLES
from core.facts.sentences import searchable_text, sentences
from core.losses.must_keep import FILE_NAME
from core.presentation.compare.model import ComparePage, StrategyCards
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import Cli

STRATEGIES = ("middle-out", "high-density", "one-shot")
_STATUSES = ("gone", "in part", "word for word", "not said in this session")


def random_musts(session: Path, count: int) -> list[str]:
    """Return sentences of a session, parts of them, and words that it may not hold."""
    chance, handler = random.Random(7), RecordingHandler(session)
    messages = handler._handler.displayed_preview().messages
    said = [one for message in messages for one in sentences(searchable_text(message))]
    found = set[str]()
    while len(found) < count:
        words = chance.choice(said).split()
        length = chance.choice((1, 3, len(words)))
        start = chance.randrange(max(1, len(words) - length))
        text = " ".join(words[start : start + length])[:400].strip()
        if chance.random() < 0.2:
            text = f"{text} zebra"
        if text and not text.startswith("#"):
            found.add(text)
    return sorted(found)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return Path(copy(SAMPLES / "fix-flaky-upload.jsonl", tmp_path))


@pytest.fixture
def judged(session: Path) -> Path:
    """A session with 40 texts that must survive in the file beside it."""
    texts = random_musts(session, 40)
    (session.parent / FILE_NAME).write_text("\n".join(texts), "utf-8")
    return session


def test_window_cards_compare_and_check_agree(judged: Path, cli: Cli) -> None:
    handler = RecordingHandler(judged)
    for strategy in STRATEGIES:
        window = statuses_in_the_window(handler, strategy)
        page: ComparePage = handler(CompareService.compare, (strategy,))
        (row,) = (one for one in page.rows if one.name == strategy)
        assert {one.text: one.status.value for one in row.losses.musts} == window
        assert card_counts(handler, strategy) == {
            name: count
            for name, count in Counter(window.values()).items()
            if name in _STATUSES[:3]
        }
        words = ("check", str(judged), "-s", strategy, "--min-needed", "0")
        (file,) = cli.json(*words)["files"]
        assert {one["text"]: one["status"] for one in file["must"]} == window


def statuses_in_the_window(handler: RecordingHandler, strategy: str) -> dict[str, str]:
    handler(SettingsService.run_line, f"/set compression.strategy {strategy}")
    shown = handler.call(InspectorService.losses).must.rows
    return {row.must: row.status for row in shown}


def card_counts(handler: RecordingHandler, strategy: str) -> dict[str, int]:
    cards: StrategyCards = handler(CompareService.cards)
    (card,) = (one for one in cards.cards if one.name == strategy)
    return {mark.status.value: int(mark.count) for mark in card.musts.marks}


def test_a_must_that_is_added_is_judged_in_rows_that_are_known(session: Path) -> None:
    handler = RecordingHandler(session)
    before: ComparePage = handler(CompareService.compare, STRATEGIES)
    assert not any(row.losses.musts for row in before.rows)
    text = random_musts(session, 1)[0]
    handler.call(MustService.add, text)
    after: ComparePage = handler(CompareService.compare, STRATEGIES)
    assert all([one.text for one in row.losses.musts] == [text] for row in after.rows)
    assert {row.name: row.sizes for row in after.rows} == {
        row.name: row.sizes for row in before.rows
    }
