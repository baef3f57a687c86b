"""What an API would say of messages as their export writes them, for previews and tables, and of a
file that was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.formats.writing.exporter import ExportInput, is_unsent
from core.formats.writing.format_capabilities import CAPABILITIES, expected_messages
from core.lint.common_rules import ERROR, LintFinding
from core.lint.fitting import fitted_input
from core.lint.lint import (
    default_provider,
    find_provider,
    lint_history,
    lint_messages,
    lint_verdict,
)
from core.lint.provider_limits import request_model
from core.lint.request_records import REQUEST_FORMATS, RequestRecords, SchemaMemo
from core.transcript.model import Conversation, Message
from core.transcript.scopes import ALL, history_of_scope

_LEFT_OUT = ("empty-text", "empty-message", "unsigned-thinking")
"""Rules for content that is refused "unless it is left out", as exports to another format do."""


def lint_written(
    export_input: ExportInput,
    provider: str,
    target_format: str = "",
    source: Sequence[Message] = (),
    memo: SchemaMemo | None = None,
) -> tuple[LintFinding, ...]:
    """Return the findings in the messages as written for an API: in ``target_format`` or the
    source's own format where the API takes it, else in that of its requests. Indices are those of
    the input; a finding in a message that the export adds in front is one of the whole. ``memo``
    keeps what the schema says of messages that are as they are in the file."""
    target = find_provider(provider)
    main = REQUEST_FORMATS[provider]
    names = (target_format, export_input.conversation.format)
    name = next(
        (one for one in names if one in target.formats and one in CAPABILITIES), main
    )
    export_input, _ = fitted_input(export_input, name)
    written, messages = expected_messages(export_input, name), export_input.messages
    added = len(written) - len(messages)
    is_same_format = export_input.conversation.format == name

    def is_left_out(message: Message, origin: Message) -> bool:
        return (is_unsent(origin) and not is_same_format) or (
            not message.blocks and bool(origin.blocks)
        )

    indices = [
        index
        for index, message in enumerate(written)
        if index < added or not is_left_out(message, messages[index - added])
    ]
    source_indices = [max(index - added, 0) for index in indices]
    kept = [written[index] for index in indices]
    model = request_model(export_input.conversation)
    records = RequestRecords(export_input.conversation, provider, memo)
    findings = lint_messages(
        kept,
        provider,
        source=source,
        source_indices=source_indices,
        model=model,
        records=records,
    )
    left_out = (
        () if is_same_format else tuple(f"{provider}.{rule}" for rule in _LEFT_OUT)
    )
    return tuple(
        replace(one, index=max(indices[one.index] - added, -1))
        if one.index >= 0
        else one
        for one in findings
        if one.severity == ERROR or one.rule not in left_out
    )


def file_findings(
    conversation: Conversation, provider: str = ""
) -> tuple[LintFinding, ...]:
    """Return what ``foldline lint`` finds in a file as it was opened; ``provider`` is by default
    the API of its format and model."""
    provider = provider or default_provider(conversation.format, conversation.model)
    return lint_history(conversation, history_of_scope(conversation, ALL), provider)


def file_verdict(conversation: Conversation, provider: str = "") -> str:
    """Return what is said of a written file: the verdict of ``foldline lint`` on it."""
    provider = provider or default_provider(conversation.format, conversation.model)
    return lint_verdict(file_findings(conversation, provider), provider)
