"""Words that a summary gives to the person and that the person did not say."""

from collections import Counter
from pathlib import Path

import pytest

from core.api import compact
from core.losses.summary_evidence import PersonsWords, attributions_in
from tests.core.cli.running_cli import Cli
from tests.core.losses.attributed_words import judged_summaries
from tests.support.builders import ai, exchange, human

SAID = (
    human("Only list them, do not write code. Keep the [German] names."),
    ai("I suggest to deploy it to production-eu tonight."),
)
INVENTED = 'The user said: "Deploy it to production-eu tonight."'


def unsaid(summary: str, *more: str) -> list[str]:
    words = PersonsWords((*SAID, *map(human, more)))
    return [one.text for one in attributions_in(summary) if not words.hold(one)]


@pytest.mark.req("LOSS-2.4.1")
def test_invented_words_are_found_and_faithful_ones_pass_in_both_halves() -> None:
    wrong = Counter(
        (one.is_invented, one.looked_at)
        for one in judged_summaries()
        if one.is_flagged is not one.is_invented
    )
    assert not wrong


def test_words_of_the_model_are_not_the_persons() -> None:
    assert unsaid(INVENTED) == ["Deploy it to production-eu tonight."]
    assert not unsaid('The assistant said: "Deploy it to production-eu tonight."')


def test_the_sentence_that_nobody_said_is_named_alone() -> None:
    listed = '## User messages\n- "Only list them"\n- "Roll it out to every customer."\n## Next\n- "x y z"'
    assert unsaid(listed) == ["Roll it out to every customer."]


def test_a_dropped_not_is_no_mended_spelling() -> None:
    assert unsaid('The user said "Only list them, do write code."')
    assert not unsaid('The user said "Only list them, do not wriite code."')


def test_words_quoted_in_a_question_may_stand_with_anybody() -> None:
    told = 'The user asked about the message that begins with "lease expired at six".'
    words = PersonsWords(
        (*SAID, *exchange("r1", "Bash", "lease expired at six", command="make"))
    )
    assert all(map(words.hold, attributions_in(told)))
    assert unsaid(told) == ["lease expired at six"]


def test_an_answer_to_a_question_of_the_agent_is_the_persons() -> None:
    answer = 'User has answered your questions: "Which port?"="take port nine thousand"'
    words = PersonsWords(exchange("a1", "AskUserQuestion", answer, questions=[]))
    assert all(
        map(words.hold, attributions_in('The user said: "take port nine thousand"'))
    )


def test_a_slash_command_is_found_without_its_tags() -> None:
    row = "<command-name>/plan</command-name>\n<command-args>keep each commit small</command-args>"
    assert not unsaid('User: "/plan keep each commit small"', row)


def test_no_offline_summary_gives_words_to_a_person_who_did_not_say_them() -> None:
    said = (
        "Never deploy on Friday. Rename the port in src/a.py, then tell me what broke!"
    )
    given = [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": f"{said} {number} " * 40,
        }
        for number in range(24)
    ]
    for strategy in (
        "middle-out",
        "one-shot",
        "tiered",
        "hybrid",
        "claude-code",
        "codex-local",
    ):
        assert not compact(
            given, strategy=strategy, limit=6000
        ).losses.summary.unsaid, strategy


def test_the_command_line_says_what_nobody_said(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "summary.txt"
    text = (
        "<overall_goal>Fix src/upload/client.py in test_upload.</overall_goal>\n"
        + INVENTED
    )
    path.write_text(text * 3)
    sample = "resources/samples/fix-flaky-upload.jsonl"
    given = ("-s", "middle-out", "--scope", "before:1", "--summary-file", str(path))
    assert cli.run("compact", sample, *given) == 0
    assert "Said by nobody: 1 (in none of your messages: “Deploy it" in " ".join(
        cli.out.split()
    )
    assert cli.run("compact", sample, *given, "-o", str(tmp_path / "out.jsonl")) == 0
    assert "these words stand in none of your messages" in cli.err
