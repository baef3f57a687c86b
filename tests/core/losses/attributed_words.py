"""How well words are found that a summary gives to a person who did not say them:
``python -m tests.core.analysis.attributed_words``; with ``--misses`` what is judged wrong in the half
that was looked at."""

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.losses.summary_evidence import PersonsWords, attributions_in
from tests.support.builders import ai, human

SUMMARIES = Path(__file__).with_name("attributed_words.toml")


@dataclass(frozen=True, slots=True)
class JudgedSummary:
    text: str
    is_invented: bool
    is_quoted: bool
    looked_at: bool
    is_flagged: bool


def judged_summaries() -> Iterator[JudgedSummary]:
    """Yield all summaries; every second one of the invented and of the faithful is set aside."""
    given = tomllib.loads(SUMMARIES.read_text("utf-8"))
    for is_invented in (True, False):
        chosen = (one for one in given["summary"] if one["invented"] is is_invented)
        for number, one in enumerate(chosen):
            session = given["session"][one["session"]]
            words = PersonsWords(
                (*map(human, session["person"]), *map(ai, session["model"]))
            )
            found = list(attributions_in(one["text"]))
            yield JudgedSummary(
                text=one["text"],
                is_invented=is_invented,
                is_quoted=any(mark in one["text"] for mark in "\"“„«「'`"),
                looked_at=number % 2 == 0,
                is_flagged=not all(map(words.hold, found)),
            )


def table_rows() -> Iterator[tuple[str, str, str]]:
    """Yield what was counted, in the half that was looked at and in the other one."""
    judged = list(judged_summaries())
    labels = {
        True: "invented words of the person found",
        False: "faithful ones flagged",
    }
    for is_invented, label in labels.items():
        halves = [
            [
                one
                for one in judged
                if (one.is_invented, one.looked_at) == (is_invented, half)
            ]
            for half in (True, False)
        ]
        first, second = (
            f"{sum(one.is_flagged for one in half)} of {len(half)}" for half in halves
        )
        yield label, first, second


if __name__ == "__main__":
    for row in table_rows():
        print(" | ".join(row))
    for one in judged_summaries() if "--misses" in sys.argv else ():
        if one.looked_at and one.is_flagged is not one.is_invented:
            print(repr(one.text))
