"""``foldline supplement``: what a summary lacks of the messages that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.cli.arguments import (
    COMPACTION_OPTIONS,
    CommandParser,
    add_number,
    add_text,
    parse_options,
    transcript_parser,
)
from core.cli.opened_transcript import (
    OpenedConversation,
    note_unused_options,
    open_conversation,
    print_warnings,
    read_summary,
)
from core.cli.output.console import ConsoleProgress, print_lines, print_note
from core.common.errors import InputError
from core.llm.protocol import human_text
from core.strategies.excerpt_units import TOKENS, supplement
from core.tokens.counter import counter_for
from core.transcript.model import Message
from core.transcript.scopes import ALL, CURRENT, history_of_scope

ABOUT = "What a summary lacks of the messages that it stands for, as excerpts."


def command_parser() -> CommandParser:
    parser = transcript_parser("supplement", ABOUT, json=False)
    parser.unused = COMPACTION_OPTIONS
    about = "the summary; without it, what the last recorded compaction left is held against the rest"
    add_text(parser, "--summary", "FILE", about)
    add_number(
        parser, "--tokens", TOKENS, f"size of the supplement (default {TOKENS:,})"
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where nothing is missing."""
    options = parse_options(command_parser(), arguments)
    if options.tokens < 1:
        raise InputError(
            f"--tokens {options.tokens} leaves no room.", "It must be 1 or more."
        )
    transcript = open_conversation(options)
    note_unused_options(options, COMPACTION_OPTIONS, "supplement compacts nothing.")
    messages, context = _held_against(transcript, options.summary)
    with ConsoleProgress(options) as progress:
        found = supplement(
            messages,
            context,
            counter_for(options.model or transcript.conversation.model).message,
            max_tokens=options.tokens,
            progress=progress,
        )
    print_warnings(transcript)
    print_lines(found.text.splitlines())
    if not found.text:
        print_note(options, "Nothing is missing from the summary.")


def _held_against(
    transcript: OpenedConversation, summary: str
) -> tuple[Sequence[Message], Sequence[Message]]:
    """Return the messages that were summarised, also by earlier compactions, and what stands for
    them."""
    conversation = transcript.conversation
    if summary:
        text = read_summary(summary, Path(summary).read_bytes)
        return history_of_scope(conversation, transcript.scope).messages, (
            human_text(text),
        )
    if not conversation.recorded:
        problem = f"{conversation.document.name} has no recorded compaction."
        raise InputError(problem, "Give the summary with --summary FILE.")
    whole = history_of_scope(conversation, ALL).messages
    return whole, history_of_scope(conversation, CURRENT).messages
