"""What an API would say of messages as their export writes them, for previews, tables and saved
files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.formats.writing.export_messages import ExportInput, is_unsent
from core.formats.writing.format_capabilities import CAPABILITIES, expected_messages
from core.lint.common_rules import LintFinding
from core.lint.fitting import fitted_input
from core.lint.lint import PROVIDERS, default_provider, find_provider, lint_messages, lint_verdict
from core.lint.provider_limits import request_model
from core.lint.request_records import RequestRecords, SchemaMemo
from core.transcript.model import Message

_MAIN_FORMATS = {"anthropic": "anthropic_messages", "gemini": "gemini"}
"""The format of requests, where it is not the first of the provider's formats."""


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
    main = _MAIN_FORMATS.get(provider, target.formats[0])
    names = (target_format, export_input.conversation.format)
    name = next((one for one in names if one in target.formats and one in CAPABILITIES), main)
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
        kept, provider, source=source, source_indices=source_indices, model=model, records=records
    )
    return tuple(
        replace(one, index=max(indices[one.index] - added, -1)) if one.index >= 0 else one
        for one in findings
    )


def written_verdict(export_input: ExportInput, format_name: str) -> str:
    """Return what the API of a format would say of an export, as ``lint_verdict``; "" for a format
    that no API reads. A session's file is judged by the API of its model."""
    if format_name not in CAPABILITIES or not export_input.messages:
        return ""
    own = next((one.name for one in PROVIDERS if format_name in one.formats), "")
    provider = own or default_provider(format_name, export_input.conversation.model)
    return lint_verdict(lint_written(export_input, provider, format_name), provider)
