"""Content of offline summaries, section by section."""

import pytest

from core.llm.protocol import SummaryRequest
from core.settings.prompts import built_in
from core.summarize.offline_summariser import OfflineSummariser
from core.transcript.model import Message
from tests.support.builders import ai, call, exchange, human, response, tool

WORK: tuple[Message, ...] = (
    *exchange("w1", "Read", "text", file_path="/p/src/parser.py"),
    *exchange("w2", "Edit", "ok", file_path="/p/src/parser.py"),
    *exchange("w3", "Bash", "3 passed", command="pytest -q"),
    ai("The parser now stops at the first bad line and names it."),
)


def _read(*messages: Message) -> dict[str, str]:
    """Return the sections of a summary, "" for empty ones, and the whole under "all"."""
    request = SummaryRequest(
        prompt=built_in("middle-out").text,
        messages=messages,
        indices=tuple(range(len(messages))),
        trigger="now",
        max_tokens=3000,
    )
    text = (
        OfflineSummariser(lambda words: (len(words) + 3) // 4).summarise(request).text
    )
    names = [
        line[1:-1]
        for line in text.splitlines()
        if line.startswith("<") and f"</{line[1:]}" in text
    ]
    sections = {
        name: text.split(f"<{name}>\n")[1].split(f"\n</{name}>")[0] for name in names
    }
    return {
        name: words.replace("None noted.", "") for name, words in sections.items()
    } | {"all": text}


@pytest.mark.req("LOSS-2.2.3")
@pytest.mark.parametrize(
    "attached",
    [
        '<file path="a.md">\nNever change this by hand.\nLIMIT = 64\n</file>',
        '<file_content path="a.md">\nYou must always retry.\n</file_content>',
        "@a.md\n--- a.md ---\nThey are never changed by hand.\n--- End of content ---",
        "```python\nraise OSError('never again')\nLIMIT = 64\n```",
        "> 21:04 You should never restart it.\n> Set LIMIT to 64, always.",
        'raise UploadError(f"parts {missing} must never be sent")',
        "[P1] The callback must not be listed without its dependency.",
    ],
)
def test_what_is_attached_or_quoted_is_no_rule_of_the_user(attached: str) -> None:
    text = (
        f"Please make the parser stop at the first bad line of the input.\n\n{attached}\n\nKeep "
        f"the names."
    )
    summary = _read(human(text), *WORK)
    assert summary["user_directives"].startswith("- Please make the parser stop")
    assert "retry" not in summary["user_directives"]
    assert summary["overall_goal"].startswith("Please make the parser stop")
    assert "LIMIT" not in summary["key_knowledge"]


@pytest.mark.parametrize(
    "demand",
    [
        "We don't use tabs here.",
        "Yes, but don't push.",
        "Now tests, but please not with sleeps.",
        "Do it without changing the tests.",
        "A reset after the first byte must raise, not retry.",
    ],
)
def test_sentences_with_a_modal_word_are_rules(demand: str) -> None:
    assert _read(human(demand), *WORK)["user_directives"] == f"- {demand}"


def test_what_is_said_to_the_harness_is_no_word_to_the_agent() -> None:
    told = human(
        "<command-name>/compact</command-name>\n<command-args>keep the rules and the "
        "cause</command-args>"
    )
    summary = _read(
        human("Find out why the parser hangs on an empty line."), *WORK, told
    )
    assert "keep the rules" not in summary["all"]
    assert "/compact" not in _read(*WORK, human("/compact keep the rules"))["all"]


def test_the_goal_is_at_most_three_sentences_of_the_user() -> None:
    plan = "Implement the plan.\n\n## Steps\n" + "\n".join(
        f"- Step {n} changes a part." for n in range(9)
    )
    goal = _read(human(plan), *WORK)["overall_goal"]
    assert goal.startswith("Implement the plan.")
    assert "Step 3" not in goal


def test_last_request_state_files_and_errors_are_there() -> None:
    failed = (
        ai("", call("Bash", "e", command="make")),
        tool(response("e", error="error: no rule to make")),
    )
    summary = _read(
        human("Make the parser stop at the first bad line of its input."),
        *WORK,
        human("Now run the whole build."),
        *failed,
        ai("The build fails: there is no rule. Shall I add one?"),
    )
    progress = summary["current_progress"]
    assert '- Last request: "Now run the whole build."' in progress
    assert "- Where it stood: The build fails: there is no rule." in progress
    assert "- `/p/src/parser.py`: edited, read" in progress
    assert summary["errors_encountered"] == "- open: `make`: error: no rule to make"
    assert summary["open_questions"] == "- Shall I add one?"


def test_a_summary_in_numbered_points_is_read_back_by_their_labels() -> None:
    earlier = (
        "Summary of the conversation so far\n\n1. Request: find out why uploads hang (about 1 of 40 runs\n"
        "   on the build machine).\n2. Rules by the user: never add a sleep; do not change the public\n"
        "   names; no new dependencies.\n3. Cause: the pool keeps dead connections."
    )
    summary = _read(human(earlier), *WORK)
    assert (
        summary["overall_goal"]
        == "find out why uploads hang (about 1 of 40 runs on the build machine)."
    )
    assert (
        "- do not change the public names\n- no new dependencies."
        in summary["user_directives"]
    )
    assert "- Cause: the pool keeps dead connections." in summary["current_progress"]
