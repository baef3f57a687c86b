"""Answers of the sessions of a folder, in their order, with progress."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from core.cli.arguments import CommonOptions
from core.cli.output.console import ConsoleProgress
from core.common import number_format
from core.trials.sessions import SessionAnswer, SessionJob, answers


def session_answers(
    jobs: Sequence[SessionJob], engine: str, options: CommonOptions, done_text: str = ""
) -> list[SessionAnswer[Any]]:
    """Return the answer of each job; ``done_text`` ends "3 of 12 files"."""
    done: dict[int, SessionAnswer[Any]] = {}
    total = number_format.plural(len(jobs), "file")
    with ConsoleProgress(options) as progress, closing(answers(engine, jobs)) as ended:
        for one in ended:
            if one is None:
                continue
            index, found = one
            done[index] = found
            progress(
                len(done) / len(jobs), f"{len(done):,} of {total} {done_text}".strip()
            )
    return [done[index] for index in range(len(jobs))]
