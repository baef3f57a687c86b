"""Sentences that core composed, in German: found out by their templates, and none left over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from core.desk import Command, Compact, LookCut, LookFidelity, LookRecorded, LookRun, LookSummary, Open, Set
from core.desk import Look as LookAt
from core.desk_insight import StartCompare, StartReplay, StartSweep
from core.desk_rows import Filter
from core.desk_settings import AskProfiles, AskPrompt, AskSettings, Run, TryPrompt
from core.desk_worker import Desk
from core.errors import FoldlineError
from core.samples import samples
from core.strategies.registry import STRATEGIES
from core.view.phrases import Quoted
from core.view.values import Notice, Screen, Span
from gui.composed import Composer, read_catalogue
from gui.language import ENGLISH, composer, speak, translated
from gui.sentences import LABELS, SENTENCES
from tests.translations import catalogue

_HOLE = re.compile(r"\{[^{}]*\}")
_ENGLISH = re.compile(
    r"\b(the|of|and|is|are|with|by|for|from|not|no|this|that|it|were|have|its|to|which|than|at)\b"
)
"""Words that no German sentence of the window has."""

DATA = {
    "Body.raw": "the file",
    "Body.raw_title": "the file",
    "BodyBlock.text": "the transcript",
    "ExportChoice.label": "a format's name",
    "FactRow.text": "the transcript",
    "FidelityPage.lost_words": "the transcript",
    "FilteredRow.text": "the transcript",
    "FindingRow.link": "a link",
    "ImportPage.copy": "for the clipboard, and so for others",
    "LintRow.rule": "an id",
    "LintRow.side": "an id",
    "PlaceholderRow.value": "a prompt",
    "ProbeRow.details": "the transcript",
    "ProbeRow.question": "what is sent to a model",
    "PromptPage.text": "a prompt",
    "RecordedRow.summary": "the transcript",
    "RequestPart.text": "what is sent to a model",
    "SentenceRow.text": "the transcript",
    "Span.link": "a link",
    "TrialPage.text": "a summary",
    "WhySection.mono": "the transcript, a command",
    "Opened.title": "the transcript",
    "Screen.title": "the transcript",
}
"""Fields that hold no words of the window's own, and whose they are."""
_NAME = re.compile(r"\S*[/.:-]\w\S*|„\w+“|from and value|Anthropic messages|no compaction")
"""Paths, names of formats, settings and agents in German sentences."""


@pytest.fixture
def german(qapp: QApplication) -> Iterator[Composer]:
    speak(qapp, "de")
    yield composer("de")
    speak(qapp, ENGLISH)


def test_a_template_tells_its_own_sentences(german: Composer) -> None:
    wrong = []
    for text, said in read_catalogue(catalogue("de")).items():
        if (
            "\n" in text
            or text != text.strip()
            or not _HOLE.search(text)
            or re.search(r"\w\{|\{\w+[, ]|\}\{|\.\{", text)
        ):
            continue
        values = {hole: str(number) for number, hole in enumerate(dict.fromkeys(_HOLE.findall(text)), 7)}
        made, wanted = (_HOLE.sub(lambda hole, known=values: known[hole[0]], one) for one in (text, said))  # type: ignore[misc]
        if german.words(made) != wanted:
            wrong.append((made, german.words(made), wanted))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("In the top: oldest 20 % = #1–#83.", "Oben: älteste 20 % = #1–#83."),
        ("Recency pruning: pruned", "Nach Alter stutzen: gestutzt"),
        (
            "There is no strategy 'mid'. Did you mean middle-out? Known: tiered, hybrid.",
            "Es gibt keine Strategie 'mid'. Gemeint ist vielleicht middle-out. Bekannt: tiered, hybrid.",
        ),
        ("The folder /of/the may not be written to.", "In den Ordner /of/the darf nicht geschrieben werden."),
        ("Nobody wrote it, so it is left alone.", "Nobody wrote it, so it is left alone."),
    ],
)  # fmt: skip
def test_a_sentence_is_found_out(german: Composer, text: str, said: str) -> None:
    assert german.sentence(text) == said


def test_links_are_laid_anew(german: Composer) -> None:
    sentence = (Span("Because of "), Span("#8", "before:7"))
    assert german.spans(sentence) == (Span("Wegen "), Span("#8", "before:7"))
    both = (
        Span("Stands for "),
        Span("#8", "before:7"),
        Span("–"),
        Span("#84", "before:83"),
        Span(": 77 messages, ≈9 tokens."),
    )
    assert [one.link for one in german.spans(both)] == ["", "before:7", "", "before:83", ""]  # fmt: skip


def test_a_link_may_come_to_the_beginning() -> None:
    asked = Composer({"Show {it} now.": "{it} jetzt zeigen.", "the context before it": "den Kontext davor"})
    sentence = (Span("Show "), Span("the context before it", "scope:1"), Span(" now."))
    assert asked.spans(sentence) == (Span("Den Kontext davor", "scope:1"), Span(" jetzt zeigen."))


def test_words_of_a_transcript_stay(german: Composer) -> None:
    assert german.spans((Span(Quoted("There is no turn 3.")),)) == (Span("There is no turn 3."),)


def test_fields_of_sentences_are_there() -> None:
    made = {one.__name__: {field.name for field in fields(one)} for one in _classes(Screen.__module__)}
    for name, names in (*SENTENCES.items(), *LABELS.items()):
        if name in made:
            assert set(names) <= made[name], name


def _classes(module: str) -> list[Any]:
    import sys

    return [one for one in vars(sys.modules[module]).values() if is_dataclass(one)]


@pytest.mark.parametrize("number", range(len(samples())))
def test_nothing_that_the_worker_says_is_left_in_english(german: Composer, number: int) -> None:
    left: list[str] = []
    talk = _Talk(left)
    talk.ask(Open(str(samples()[number].path)))
    talk.ask(Set((("context-limit", 20_000),), model="gpt-4o"))
    for strategy in STRATEGIES[number :: len(samples())]:
        talk.ask(Set((("compression.strategy", strategy.name),)))
        talk.look_around()
    for command in _COMMANDS:
        talk.ask(command)
    assert left == [], "\n".join(left[:20])


_COMMANDS: tuple[Command, ...] = (
    *(LookRecorded(one) for one in (1, 2)),
    Set((("compression.strategy", "middle-out"),)),
    Compact(),
    StartCompare(("none", "middle-out", "tiered")),
    StartReplay(("middle-out",)),
    StartSweep(("compression-preserve-threshold=0.1:0.5:0.2",)),
    AskSettings(),
    AskProfiles(),
    AskPrompt("middle-out"),
    TryPrompt("middle-out", "<weather>\n</weather>\n", offline=True),
    *(Filter(text) for text in ("tool:", "foo:bar", '"x', "OR", "tokens>", "#0")),
    *(
        Run(text)
        for text in ("/set nonsense 1", "/set", "/profile load x", "/foo", "/set compression-threshold 4")
    ),
    Open("/nowhere/at-all.jsonl"),
)


class _Talk:
    """A desk, and what it says that stays English."""

    def __init__(self, left: list[str]) -> None:
        self._events: list[Any] = []
        self._desk = Desk(self._events.append, lambda: "")
        self._left = left
        self._screen: Screen | None = None

    def ask(self, command: Command) -> None:
        self._events.clear()
        try:
            self._desk.handle(command)
        except FoldlineError as error:
            self._events.append(Notice("error", error.message, error.hint))
        for event in self._events:
            self._screen = event if isinstance(event, Screen) else self._screen
            for where, text in _texts(translated(event), type(event).__name__):
                if where not in DATA and _ENGLISH.search(_NAME.sub("", text)):
                    self._left.append(f"{where}: {text}")

    def look_around(self) -> None:
        assert self._screen is not None
        for side, rows in (("before", self._screen.before), ("after", self._screen.after)):
            for index in range(0, len(rows), 3):
                self.ask(LookAt(side, index))
        for name in ("top", "bottom", "cut", "tail"):
            self.ask(LookCut(name))
        for command in (LookRun(), LookFidelity(), LookSummary()):
            self.ask(command)


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a value with its field; a sentence with links is one text."""
    if isinstance(value, Quoted):
        return
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, tuple) and value and isinstance(value[0], Span):
        if not any(isinstance(one.text, Quoted) for one in value):
            yield where, "".join(one.text for one in value)
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one, where)
    elif is_dataclass(value) and type(value).__name__ not in ("Rows", "RowsPart"):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), f"{type(value).__name__}.{field.name}")
