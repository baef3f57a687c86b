"""Planted statements that must survive repeated compaction: ``python -m tests.canaries [STRATEGY ...]``.

Invented rules, facts, wishes and tasks, some of them corrected later, stand between ordinary turns of a
session. It is compacted several times to a share of its size, each time the result of the round before. A
statement survives if its exact value is in the text that is left; a corrected one counts with its new value.
One set of sessions is ours, the other is from PyPI's ``compaction-conformance-kit``; both are generated from
seeds, so that no value can be learned. Results are sized and cut as in ``tests.equal_sizing``.
"""

from __future__ import annotations

import random
import string
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.analysis.fidelity.fact_texts import searchable_text
from core.strategies.base import Strategy
from core.strategies.registry import STRATEGIES, find_strategy
from core.tokens.counter import counter_for
from core.transcript.model import Message, Speaker
from tests.builders import ai, exchange, human, system
from tests.docs_tables import markdown
from tests.equal_sizing import SplitTranscript, cut_to_fit, largest_for_budget

SHARES = (0.10, 0.20, 0.30)
SEEDS = (1, 2, 3, 4)
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class PlantedSession:
    """A session, and for each statement the words that must survive."""

    messages: tuple[Message, ...]
    values: tuple[tuple[str, ...], ...]


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
_CORRECTIONS = {1: "The invoice number changed: it is {} now.", 5: "It listens on port {} from today on."}
_TALK = (
    "What does the table of rooms show now?",
    "The pipeline is green again, go on with the next file.",
    "Look at the layout of the form once more.",
    "Please read the module and tell me what it does.",
    "Thanks, that looks right.",
)
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
        messages.append(ai("The file holds the forms of the rooms and nothing that stands out."))
        say(index, _STATEMENTS[index])
        if place == len(order) // 2:
            for corrected in _CORRECTIONS.keys() & values.keys():
                say(corrected, _CORRECTIONS[corrected])
    messages.append(human("Go on with what comes next."))
    return PlantedSession(tuple(messages), tuple((value,) for value in values.values()))


def _value(rng: random.Random) -> str:
    letters = "".join(rng.choices(string.ascii_lowercase, k=5))
    return f"{letters}-{rng.randrange(100, 999)}"


def kit_session(seed: int) -> PlantedSession:
    """Return a session of the kit, with its own generator of statements and updates."""
    from compaction_kit.corpus import build_random_session

    session, canaries = build_random_session(seed)
    speakers = {"system": system, "user": human, "assistant": ai}
    messages = tuple(speakers.get(turn.role, human)(turn.text) for turn in session.turns)
    return PlantedSession(messages, tuple(one.required_tokens for one in canaries))


SESSIONS: dict[str, Callable[[int], PlantedSession]] = {"own": own_session, "kit": kit_session}


def surviving(strategy: Strategy, session: PlantedSession, share: float, rounds: int = ROUNDS) -> float:
    """Return the share of the statements that are left after some rounds."""
    counter, messages = counter_for(""), session.messages
    max_tokens = int(share * counter.messages(messages))
    for _ in range(rounds):
        file = SplitTranscript("", messages, (), "/", counter, counter.messages(messages))
        if file.tokens <= max_tokens:
            break
        compaction = largest_for_budget(strategy, file, max_tokens)
        if compaction is None:
            return 0.0
        # the next round begins with what this one left, and the agent's next answer
        messages = (*cut_to_fit(compaction, file, max_tokens).messages, *_continued(messages))
    text = "\n".join(searchable_text(message) for message in messages).lower()
    return fmean(all(word.lower() in text for word in words) for words in session.values)


def _continued(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return an answer and a request, so that there is something to compact again."""
    last = messages[-1]
    answer = (ai("Done so far."),) if last.speaker is not Speaker.AI else ()
    return (*answer, human("And now the next step."))


def table(strategies: Sequence[Strategy], seeds: Sequence[int] = SEEDS) -> str:
    """Return a line per strategy, best first: the values that survive, in percent."""
    head = ["strategy", *(f"{name} {share:.0%}" for name in SESSIONS for share in SHARES)]
    rows: list[tuple[str, list[float]]] = []
    for strategy in strategies:
        means = [
            fmean(surviving(strategy, make(seed), share) for seed in seeds)
            for make in SESSIONS.values()
            for share in SHARES
        ]
        rows.append((strategy.name, means))
    rows.sort(key=lambda row: -sum(row[1]))
    return markdown(head, [[f"`{name}`", *(f"{100 * one:.0f} %" for one in means)] for name, means in rows])


if __name__ == "__main__":
    named = [find_strategy(name) for name in sys.argv[1:]]
    print(table(named or [one for one in STRATEGIES if one.name != "none"]))
