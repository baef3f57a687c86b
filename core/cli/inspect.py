"""``foldline inspect``: what a transcript holds, before anything is done to it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import parse_options, transcript_parser
from core.cli.make_preview import make_preview
from core.cli.opened_transcript import (
    note_unread_settings,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import print_lines, print_note
from core.cli.output.inspect_text import history_statistics, inspect_report, scope_warnings

ABOUT = "Format, messages, tokens by kind, pairs, recorded compactions, split and lint of a transcript."


def run(arguments: Sequence[str]) -> int:
    """Return 0, also where lint found errors."""
    options = parse_options(transcript_parser("inspect", ABOUT), arguments)
    opened = open_conversation(options)
    note_unread_settings(opened)
    note_unused_options(options, ("--summary-file",), "inspect writes no summary.")
    preview = make_preview(opened, draft=True)
    statistics = history_statistics(opened, preview)
    if options.json:
        from core.cli.output.inspect_json import inspect_json
        from core.cli.output.json_output import write_json  # late: the report needs no JSON

        write_json("inspect", inspect_json(opened, preview, statistics))
        return 0
    print_warnings(opened)
    for text in scope_warnings(preview):
        print_note(options, f"warning: {text}")
    print_lines(inspect_report(opened, preview, statistics))
    return 0
