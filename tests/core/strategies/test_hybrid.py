"""hybrid's direct mode: what it compresses, in which order, what stays, and when it stops (LH)."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.facts.extract import extract_facts
from core.formats.registry import load_conversation
from core.preview.preview import compute_preview
from core.strategies import hybrid
from core.strategies.base import CheckPoint
from core.strategies.helpers import trigger_tokens
from core.strategies.hybrid import STRATEGY, protected_messages
from core.tokens.counter import counter_for
from core.transcript.compaction import FateKind
from core.transcript.model import Message, MessageFlag, Speaker, Text
from tests.core.histories import loose_ends
from tests.core.strategies.hybrid_running import (
    END,
    changed_indexes,
    hybrid_context,
    message_texts,
    run,
    tokens,
)
from tests.core.strategies.strategy_running import (
    ScriptedSummariser,
    result_texts,
    values,
)
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    flagged,
    human,
    response,
    system,
    talk,
    tool,
)
from tests.support.narrowing import known

LONG = "A long line about nothing much. " * 20
OUTPUT = "line of output\n" * 60


@pytest.mark.req("LH-06", "LH-07", "LH-77")
def test_it_is_due_at_seventy_percent_and_aims_at_forty() -> None:
    assert trigger_tokens(STRATEGY, values(), 80_000) == 56_000
    assert STRATEGY.trigger.check is CheckPoint.AFTER_USER
    result = run((*talk(40, "word " * 200), *END), limit=8000)
    assert result.target == 3200
    assert values().text("compression.hybrid.mode") == "direct"


@pytest.mark.req("LH-01", "LH-02", "LH-05", "LH-42", "LH-43", "LH-48", "LH-49", "LH-50")
def test_each_message_is_compressed_by_itself_and_stays_in_its_place() -> None:
    first = replace(human(LONG), timestamp="2026-01-02T03:04:05Z")
    old = (first, *exchange("a", "bash", OUTPUT, command="make"), ai(LONG))
    writer = ScriptedSummariser("what was asked", "what was answered")
    result = run((*old, *END), writer)
    assert message_texts(result)[0] == "💬 [Compressed] what was asked"
    assert message_texts(result)[3] == "💬 [Compressed] what was answered"
    assert result_texts(result) == ["🔧 [Compressed] bash: output left out, 60 lines"]
    assert [message.speaker for message in result.messages] == [
        message.speaker for message in (*old, *END)
    ]
    assert result.messages[0].timestamp == "2026-01-02T03:04:05Z"
    assert [request.prompt for request in writer.requests] == ["Human, 50.", "AI, 80."]
    assert result.origins == tuple((place,) for place in range(9))


@pytest.mark.req("LH-09", "LH-55")
def test_tools_come_first_the_largest_before_the_smaller_then_talk_from_the_oldest_on() -> (
    None
):
    old = (
        human(LONG),
        *exchange("small", "bash", OUTPUT),
        *exchange("large", "bash", OUTPUT * 5),
        *exchange("middle", "bash", OUTPUT * 2),
        ai(LONG),
    )
    history = (*old, *END)
    order = [4, 6, 2, 0, 7]
    left = tokens(history)
    for count, place in enumerate(order):
        result = run(history, limit=int((left - 1) / 0.4))
        assert sorted(changed_indexes(result)) == sorted(order[: count + 1]), place
        left = known(result.figures.stats).compressed_tokens
    assert run(history, limit=tokens(history) * 3).no_op is not None


@pytest.mark.req("LH-55")
def test_what_is_left_at_the_target_stays_and_says_so() -> None:
    history = (human(LONG), *exchange("a", "bash", OUTPUT * 9), ai(LONG), *END)
    writer = ScriptedSummariser("short")
    result = run(history, writer, limit=1000)
    assert changed_indexes(result) == [2]
    assert result.fates[0].last.rule == "target reached"
    assert not result.warnings
    assert not writer.requests
    assert run(result.messages, writer, limit=1000).no_op is not None


@pytest.mark.req("LH-27")
def test_nothing_grows() -> None:
    history = (
        human("words " * 30),
        ai("words " * 30),
        *exchange("b", "bash", "done"),
        *END,
    )
    result = run(
        history, ScriptedSummariser("much longer than what it stands for " * 20)
    )
    assert result.messages == history


@pytest.mark.req("LH-04")
def test_calls_without_text_are_not_asked_about_and_take_no_place() -> None:
    writer = ScriptedSummariser("invented")
    work = tuple(
        message for n in range(9) for message in exchange(f"c{n}", "bash", OUTPUT)
    )
    request = human(f"the request {LONG}")
    result = run((request, *work), writer)
    assert not writer.requests
    assert result.messages[0] == request
    assert result.protected == (0,)


# what is protected


@pytest.mark.req("LH-03", "LH-22")
def test_the_protected_five_of_the_seed_are_found() -> None:
    """In the requirement's figure messages 95 and 98 of 100 are tool results, 94, 96, 97, 99 and
    100 are protected."""
    tail = (
        ai("Looking at the code", call("read_file", "r", path="app.zig")),
        tool(response("r", "read_file", OUTPUT)),
        human("Can you fix the error handling?"),
        ai("I will update that", call("write_file", "w", path="app.zig")),
        tool(response("w", "write_file", OUTPUT)),
        ai("The streaming uses a queue"),
        human("Tell me about the streaming code again"),
    )
    history = (*talk(93), *tail)
    result = run(history)
    assert [place + 1 for place in result.protected] == [94, 96, 97, 99, 100]
    assert {95, 98} <= {place + 1 for place in changed_indexes(result)}


@pytest.mark.req("LH-03", "LH-04", "LH-54")
def test_rows_of_a_harness_take_no_place_and_the_last_request_always_stays() -> None:
    work = tuple(ai(f"step {place}") for place in range(5))
    failed = ai("overloaded", flags=MessageFlag.API_ERROR)
    rows = (flagged(MessageFlag.META), flagged(MessageFlag.COMMAND), failed, ai(""))
    history = (human(LONG), human(f"the request {LONG}"), *work, *rows)
    result = run(history)
    assert result.protected == (1, 2, 3, 4, 5, 6)
    assert all(result.messages[place] == history[place] for place in result.protected)
    assert protected_messages(history, 0) == {1}
    assert protected_messages(history, 2) == {1, 5, 6}


@pytest.mark.req("LH-18", "LH-19", "LH-20")
def test_old_injections_become_a_line_the_first_and_the_newest_stay() -> None:
    injections = tuple(system(f"=== Context {place} ===\n{LONG}") for place in range(4))
    result = run((*injections, *END))
    assert changed_indexes(result) == [1, 2]
    assert message_texts(result)[1] == "💭 [Compressed] Earlier context: Context 1"
    assert (result.messages[0], result.messages[3]) == (injections[0], injections[3])


@pytest.mark.req("LH-21")
def test_what_is_only_shown_is_dropped() -> None:
    shown = Message(
        speaker=Speaker.UNKNOWN,
        blocks=(Text("[ui] spinner"),),
        extra={"role": "display_only_data"},
    )
    result = run(
        (human("go"), shown, ai("529 overloaded", flags=MessageFlag.API_ERROR), *END),
        limit=10_000,
    )
    assert [fate.kind for fate in result.fates[1:3]] == [FateKind.DROPPED] * 2
    assert known(result.figures.stats).display_data_deleted == 2


# no-ops, statistics, targets


@pytest.mark.req("LH-52", "LH-53")
def test_the_statistics_count_what_really_changed() -> None:
    results = (*exchange("a", "bash", OUTPUT), *exchange("b", "bash", "ok"))
    old = (system("prompt"), system("context"), human(LONG), *results, ai(LONG))
    result = run((*old, *END))
    assert result.figures.stats is not None
    before, after = tokens((*old, *END)), tokens(result.messages)
    assert (
        result.figures.stats.original_tokens,
        result.figures.stats.compressed_tokens,
    ) == (
        before,
        after,
    )
    assert result.figures.stats.compression_ratio == after / before
    stats = result.figures.stats
    assert (stats.tool_results_compressed, stats.user_messages_compressed) == (1, 1)
    assert (stats.assistant_messages_compressed, stats.messages_protected) == (1, 5)


@pytest.mark.req("LH-68")
def test_a_missed_target_is_kept_with_the_shortfall() -> None:
    result = run(
        (human(LONG), *(replace(one, blocks=(Text(LONG),)) for one in END)), limit=100
    )
    assert result.no_op is None
    assert tokens(result.messages) > known(result.target) == 40


# the tests that the requirements name, as numbers


@pytest.mark.req("LH-10", "LH-63", "LH-30")
def test_one_a_read_of_five_thousand_lines_shrinks_to_at_most_150_tokens() -> None:
    count = counter_for("").messages
    code = "\n".join(
        f"pub fn part_{n}(state: *State) void {{" if n % 50 == 0 else "    x += 1;"
        for n in range(5000)
    )
    read = exchange("r", "read_file", code, path="src/app.zig")
    end = (ai("I see the code. " * 100), *END)
    history = (human("go"), *read, *end)
    context = replace(hybrid_context(history, limit=50_000), estimate_tokens=count)
    result = hybrid.compress(context)
    assert count(history) > 20_000
    assert count((result.messages[2],)) <= 150
    assert "Read src/app.zig (5000 lines, hash:" in result_texts(result)[0]
    assert result.messages[3:] == history[3:]


@pytest.mark.req("LH-64")
def test_two_of_ten_questions_with_answers_the_last_five_stay() -> None:
    result = run(talk(20, "words of this message " * 20))
    assert changed_indexes(result) == list(range(15))
    assert result.protected == (15, 16, 17, 18, 19)


@pytest.mark.req("LH-65", "LH-88")
def test_three_sixty_thousand_tokens_come_out_at_forty_percent() -> None:
    count = counter_for("").messages
    loop = [
        message
        for number in range(60)
        for message in (
            human(
                f"Question {number}. "
                + "Please explain the queue and the loop in detail. " * 20
            ),
            *exchange(
                f"r{number}",
                "read_file",
                "some code here\n" * 150,
                path=f"src/{number}.py",
            ),
            ai(
                f"Answer {number}. "
                + "The loop drains the queue because it is bounded. " * 30
            ),
        )
    ]
    history = (*loop, *END)
    assert 50_000 < count(history) < 70_000
    result = hybrid.compress(
        replace(hybrid_context(history, limit=80_000), estimate_tokens=count)
    )
    assert count(result.messages) <= 32_000
    assert not result.warnings


@pytest.mark.req("LH-82")
def test_the_paths_of_reads_and_writes_are_still_there() -> None:
    old = (
        *exchange("r", "Read", "1\tcode\n" * 99, file_path="/p/a.py"),
        *exchange("w", "Edit", "edited " * 99, file_path="/p/b.py"),
    )
    text = str(run((human("go"), *old, *END)).messages)
    assert text.count("/p/a.py") == 2
    assert text.count("/p/b.py") == 2


# real conversations and the whole preview


FEW = (
    "claude_code/30_entire-cli.jsonl",
    "codex_rollout/05_agentv.jsonl",
    "openai_chat/12_nilenso-completions.json",
    "anthropic_messages/09_roo-natural-already-condensed.json",
    "pi_agent/02_pi-large-session.jsonl",
    "swe_agent/08_swesmith-pr_8316.traj",
    "cline_session/03_cline-sdk-session.json",
)


@pytest.mark.req("LH-83", "LH-54", "LH-28")
@pytest.mark.parametrize("name", FEW)
def test_real_conversations_come_out_smaller_with_every_pair_whole(
    name: str, corpus: Path
) -> None:
    source = load_conversation(corpus / name)
    settings = {"compression__strategy": hybrid.NAME}
    whole = compute_preview(source, values(context_limit=10**7, **settings))
    before, hidden = whole.sizes.before_tokens, max(0, whole.sizes.sizing.hidden)
    result = compute_preview(
        source, values(context_limit=int((before + hidden) / 0.9), **settings)
    )
    compaction = result.result.compaction
    assert result.sizes.after_tokens < before * 0.7
    assert not loose_ends(compaction.messages) - loose_ends(source.messages)
    for place, sources in enumerate(compaction.origins):
        if sources[0] in compaction.protected:
            assert compaction.messages[place] == source.messages[sources[0]]


@pytest.mark.req("LH-84", "LH-80")
def test_summaries_and_truncation_can_be_compared_by_the_facts_they_keep() -> None:
    """The important facts follow a long beginning, and truncation keeps only the beginning."""
    words = (
        "Hello there, this is a long way to begin. " * 10
        + "Never touch the folder vendor/."
    )
    source = conversation(human(words), *END)
    settings = values(compression__strategy=hybrid.NAME, context_limit=100)
    summarised = compute_preview(source, settings).result.compaction
    cut = run(source.messages, ScriptedSummariser(None), on_failure="truncate")
    kept = [
        {fact.text for fact in extract_facts(result.messages[:1]).all}
        for result in (summarised, cut)
    ]
    assert any("vendor" in text for text in kept[0])
    assert not any("vendor" in text for text in kept[1])


@pytest.mark.req("LH-77")
def test_agent_mode_without_a_model_with_tools_runs_direct_and_says_so() -> None:
    result = run((human(LONG), *END), mode="agent")
    assert changed_indexes(result) == [0]
    warning = result.warnings[0]
    assert warning.startswith(
        "compression.hybrid.mode is agent, but the profile cheap "
    )
    assert warning.endswith("has no model with tools: direct ran instead.")
