"""The options for texts that must survive, and what they and the files beside a session name."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.arguments import CommonOptions, add_text
from core.cli.output.console import print_note
from core.common import number_format
from core.losses.must_keep import (
    FILE_NAME,
    MAX_CHARACTERS,
    MAX_MUSTS,
    MustFile,
    TypedMusts,
    must_files,
    read_must_file,
)
from core.transcript.model import Conversation


def add_must_options(parser: argparse._ActionsContainer) -> None:
    about = (
        "a sentence, name or message that must still be there; repeatable; compact -s "
        "excerpt keeps it first"
    )
    parser.add_argument(
        "--must", action="append", default=[], metavar="TEXT", help=about
    )
    about = f"a file of such texts; {FILE_NAME} beside the session is read too"
    add_text(parser, "--must-file", "FILE", about)


def named_musts(options: CommonOptions) -> tuple[str, ...]:
    """Return the texts of the options. Raises InputError for a file that cannot be read."""
    if options.must_file:
        files = [read_must_file(Path(options.must_file))]
    else:
        files = []
    _note_left_out(options, files)
    return TypedMusts(tuple(options.must)).joined(files)


def with_session_musts(
    options: CommonOptions, conversation: Conversation, named: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the texts of the files of a session, then those of the options. Raises InputError."""
    files = must_files(conversation)
    _note_left_out(options, files)
    return TypedMusts(named).joined(files)


def _note_left_out(options: CommonOptions, files: list[MustFile]) -> None:
    for file in files:
        if file.left_out:
            lines = number_format.plural(file.left_out, "line")
            limits = f"{MAX_MUSTS} lines of {MAX_CHARACTERS} characters are read"
            print_note(options, f"warning: {file.path}: {lines} left out; {limits}.")
