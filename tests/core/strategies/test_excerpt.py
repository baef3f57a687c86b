"""excerpt: the newest messages, the person's words, and the lines that add most, to the token."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.facts.sentences import plain_text
from core.settings.schema import Values
from core.strategies import excerpt
from core.strategies.draft import unpaired_ids
from core.strategies.excerpt_units import HEADING, UnitKind, units_of
from core.strategies.registry import find_strategy
from core.transcript.compaction import Compaction, FateKind, NoOpCode
from core.transcript.model import Message
from core.transcript.pins import MessagePin, PinKind
from tests.core.strategies.strategy_running import (
    ScriptedSummariser,
    cached_tokens,
    context,
    tokens,
    values,
)
from tests.support.builders import ai, exchange, human
from tests.support.narrowing import known
from tests.support.sampling import sampled

LOG = "".join(f"step {number} of the build went well\n" for number in range(60))
SMALLEST_LINE = 100
"""Tokens that a heading and any one line have."""
ERROR = "psycopg.PoolError: retry_at is not set in src/pool.py"


def compacted(
    *messages: Message,
    target: int,
    pins: dict[int, MessagePin] | None = None,
    setting: Values | None = None,
    focus: str = "",
    hidden: int = 0,
) -> Compaction:
    given_context = context(messages, setting, limit=round(target / excerpt.TARGET))
    return excerpt.compress(
        replace(given_context, pins=pins or {}, focus=focus, hidden=hidden)
    )


def work(count: int) -> list[Message]:
    return [
        message
        for number in range(count)
        for message in (
            *exchange(
                f"c{number}",
                "Bash",
                f"{LOG}in part_{number}.py",
                command=f"make {number}",
            ),
            ai(f"Part {number} is built."),
        )
    ]


def session(steps: int = 12) -> list[Message]:
    failed = exchange("e", "Bash", f"{LOG}{ERROR}\n{LOG}", command="pytest")
    begin = human("Build the importer. Never push to main.")
    passed = exchange("p", "Bash", "4 passed", command="pytest")
    return [begin, *failed, *passed, *work(steps), human("Now write the changelog.")]


def text(made: Compaction) -> str:
    return "\n".join(map(plain_text, made.messages))


@pytest.mark.req("EXC-1")
@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_the_target_is_met_and_never_exceeded(share: float) -> None:
    messages = session(30)
    messages = [
        *messages,
        *exchange(
            "x",
            "Bash",
            "\n".join(f"name_{n} is new here" for n in range(900)),
            command="x",
        ),
        human("Go on."),
    ]
    target = int(share * tokens(messages))
    assert (
        0.97 * target <= tokens(compacted(*messages, target=target).messages) <= target
    )


@pytest.mark.req("EXC-1")
def test_the_target_is_a_setting() -> None:
    messages = session(30)
    count = tokens(messages)
    for share in (0.2, 0.3):
        made = excerpt.compress(
            context(messages, values(excerpt__target=share), limit=count)
        )
        assert made.target == int(share * count)


@pytest.mark.req("EXC-1")
@settings(max_examples=40, deadline=None)
@given(
    said=st.lists(st.text(max_size=200), max_size=6),
    results=st.lists(st.text(max_size=3_000), min_size=3, max_size=12),
    share=st.floats(0.1, 0.9),
    hidden_share=st.floats(0, 0.99),
)
def test_any_session_stays_within_its_target(
    said: list[str], results: list[str], share: float, hidden_share: float
) -> None:
    messages = [*map(human, said)]
    for number, result in enumerate(results):
        messages += exchange(f"c{number}", "Bash", result, command="x" * number)
    target = max(1, int(share * tokens(messages)))
    hidden = int(hidden_share * target)
    made = compacted(*messages, target=target, hidden=hidden)
    assert made == compacted(*messages, target=target, hidden=hidden)
    assert made.no_op or unpaired_ids(made.messages) <= unpaired_ids(messages)
    room = target - hidden
    if room < SMALLEST_LINE:  # nothing may fit
        room = max(SMALLEST_LINE, target // 4)
    assert made.no_op or tokens(made.messages) <= room


@pytest.mark.req("EXC-1")
@pytest.mark.parametrize("share", [0.7, 0.8, 0.9, 0.97])
def test_system_prompt_and_tools_are_part_of_the_target(share: float) -> None:
    messages = session(300)
    target = tokens(messages) // 5
    hidden = int(share * target)
    made = compacted(*messages, target=target, hidden=hidden)
    room = target - hidden
    assert 0.97 * room <= tokens(made.messages) <= room


@pytest.mark.req("EXC-1")
def test_a_quarter_of_the_target_is_left_where_nothing_else_is() -> None:
    made = compacted(*session(30), target=1_000, hidden=1_200)
    assert 240 <= tokens(made.messages) <= 250


@pytest.mark.req("EXC-2")
def test_a_line_with_a_new_name_stands_with_its_reason() -> None:
    made = compacted(*session(), target=700)
    assert ERROR in plain_text(made.messages[0])
    [line] = [one for one in made.figures.excerpts if one.text == ERROR]
    assert line.source_index == 2
    assert {"retry_at", "src/pool.py"} <= set(line.names)


@pytest.mark.req("EXC-2")
def test_the_persons_words_stay() -> None:
    made = compacted(*session(), target=500)
    assert plain_text(made.messages[0]).startswith(HEADING)
    assert "Never push to main." in text(made)
    assert "Now write the changelog." in text(made)


def test_each_message_says_how_many_of_its_lines_stand() -> None:
    made = compacted(*session(), target=700)
    kinds = [fate.kind for fate in made.fates]
    assert made.fates[0].last.reason == "1 of 1 line stands."
    assert kinds[0] is FateKind.EXCERPTED
    assert kinds[-1] is FateKind.KEPT
    excerpted = tuple(
        index for index, kind in enumerate(kinds) if kind is FateKind.EXCERPTED
    )
    assert made.origins[0] == excerpted


def test_the_verb_goes_with_the_lines_that_stand() -> None:
    reasons = {fate.last.reason for fate in compacted(*session(), target=700).fates}
    assert {"1 of 61 lines stands.", "50 of 61 lines stand."} <= reasons


def test_equal_lines_stand_once_and_of_numbers_the_last() -> None:
    said = ["The cap is 40 euros.", "The cap is 75 euros.", "The cap is 75 euros."]
    messages = [message for words in said for message in (human(words), ai("Done."))]
    made = compacted(*messages, *work(8), target=400)
    assert text(made).count("The cap is 75 euros.") == 1
    assert "40 euros" not in text(made)


def test_a_second_run_reads_the_excerpts_of_the_first() -> None:
    first = compacted(*session(), target=900)
    again = compacted(*first.messages, *work(6), human("And now?"), target=900)
    assert plain_text(again.messages[0]).count(HEADING) == 1
    assert ERROR in plain_text(again.messages[0])
    assert {unit.kind for unit in units_of(0, first.messages[0])} >= {
        UnitKind.PERSON,
        UnitKind.OTHER,
    }


def test_a_message_that_is_pinned_stays_whole_with_its_pair() -> None:
    messages = session()
    made = compacted(*messages, target=1_500, pins={6: MessagePin(PinKind.KEEP)})
    assert [made.fates[index].kind for index in (5, 6)] == [
        FateKind.KEPT,
        FateKind.KEPT,
    ]
    assert messages[6] in made.messages
    assert {5, 6} <= set(made.protected)


def test_a_message_that_is_pinned_to_drop_leaves_no_line() -> None:
    messages = session()
    made = compacted(*messages, target=1_500, pins={2: MessagePin(PinKind.DROP)})
    assert made.fates[1].kind is made.fates[2].kind is FateKind.DROPPED
    assert ERROR not in text(made)


def test_what_the_focus_names_comes_before_all_else() -> None:
    messages = session(30)
    messages[5:5] = exchange("q", "Bash", f"{LOG}the quota\n", command="ls")
    assert "the quota" not in text(compacted(*messages, target=250))
    assert "the quota" in text(
        compacted(*messages, target=250, focus="quota of the job")
    )


def test_a_sentence_that_is_a_message_is_not_held_back_in_work() -> None:
    rules = [
        f"Releases are only after team_{letter} has agreed."
        for letter in "abcdefghijkl"
    ]
    said = [one for rule in rules for one in (human(rule), ai("Understood."))]
    plan = (human("\n".join(rules)), ai("Understood."))
    apart, pasted = (
        text(compacted(*begin, *work(30), human("Go on."), target=400))
        for begin in (said, plan)
    )
    assert sum(rule in apart for rule in rules) > sum(rule in pasted for rule in rules)


def test_code_of_the_person_is_input_pasted_or_not() -> None:
    _, code = units_of(0, human("Keep it.\n```\nretries = retry_limit(3)\n```"))
    assert code.kind is UnitKind.INPUT
    before = human(f"{HEADING}\nKeep it.\n#1 pasted\nretries = retry_limit(3)")
    assert code.kind in {one.kind for one in units_of(0, before)}


def test_an_open_error_comes_first() -> None:
    messages = session(30)
    messages[1:1] = exchange(
        "f", "Bash", "Exit code: 1\nfatal: no branch", command="git pull"
    )
    assert "open error: " in text(compacted(*messages, target=600))


def test_a_text_that_must_stand_stands() -> None:
    messages = session(30)
    messages[5:5] = exchange("q", "Bash", f"{LOG}the quota\n", command="ls")
    given_context = context(messages, limit=round(450 / excerpt.TARGET))
    made = excerpt.compress(replace(given_context, musts=("the quota",)))
    assert "the quota" in text(made)


def test_a_summary_stands_in_front_only_where_it_is_wanted() -> None:
    summariser = ScriptedSummariser("<state_snapshot>All is well.</state_snapshot>")
    messages = session()
    given_context = context(messages, limit=2_000)
    given_context = replace(given_context, summariser=summariser.choose)
    assert excerpt.compress(given_context).summary is None
    wanted = replace(given_context, values=values(excerpt__summary=True))
    made = excerpt.compress(wanted)
    assert plain_text(made.messages[0]) == known(made.summary).text
    assert plain_text(made.messages[1]).startswith(HEADING)
    assert tokens(made.messages) <= 800


def test_nothing_happens_below_the_target() -> None:
    made = compacted(*session(), target=100_000)
    assert known(made.no_op).code is NoOpCode.UNDER_TARGET


@pytest.mark.req("EXC-3")
def test_the_former_name_stands_for_it() -> None:
    assert find_strategy("pinned-hybrid") is find_strategy("excerpt")
    assert (
        values(compression__strategy="pinned-hybrid").text("compression.strategy")
        == "excerpt"
    )


def _seconds(messages: Sequence[Message]) -> float:
    count = cached_tokens()
    target = count(messages) // 5
    given_context = context(messages, limit=round(target / excerpt.TARGET))
    given_context = replace(given_context, estimate_tokens=count)
    began = time.process_time()
    excerpt.compress(given_context)
    return time.process_time() - began


def _seconds_a_message(messages: Sequence[Message]) -> float:
    return min(_seconds(messages) for _ in range(2)) / len(messages)


@pytest.mark.req("EXC-1")
def test_a_message_costs_the_same_in_a_long_session() -> None:
    turns = sampled((330, 1_700), (165, 850))
    short, long = (session(count) for count in turns)
    assert (len(short), len(long)) == sampled((996, 5_106), (501, 2_556))
    assert _seconds_a_message(long) <= 1.5 * _seconds_a_message(short)


def test_a_sentence_that_an_editor_wrapped_is_one_unit() -> None:
    said = "Look at CI first, and don't drop 3.13 from the\nmatrix either.\n\nfix it\nthen push"
    assert [unit.text for unit in units_of(0, human(said))] == [
        "Look at CI first, and don't drop 3.13 from the matrix either.",
        "fix it",
        "then push",
    ]
