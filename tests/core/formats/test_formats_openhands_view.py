"""Views of OpenHands after many condensations equal plain lists without copies of each."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from core.formats.openhands.messages import Condensation, VisibleEvent, replay_events
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import measure_compactions
from core.transcript.model import Conversation, Message, Source, SourceDocument, Speaker, Text
from core.transcript.scopes import history_of_scope

Event = VisibleEvent | Condensation


def said(id_: str, group: str = "", speaker: Speaker | None = Speaker.HUMAN) -> VisibleEvent:
    return VisibleEvent(id_, speaker, (Text(f"words of {id_}"),), Source(1, 0, 1), group)


def session(dice: random.Random, rounds: int) -> list[Event]:
    """Events with parallel calls, some of which come late, and condensations of every kind."""
    events: list[Event] = [said("system", speaker=None)]
    for number in range(rounds):
        ids = [f"{number}-{n}" for n in range(dice.randrange(4))]
        events += [said(id_, dice.choice(["", f"answer {dice.randrange(number + 1)}"])) for id_ in ids]
        known = [event.id for event in events if isinstance(event, VisibleEvent)][1:]
        known += [f"{event.id}-summary" for event in events if isinstance(event, Condensation)]
        forgotten = frozenset(dice.sample(known, min(len(known), dice.randrange(5))))
        summary, offset = dice.choice(
            [("", None), ("", 1), ("So far.", None), ("So far.", dice.randrange(9))]
        )
        events.append(Condensation(f"k{number}", forgotten, summary, offset, Source(1, 0, 1)))
    return events


def plain(events: Sequence[Event]) -> list[list[tuple[str, ...]]]:
    """Each view as a list: ids of the events of a message, of its summary alone."""
    view: list[VisibleEvent | str] = []
    found: list[list[tuple[str, ...]]] = []
    for event in events:
        if isinstance(event, VisibleEvent):
            view.append(event)
            continue
        texts = [one for one in view if isinstance(one, str)] if event.summary else []
        view = [one for one in view if one not in texts]
        view = [one for one in view if (one if isinstance(one, str) else one.id) not in event.forgotten]
        if event.summary and event.offset is not None:
            view.insert(event.offset, f"{event.id}-summary")
        groups: dict[str, list[str]] = {}
        for one in view:
            if isinstance(one, str):
                groups[one] = [one]
            elif one.speaker is not None:
                groups.setdefault(one.group or one.id, []).append(one.id)
        found.append([tuple(ids) for ids in groups.values()])
    return found


def _words(message: Message) -> list[str]:
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    return [text.removeprefix("words of ") for text in texts if text.startswith("words of ")]


@pytest.mark.parametrize("seed", range(30))
def test_each_view_is_what_a_plain_list_would_hold(seed: int) -> None:
    events = session(random.Random(seed), 25)
    messages, recorded = replay_events(events)
    places = [place for place, event in enumerate(events) if isinstance(event, Condensation)]
    for expected, one, place in zip(plain(events), recorded, places, strict=True):
        known = {event.id for event in events[:place]}
        shown = [messages[each] if isinstance(each, int) else each for each in one.context_after]
        found = [tuple(id_ for id_ in _words(each) if id_ in known) or (each.id,) for each in shown]
        assert found == expected
        assert len(one.context_after) == len(expected)


@pytest.mark.parametrize("seed", range(10))
def test_what_changed_counts_the_same_as_what_is_left(seed: int) -> None:
    messages, recorded = replay_events(session(random.Random(seed), 25))
    source = Conversation("openhands", SourceDocument("a"), messages, recorded=recorded)
    counter = counter_for("")
    for own in measure_compactions(source, counter):
        left = list(recorded[own.number - 1].context_after)
        shown = [messages[one] if isinstance(one, int) else one for one in left]
        tokens = counter.messages(shown) if shown else None  # nothing left: not known how it went on
        assert (own.messages_after, own.tokens_after) == (len(shown), tokens)
        before = history_of_scope(source, f"before:{own.number}").messages
        assert (own.messages_before, own.tokens_before) == (len(before), counter.messages(before))
