"""What counts as a summary: a whole answer with a section or names of its source, whoever wrote
it."""

from collections import Counter
from pathlib import Path

import pytest

from core.api import compact
from core.common.errors import CompactionFailed
from core.llm.protocol import SummaryResponse
from core.summarize.answer_check import answer_fault, visible_words
from tests.core.cli.running_cli import Cli
from tests.core.integrations.hosts.histories import openai_messages
from tests.core.summarize.answer_figures import judged_answers, request

SAMPLE = "fix-flaky-upload.jsonl"


def fault(
    text: str, prompt: str = "middle-out", source: str = SAMPLE, reason: str = "stop"
) -> str:
    return answer_fault(
        request(prompt, source),
        SummaryResponse(text=text, finish_reason=reason),
        lambda _: 50_000,
    )


def test_refusals_are_caught_and_honest_summaries_taken_in_the_half_looked_at() -> None:
    answers = [one for one in judged_answers() if one.looked_at]
    wrong = [one.text for one in answers if bool(one.fault) is not one.is_refusal]
    assert not wrong


def test_nearly_all_are_judged_right_in_the_half_set_aside() -> None:
    answers = [one for one in judged_answers() if not one.looked_at]
    right = Counter(
        one.is_refusal for one in answers if bool(one.fault) is one.is_refusal
    )
    total = Counter(one.is_refusal for one in answers)
    assert right[True] >= 0.96 * total[True]
    assert right[False] >= 0.9 * total[False]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "No.",
            "Please paste the transcript",
            "\0",
            "\u200b\u200c\u2060\ufeff",
            "",
            "null",
            "[]",
            '"Done."',
        ),
        '{"error": {"message": "overloaded", "code": 529}}',
        "<state_snapshot>I cannot do that.</state_snapshot>",
        "<overall_goal></overall_goal>" + "and so on " * 30,
        "I would rather not write about this conversation, because "
        + "it is long, and " * 20,
    ],
)
def test_what_holds_nothing_of_its_source_is_no_summary(text: str) -> None:
    assert fault(text)


SAID = "UploadClient keeps its API; the pool drops closed connections, and the upload test passes."


def test_a_section_needs_words_of_the_source() -> None:
    assert not fault(f"<overall_goal>{SAID}</overall_goal>")
    assert not fault(f"7. NEXT STEPS: {SAID}", "tiered")
    assert not fault(f"**Next Steps**\n{SAID}", "pi")
    assert "too few of its words" in fault(
        f"<overall_goal>{'word ' * 30}</overall_goal>"
    )
    assert "too few of its words" in fault(
        "## Goal\nMend src/never/seen.py, as the customers of Saffron asked us on Monday.",
        "pi",
    )
    assert "wrote 3 words" in fault("<overall_goal>Fix the test.</overall_goal>")


def test_an_answer_without_any_section_asked_for_is_no_summary() -> None:
    assert "none of the sections" in fault(SAID)
    assert not fault(SAID, "anthropic-compaction"), "this prompt asks for none"
    assert not fault(f"## Ziel\n{SAID}\n## Stand\nUploadClient bleibt.", "pi"), (
        "translated"
    )


def test_what_the_prompt_says_and_what_is_said_twice_counts_nothing() -> None:
    prompt = request("middle-out", SAMPLE).prompt
    assert "stands in its prompt" in fault(prompt)
    twice = "".join(
        f"<{name}>UploadClient is done.</{name}>" for name in ("overall_goal", "a", "b")
    )
    assert "wrote 3 words" in fault(twice)


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        *(
            ("length", "cut off"),
            ("max_tokens", "cut off"),
            ("MAX_TOKENS", "cut off"),
            ("pause_turn", "cut off"),
        ),
        *(
            ("", "(finish reason: none)"),
            ("anything new", "(finish reason: anything new)"),
        ),
        *(
            ("content_filter", "refused"),
            ("SAFETY", "refused"),
            ("tool_use", "called a tool"),
        ),
    ],
)
def test_only_a_complete_ending_is_an_answer(reason: str, why: str) -> None:
    assert why in fault(f"<overall_goal>{SAID}</overall_goal>", reason=reason)


@pytest.mark.parametrize(
    "reason",
    [
        *("stop", "end_turn", "stop_sequence", "STOP"),
        *("COMPLETE", "completed", "eos_token"),
    ],
)
def test_an_answer_with_a_complete_ending_is_one(reason: str) -> None:
    assert not fault(f"<overall_goal>{SAID}</overall_goal>", reason=reason)


def test_words_are_counted_as_they_are_seen() -> None:
    assert visible_words("<a>one</a> **two** \u200b# three-four don't") == 4
    assert visible_words("東京都庁へ行く") == 4
    assert visible_words("\u200d \x07 --- ***") == 0


def test_a_source_that_names_nothing_proves_nothing() -> None:
    asked = request("anthropic-compaction", message="Go on. And so on.")
    assert not answer_fault(
        asked, SummaryResponse(text="All of it went on."), lambda _: 10
    )


@pytest.mark.req("REQ-CS-006A.2")
def test_a_given_text_is_judged_alike_and_force_takes_it(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "summary.txt"
    path.write_text(
        "Thank you, but summaries are not among the things that I am able to write for "
        "anybody today."
    )
    arguments = (
        "compact",
        "resources/samples/" + SAMPLE,
        "-s",
        "middle-out",
        "--summary-file",
        str(path),
    )
    assert cli.run(*arguments) == 3
    assert "the author of the given text wrote" in cli.err
    assert "add --force" in cli.err
    assert cli.run(*arguments, "--force") == 0
    path.write_text(" \n")
    assert cli.run(*arguments, "--force") == 3


@pytest.mark.parametrize("strategy", ["middle-out", "claude-code", "codex-local"])
def test_the_callers_summariser_is_judged_alike(strategy: str) -> None:
    with pytest.raises(CompactionFailed, match="The conversation is unchanged"):
        compact(
            openai_messages(),
            strategy=strategy,
            limit=6000,
            summarizer=lambda _: "I can't help with that.",
        )


def test_hybrid_keeps_a_message_whose_summary_is_a_refusal() -> None:
    given = [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": f"Rename module_{number}.py. " * 60,
        }
        for number in range(12)
    ]
    result = compact(
        given,
        strategy="hybrid",
        limit=4000,
        summarizer=lambda _: "I'd rather not do this.",
    )
    assert result.no_op
    assert "too few of its words" in result.no_op
