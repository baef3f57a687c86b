"""Views of OpenHands after many condensations equal plain lists without copies of each."""

from __future__ import annotations

import random
from typing import Any

import pytest

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.openhands.replay import OpenHandsReplay
from core.tokens.counter import counter_for
from core.tokens.recorded_compactions import measure_compactions
from core.transcript.model import Conversation, Message, Source, SourceDocument, Text
from core.transcript.scopes import history_of_scope
from tests.core.formats.research import v1, v1_text


def session(dice: random.Random, rounds: int) -> list[Any]:
    """Events with parallel calls, some of which come late, and condensations of every kind."""
    events: list[Any] = [v1("SystemPromptEvent", "system", "agent", system_prompt={})]
    known: list[str] = []
    for number in range(rounds):
        for n in range(dice.randrange(4)):
            id_, group = f"{number}-{n}", dice.choice(["", f"answer {dice.randrange(number + 1)}"])
            call = {"thought": v1_text(f"words of {id_}"), "tool_call_id": id_, "llm_response_id": group}
            events.append(v1("ActionEvent", id_, "agent", **call))
            known.append(id_)
        summary, offset = dice.choice(
            [("", None), ("", 1), ("So far.", None), ("So far.", dice.randrange(9))]
        )
        fields: dict[str, Json] = {
            "forgotten_event_ids": dice.sample(known, min(len(known), dice.randrange(5)))
        }
        events.append(
            v1("Condensation", f"k{number}", "agent", summary=summary, summary_offset=offset, **fields)
        )
        known.append(f"k{number}-summary")
    return events


def plain(events: list[Any]) -> list[list[tuple[str, ...]]]:
    """Each view as a list: ids of the events of a message, of its summary alone."""
    view: list[Any] = []
    found: list[list[tuple[str, ...]]] = []
    for event in events:
        if event["kind"] != "Condensation":
            view.append(event)
            continue
        view = [one for one in view if not (event["summary"] and isinstance(one, str))]
        forgotten = event["forgotten_event_ids"]
        view = [one for one in view if (one if isinstance(one, str) else one["id"]) not in forgotten]
        if event["summary"] and event["summary_offset"] is not None:
            view.insert(event["summary_offset"], f"{event['id']}-summary")
        groups: dict[str, list[str]] = {}
        for one in view:
            if isinstance(one, str):
                groups[one] = [one]
            elif one["kind"] == "ActionEvent":
                groups.setdefault(one["llm_response_id"] or one["id"], []).append(one["id"])
        found.append([tuple(ids) for ids in groups.values()])
    return found


def replayed(events: list[Any]) -> OpenHandsReplay:
    replay = OpenHandsReplay(ImportNotes())
    for event in events:
        replay.add(event, Source(1, 0, 1))
    return replay


def _words(message: Message) -> list[str]:
    texts = [block.text for block in message.blocks if isinstance(block, Text)]
    return [text.removeprefix("words of ") for text in texts if text.startswith("words of ")]


@pytest.mark.parametrize("seed", range(30))
def test_each_view_is_what_a_plain_list_would_hold(seed: int) -> None:
    events = session(random.Random(seed), 25)
    replay = replayed(events)
    places = [place for place, event in enumerate(events) if event["kind"] == "Condensation"]
    for expected, one, place in zip(plain(events), replay.recorded, places, strict=True):
        known = {event["id"] for event in events[:place]}
        shown = [replay.messages[each] if isinstance(each, int) else each for each in one.context_after]
        assert [
            tuple(id_ for id_ in _words(each) if id_ in known) or (each.id,) for each in shown
        ] == expected


@pytest.mark.parametrize("seed", range(10))
def test_what_changed_counts_the_same_as_what_is_left(seed: int) -> None:
    replay = replayed(session(random.Random(seed), 25))
    messages, recorded = replay.messages, tuple(replay.recorded)
    source = Conversation("openhands", SourceDocument("a"), messages, recorded=recorded)
    counter = counter_for("")
    for own in measure_compactions(source, counter):
        left = recorded[own.number - 1].context_after
        shown = [messages[one] if isinstance(one, int) else one for one in left]
        tokens = counter.messages(shown) if shown else None  # nothing left: not known how it went on
        assert (own.messages_after, own.tokens_after) == (len(shown), tokens)
        before = history_of_scope(source, f"before:{own.number}").messages
        assert (own.messages_before, own.tokens_before) == (len(before), counter.messages(before))
