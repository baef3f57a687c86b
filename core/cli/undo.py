"""``foldline undo``: writes a session as it was before a compaction of its agent."""

from __future__ import annotations

from collections.abc import Sequence

from core.app.services.undo import later_words, plan_undo
from core.cli.arguments import (
    COMPACTION_OPTIONS,
    CommandParser,
    add_export_options,
    at_least,
    parse_options,
    transcript_parser,
)
from core.cli.convert import save_output
from core.cli.opened_transcript import (
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import print_note
from core.common.atomic_file import output_file_name
from core.common.errors import InputError

ABOUT = "Write the session as it was before a compaction, in its own format, ready to be resumed."


def command_parser() -> CommandParser:
    parser = transcript_parser("undo", ABOUT, json=False)
    parser.unused = COMPACTION_OPTIONS
    about = (
        "which recorded compaction of foldline inspect, from 1; by default the newest"
    )
    parser.add_argument(
        "-n", type=at_least(1), default=0, metavar="N", dest="number", help=about
    )
    about = "the session to write; - is standard output"
    parser.add_argument(
        "-o", "--out", type=output_file_name, required=True, metavar="OUT", help=about
    )
    add_export_options(parser.rare)
    parser.set_defaults(append_boundary=False, provenance=False, to="")
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    if options.scope:
        raise InputError(
            "foldline undo takes no --scope.",
            "Choose the compaction with -n N.",
        )
    transcript = open_conversation(options)
    print_warnings(transcript)
    note_unused_options(
        options, (*COMPACTION_OPTIONS, "--model"), "undo compacts nothing."
    )
    plan = plan_undo(transcript.conversation, options.number)
    save_output(transcript, plan.content)
    if text := later_words(plan.later):
        print_note(options, text)
