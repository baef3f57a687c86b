"""``foldline inspect --facts``: what a later turn may need of a transcript, as a list."""

from __future__ import annotations

from collections.abc import Sequence

from core.app.services.transcript import listed_facts
from core.cli.arguments import (
    COMPACTION_OPTIONS,
    CommandParser,
    CommonOptions,
    parse_options,
    transcript_parser,
)
from core.cli.opened_transcript import (
    head_json,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import ConsoleProgress, print_lines
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table
from core.cli.several_files import each_file
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.facts.model import Fact

_MAX_TEXT = 100  # characters of a fact in the table
ABOUT = "What a compaction can lose: your messages, instructions, files, errors, names."


def command_parser() -> CommandParser:
    parser = transcript_parser("inspect --facts", ABOUT, many_files=True)
    parser.unused = COMPACTION_OPTIONS
    return parser


def run(arguments: Sequence[str]) -> int:
    """Exit code 0, also without any fact; 2 where one of several files cannot be read."""
    return each_file(parse_options(command_parser(), arguments), _list_facts)


def _list_facts(options: CommonOptions) -> int:
    transcript = open_conversation(options)
    note_unused_options(
        options, (*COMPACTION_OPTIONS, "--model"), "--facts compacts nothing."
    )
    with ConsoleProgress(options) as transcript.progress:
        rows = listed_facts(transcript.analysis_input())
    if options.json:
        head = head_json(transcript, transcript.scope)
        listed = [_fact_json(fact) | {"lines": lines} for fact, lines in rows]
        write_json("facts", head | {"facts": listed})
        return 0
    print_warnings(transcript)
    head_line = f"{transcript.conversation.document.name} · {number_format.plural(len(rows), 'fact')}"
    print_lines(
        [head_line, *aligned_table([_fact_cells(fact) for fact, _ in rows], (1,))]
    )
    return 0


def _fact_json(fact: Fact) -> dict[str, Json]:
    return {
        "kind": fact.kind,
        "text": fact.text,
        "first": fact.first,
        "last": fact.last,
        "count": fact.count,
        "state": fact.state or None,
        "detail": fact.detail,
        "output": fact.output or None,
    }


def _fact_cells(fact: Fact) -> tuple[str, ...]:
    numbers = number_format.message_number(fact.first)
    if fact.last != fact.first:
        numbers += f" {number_format.message_number(fact.last)}"
    return fact.kind.value, numbers, one_line_text(fact.text, _MAX_TEXT)
