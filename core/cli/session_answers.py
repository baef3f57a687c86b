"""The sessions of a file or folder that a command names, and their answers, with progress."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from core.cli.arguments import CommonOptions
from core.cli.output.console import ConsoleProgress, print_note
from core.common import number_format
from core.common.errors import InputError
from core.settings.schema import Values
from core.trials.sessions import (
    SessionAnswer,
    SessionJob,
    TrialSession,
    answers,
    session_files,
)


def named_sessions(options: CommonOptions, values: Values) -> tuple[TrialSession, ...]:
    """Return the file that the options name, or every file of that folder; unreadable places are
    noted. Raises InputError for a folder without files."""
    named = TrialSession(
        path=options.file,
        name=options.file,
        values=values,
        scope=options.scope,
        model=options.model,
        format=options.format,
    )
    if not os.path.isdir(options.file):
        return (named,)
    sessions, problems = session_files(Path(options.file), named)
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if not sessions:
        raise InputError(
            f"{options.file} holds no files.", "Name a folder that holds transcripts."
        )
    return sessions


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
