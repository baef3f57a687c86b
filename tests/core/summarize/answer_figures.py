"""Measures how the check of answers judges refusals and honest summaries.

``python -m tests.core.summarize.answer_figures`` prints the table of tests/robustness.md; with
``--misses`` the answers of the half that was looked at and are judged wrong, too."""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.common import paths
from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.prompts import built_in
from core.strategies.hybrid import ASSISTANT_PROMPT
from core.summarize.answer_check import answer_fault
from core.summarize.summary_request import summary_budget
from core.tokens.counter import counter_for
from core.transcript.model import Message
from tests.support.builders import ai, human

ANSWERS = Path(__file__).with_name("answers.toml")
UNSECTIONED = "a sample, prose without any of the sections asked for"
LONG_ANSWERS = Path(__file__).with_name("answers_of_long_sessions.toml")
LONG = (
    ("fix-flaky-upload.jsonl", "middle-out"),
    ("fix-flaky-upload.jsonl", "anthropic-compaction"),
)
"""The requests that refusals answer, beside those of single messages: source and prompt."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer: whether it is a refusal, whether its half was looked at, to what it is, its
    fault."""

    text: str
    language: str
    is_refusal: bool
    looked_at: bool
    source: str
    fault: str


@cache
def history(source: str) -> tuple[Message, ...]:
    return tuple(load_conversation(paths.RESOURCES / "samples" / source).messages)


def request(prompt: str, source: str = "", message: str = "") -> SummaryRequest:
    """Return the request for a summary of a sample, or of one message."""
    speaker = ai if prompt == ASSISTANT_PROMPT else human
    messages = history(source) if source else (speaker(message),)
    tokens = counter_for("").messages(messages)
    budget = (
        min(200, tokens // 2)
        if prompt.startswith("hybrid")
        else summary_budget(0, tokens)
    )
    text = built_in(prompt if prompt != "one-shot" else "middle-out").text
    return SummaryRequest(
        prompt=text,
        messages=messages,
        indices=tuple(range(len(messages))),
        trigger="Write it now.",
        max_tokens=budget,
    )


def _fault(asked: SummaryRequest, text: str) -> str:
    return answer_fault(asked, SummaryResponse(text=text), counter_for("").messages)


def judged_answers() -> Iterator[Judged]:
    yield from _answers_of_long_sessions()
    answers: Mapping[str, list[Json]] = tomllib.loads(ANSWERS.read_text("utf-8"))
    singles = [one for one in answers["summary"] if "message" in one]
    for number, one in enumerate(answers["summary"]):
        asked = request(one["prompt"], one.get("source", ""), one.get("message", ""))
        fault = _fault(asked, one["text"])
        source = "a sample" if "source" in one else "one message"
        yield Judged(
            one["text"], one["language"], False, number % 2 == 0, source, fault
        )
    for number, one in enumerate(answers["unsectioned"]):
        fault = _fault(request(one["prompt"], one["source"]), one["text"])
        yield Judged(
            one["text"], one["language"], True, number % 2 == 0, UNSECTIONED, fault
        )
    for number, one in enumerate(answers["refusal"]):
        for source, prompt in LONG:
            fault = _fault(request(prompt, source), one["text"])
            yield Judged(
                one["text"],
                one["language"],
                True,
                number % 2 == 0,
                f"a sample, {prompt}",
                fault,
            )
        same = [
            single for single in singles if single["language"] == one["language"]
        ] or singles
        single = same[number % len(same)]
        fault = _fault(
            request(single["prompt"], message=single["message"]), one["text"]
        )
        yield Judged(
            one["text"], one["language"], True, number % 2 == 0, "one message", fault
        )


def _answers_of_long_sessions() -> Iterator[Judged]:
    """Yield refusals that have headings or names, and short summaries in several languages."""
    answers: Mapping[str, list[Json]] = tomllib.loads(LONG_ANSWERS.read_text("utf-8"))
    for kind in ("refusal", "summary"):
        for number, one in enumerate(answers[kind]):
            asked = request(one["prompt"], one["source"])
            text = one["text"].replace("$PROMPT", asked.prompt)
            source = "a sample, with headings or names"
            fault = _fault(asked, text)
            yield Judged(text, "", kind == "refusal", number % 2 == 0, source, fault)


def main() -> None:
    answers = list(judged_answers())
    print(
        "| answers | source | half looked at | half set aside |\n| --- | --- | --- | --- |"
    )
    for is_refusal in (True, False):
        kind = "refusals caught" if is_refusal else "honest summaries refused"
        for source in dict.fromkeys(
            one.source for one in answers if one.is_refusal is is_refusal
        ):
            halves = [
                [
                    one
                    for one in answers
                    if (one.is_refusal, one.source, one.looked_at)
                    == (is_refusal, source, half)
                ]
                for half in (True, False)
            ]
            cells = (
                f"{sum(bool(one.fault) for one in half)} of {len(half)}"
                for half in halves
            )
            print(f"| {kind} | {source} | {' | '.join(cells)} |")
    if "--misses" in sys.argv:
        for one in answers:
            if one.looked_at and bool(one.fault) is not one.is_refusal:
                print(
                    f"{'refusal' if one.is_refusal else 'summary'} of {one.source}: "
                    f"{one.text!r} {one.fault}"
                )


if __name__ == "__main__":
    main()
