"""Planted statements that must survive repeated compaction.

``python -m tests.studies.canaries [STRATEGY ...]`` prints them.

Invented rules, facts, wishes and tasks, some of them corrected later, stand between ordinary turns
of a session. It is compacted several times to a share of its size, each time the result of the
round before. A statement survives if its exact value is in the text that is left; a corrected one
counts with its new value. One set of sessions is ours, the other is from PyPI's
``compaction-conformance-kit``; both are generated from seeds, so that no value can be learned.
Results are sized and cut as in ``tests.studies.equal_sizing``: ours in tokens, those of the kit as
its own runner measures them, in characters of ``[role] text``.
"""

import random
import re
import string
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean
from unittest.mock import patch

from compaction_kit import corpus
from compaction_kit.compacted import CompactedContext
from compaction_kit.corpus import build_random_session
from compaction_kit.runner import run_conformance
from compaction_kit.session import Turn

from core.common.paths import SAMPLES
from core.facts.sentences import (
    authored_prose,
    authored_text,
    searchable_text,
    sentences,
)
from core.formats.registry import load_conversation
from core.strategies.base import Strategy
from core.strategies.names import EXCERPT
from core.strategies.registry import STRATEGIES, find_strategy
from core.tokens.counter import CountMethod, TokenCounter, counter_for
from core.transcript.model import Message, Speaker
from tests.studies.behaviour import record
from tests.studies.equal_sizing import SplitTranscript, cut_to_fit, largest_for_budget
from tests.support.builders import ai, exchange, human, system
from tests.support.markdown import markdown, with_block
from tests.support.source_tree import ROOT

PAGE = ROOT / "tests" / "studies" / "results.md"
MARKS = re.compile(r"<!-- canaries -->\n.*?<!-- /canaries -->", re.DOTALL)
SHARES = (0.10, 0.20, 0.30)
SEEDS = (1, 2, 3, 4)
FRESH = range(101, 141)
"""Sessions that nobody looked at."""
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class PlantedSession:
    """A session, and the value of each statement, which must survive."""

    messages: tuple[Message, ...]
    values: tuple[str, ...]


_STATEMENTS = (
    "Never print the recovery key {} into a log.",
    "The invoice number of this job is {}.",
    "I prefer that new branches begin with {}.",
    "Releases are only after {} has agreed.",
    "Keep the whole job below {} euros.",
    "The service listens on port {}.",
    "Call the new column {} in every report.",
    "Next: move the importer to {}.",
    "The faulty commit is {}.",
    "Times are always given for the site {}.",
)
_CORRECTIONS = {
    1: "The invoice number changed: it is {} now.",
    5: "It listens on port {} from today on.",
}
_TALK = (
    "What does the table of rooms show now?",
    "The pipeline is green again, go on with the next file.",
    "Look at the layout of the form once more.",
    "Please read the module and tell me what it does.",
    "Thanks, that looks right.",
)
_ASIDES = (
    "oh, and before I forget: the recovery key {} is never to be seen in a log",
    "somebody asked for the invoice number again, it is {}",
    "by the way, I would like new branches to begin with {}",
    "we release once {} has had a look, not sooner",
    "money is short this month, {} euros have to do for all of it",
    "our service sits on port {}, if you wonder",
    "in the reports that column is called {} from now on",
    "after this one I thought we move the importer to {}",
    "I looked it up, {} is the commit that broke it",
    "when we speak of times we mean those of {}",
)
_NEW_ASIDES = {
    1: "they changed that invoice number on me, now it is {}",
    5: "we had to move the service, you find it on port {} now",
}
_REAL_LENGTHS, _REAL_COUNT = range(40, 161), 50
_WORK = "line of a log without anything in it\n"


def own_session(seed: int) -> PlantedSession:
    """Return statements in an order by the seed, between talk and calls with long results."""
    rng = random.Random(seed)
    order = rng.sample(range(len(_STATEMENTS)), len(_STATEMENTS))
    messages: list[Message] = []
    values: dict[int, str] = {}

    def say(index: int, template: str) -> None:
        values[index] = _value(rng)
        messages.extend((human(template.format(values[index])), ai("Understood.")))

    for place, index in enumerate(order):
        messages += (
            human(rng.choice(_TALK)),
            *exchange(f"c{place}", "read", _WORK * 12, path=f"m{place}.py"),
        )
        messages.append(
            ai("The file holds the forms of the rooms and nothing that stands out.")
        )
        say(index, _STATEMENTS[index])
        if place == len(order) // 2:
            for corrected in _CORRECTIONS.keys() & values.keys():
                say(corrected, _CORRECTIONS[corrected])
    messages.append(human("Go on with what comes next."))
    return PlantedSession(tuple(messages), tuple(values.values()))


def talk_session(seed: int) -> PlantedSession:
    """Return statements said in passing, between real sentences of which none stands twice; no
    labels, no calls."""
    rng = random.Random(seed)
    order = rng.sample(range(len(_ASIDES)), len(_ASIDES))
    said = [(index, _ASIDES[index]) for index in order]
    said += _NEW_ASIDES.items()
    filler = iter(rng.sample(real_sentences(), _REAL_COUNT))
    messages: list[Message] = []
    values: dict[int, str] = {}
    for index, words in said:
        values[index] = _value(rng)
        aside = words.format(values[index])
        messages.append(
            human(f"{next(filler)} {aside[0].upper()}{aside[1:]}. {next(filler)}")
        )
        messages.append(ai(f"{next(filler)} {next(filler)}"))
    messages.append(human("Go on with what comes next."))
    return PlantedSession(tuple(messages), tuple(values.values()))


def _value(rng: random.Random) -> str:
    letters = "".join(rng.choices(string.ascii_lowercase, k=5))
    return f"{letters}-{rng.randrange(100, 999)}"


@dataclass(frozen=True, slots=True)
class KitTranscript(SplitTranscript):
    """A transcript whose size is that of the text which the kit makes of it."""

    def count(self, messages: Sequence[Message]) -> int:
        return len(_kit_text(messages))


class CharacterCounter(TokenCounter):
    """Counts characters, the unit of the kit."""

    def text(self, text: str) -> int:
        return len(text)


class KitCompactor:
    """A strategy behind the protocol of the kit, which hands on the text of one round to the
    next."""

    def __init__(self, strategy: Strategy) -> None:
        self.name = strategy.name
        self._strategy = strategy

    def compact(
        self, turns: Sequence[Turn], round_num: int = 1, budget_chars: int = 0
    ) -> CompactedContext:
        messages = tuple(
            _KIT_MESSAGES.get(turn.role, human)(turn.text) for turn in turns
        )
        if round_num > 1:
            messages = _with_next_request(_messages_of(turns[0].text))
        counter = CharacterCounter(CountMethod("=", "characters", ""))
        file = KitTranscript("", messages, (), "/", counter, len(_kit_text(messages)))
        return CompactedContext(
            _kit_text(_compacted(self._strategy, file, budget_chars)),
            self.name,
            round_num,
        )


_KIT_MESSAGES: dict[str, Callable[[str], Message]] = {
    "system": system,
    "user": human,
    "assistant": ai,
}
_KIT_ROLES = {
    Speaker.SYSTEM: "system",
    Speaker.HUMAN: "user",
    Speaker.AI: "assistant",
    Speaker.TOOL: "tool",
}
_KIT_TURN = re.compile(r"^\[(system|user|assistant)\] ", re.MULTILINE)


def _kit_text(messages: Sequence[Message]) -> str:
    return "\n".join(
        f"[{_KIT_ROLES[one.speaker]}] {searchable_text(one)}" for one in messages
    )


def _messages_of(text: str) -> tuple[Message, ...]:
    _, *parts = _KIT_TURN.split(text)
    return tuple(
        _KIT_MESSAGES[role](words.rstrip("\n"))
        for role, words in zip(parts[::2], parts[1::2], strict=True)
    )


def kit_survival(strategy: Strategy, seed: int, share: float) -> float:
    """Return the share of the kit's statements that are left after its rounds, by its own
    runner."""
    session, canaries = build_random_session(seed)
    run = run_conformance(
        session,
        KitCompactor(strategy),
        rounds=ROUNDS,
        canaries=canaries,
        budget_fraction=share,
    )
    return fmean(run.rounds[-1].survived.values())


def real_sentences() -> list[str]:
    """Return fifty sentences that person and model say in the bundled samples."""
    found: list[str] = []
    for sample in sorted(SAMPLES.glob("*.json*")):
        for message in load_conversation(sample).messages:
            if message.speaker in (Speaker.HUMAN, Speaker.AI):
                found += sentences(authored_prose(authored_text(message)))
    fitting = list(dict.fromkeys(one for one in found if len(one) in _REAL_LENGTHS))
    return fitting[:: len(fitting) // _REAL_COUNT][:_REAL_COUNT]


def real_survival(strategy: Strategy, seed: int, share: float) -> float:
    """Return the same with real sentences as filler, none of them twice."""
    with patch.object(corpus, "_FILLER", real_sentences()):
        return kit_survival(strategy, seed, share)


def own_survival(
    strategy: Strategy, seed: int, share: float, rounds: int = ROUNDS
) -> float:
    """Return the share of our statements that are left after some rounds."""
    return _survival(own_session(seed), strategy, share, rounds)


def talk_survival(strategy: Strategy, seed: int, share: float) -> float:
    """Return the same of statements that are said in passing."""
    return _survival(talk_session(seed), strategy, share, ROUNDS)


def _survival(
    session: PlantedSession, strategy: Strategy, share: float, rounds: int
) -> float:
    counter = counter_for("")
    messages = session.messages
    max_tokens = int(share * counter.messages(messages))
    for number in range(rounds):
        if number:
            messages = _with_next_request(messages)
        file = SplitTranscript(
            "", messages, (), "/", counter, counter.messages(messages)
        )
        messages = _compacted(strategy, file, max_tokens)
    text = "\n".join(map(searchable_text, messages)).lower()
    return fmean(value.lower() in text for value in session.values)


def _compacted(
    strategy: Strategy, file: SplitTranscript, size: int
) -> tuple[Message, ...]:
    """Return the messages within the size, none where the strategy makes no result."""
    if file.tokens <= size:
        return file.before
    compaction = largest_for_budget(strategy, file, size)
    return () if compaction is None else cut_to_fit(compaction, file, size).messages


def _with_next_request(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with an answer and a request, so that there is something to compact
    again."""
    answer = (
        (ai("Done so far."),)
        if messages and messages[-1].speaker is not Speaker.AI
        else ()
    )
    return (*messages, *answer, human("And now the next step."))


SURVIVAL: dict[str, Callable[[Strategy, int, float], float]] = {
    "own": own_survival,
    "kit": kit_survival,
}


_OTHER_TALK: dict[str, Callable[[Strategy, int, float], float]] = {
    "real sentences": real_survival,
    "said in passing": talk_survival,
}


def measure(strategy: Strategy, seeds: Sequence[int] = SEEDS) -> list[float]:
    """Return what survives of both sets at all sizes, as shares."""
    return [
        fmean(survival(strategy, seed, share) for seed in seeds)
        for survival in SURVIVAL.values()
        for share in SHARES
    ]


def table(found: Mapping[str, Sequence[float]]) -> str:
    """Return a line per strategy, best first: the statements that survive, in percent."""
    head = [
        "strategy",
        *(f"{name} {share:.0%}" for name in SURVIVAL for share in SHARES),
    ]
    rows = sorted(found.items(), key=lambda row: -sum(row[1]))
    return markdown(
        head,
        [
            [f"`{name}`", *(f"{100 * one:.0f} %" for one in means)]
            for name, means in rows
        ],
    )


def page_with_canaries(
    text: str, found: Mapping[str, Sequence[float]], fresh: Sequence[float], day: date
) -> str:
    """Return the page with the table in it; ``fresh`` is what excerpt keeps of ``FRESH``."""
    shares = ", ".join(f"{100 * one:.0f} %" for one in fresh)
    about = (
        f"Measured on {day:%Y-%m-%d}: {len(SEEDS)} sessions of each set, {ROUNDS} rounds. On {len(FRESH)} "
        f"more of each set, which nobody looked at, `{EXCERPT}` keeps {shares}, in the order of the columns."
    )
    return with_block(text, "canaries", f"{about}\n\n{table(found)}")


def main() -> None:
    """Print the rows of the strategies named, or write the page with all."""
    if named := [find_strategy(name) for name in sys.argv[1:]]:
        print(table({one.name: measure(one) for one in named}))
        for one in named:
            for name, survival in _OTHER_TALK.items():
                kept = (
                    fmean(survival(one, seed, share) for seed in SEEDS)
                    for share in SHARES
                )
                print(f"{one.name}, {name}:", *(f"{share:.0%}" for share in kept))
        return
    found = {one.name: measure(one) for one in STRATEGIES}
    fresh = measure(find_strategy(EXCERPT), FRESH)
    PAGE.write_text(
        page_with_canaries(PAGE.read_text("utf-8"), found, fresh, date.today()), "utf-8"
    )
    record("canaries")


if __name__ == "__main__":
    main()
