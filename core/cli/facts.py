"""``foldline facts``: what a later turn may need of a transcript, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.app.services.transcript import TranscriptService
from core.cli.arguments import parse_options, transcript_parser
from core.cli.opened_transcript import (
    head_json,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import ConsoleProgress, aligned_table, print_lines
from core.cli.output.json_output import fields, write_json
from core.common import number_format
from core.common.excerpts import one_line_text

if TYPE_CHECKING:
    from core.analysis.fidelity.fact_rows import FactRow


_KEYS = "category text weight first last lines resolved=is_resolved"
_MAX_TEXT = 100  # characters of a fact in the table
ABOUT = "The facts that a compaction may lose: rules, decisions, errors, files, values; the list of Losses."


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also without any fact."""
    options = parse_options(transcript_parser("facts", ABOUT), arguments)
    opened = open_conversation(options)
    unused = ("-s", "--set", "--profile", "--summary-file", "--model")
    note_unused_options(options, unused, "facts compacts nothing.")
    with ConsoleProgress(options) as opened.progress:
        rows = TranscriptService(opened).facts()
    if options.json:
        head = head_json(opened, options.scope)
        write_json("facts", head | {"facts": [fields(row, _KEYS) for row in rows]})
        return
    print_warnings(opened)
    head_line = f"{opened.conversation.document.name} · {number_format.plural(len(rows), 'known fact')}"
    print_lines([head_line, *aligned_table(list(map(_fact_cells, rows)), (1, 2))])


def _fact_cells(row: FactRow) -> tuple[str, ...]:
    places = number_format.message_number(row.first)
    if row.last != row.first:
        places += f" {number_format.message_number(row.last)}"
    return row.category.value, f"{row.weight:g}", places, one_line_text(row.text, _MAX_TEXT)
