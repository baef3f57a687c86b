"""Checks whether an API would accept a list of messages as its exporter writes them.

Rules: the providers' documented limits on order, ids and empty content. Linear in messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from core.common.errors import InputError, did_you_mean
from core.lint.common_rules import (
    ERROR,
    INFO,
    UNKNOWN_MODEL,
    WARNING,
    LintedHistory,
    LintFinding,
    LintProvider,
    RequestModel,
)
from core.lint.copies import find_copies
from core.lint.fitting import fitted_conversation, fitting
from core.lint.media_rules import broken_media
from core.lint.openai_rules import OPENAI, RESPONSES
from core.lint.provider_limits import broken_limits, request_model
from core.lint.request_records import RequestRecords, SchemaMemo
from core.lint.schema_rules import with_schema_faults
from core.lint.thrash import find_thrash
from core.lint.turn_rules import ANTHROPIC, GEMINI
from core.transcript.model import Conversation, Message
from core.transcript.scopes import (
    ALL,
    CURRENT,
    History,
    history_of_scope,
    replaces_messages,
    whole_session,
)

PROVIDERS: tuple[LintProvider, ...] = (ANTHROPIC, OPENAI, RESPONSES, GEMINI)
_SEVERITIES = (ERROR, WARNING, INFO)


def lint_messages(
    messages: Sequence[Message],
    provider: str,
    *,
    source: Sequence[Message] = (),
    source_indices: Sequence[int] = (),
    model: RequestModel = UNKNOWN_MODEL,
    records: RequestRecords | None = None,
) -> tuple[LintFinding, ...]:
    """Return the findings in the order of messages, those on the whole first.

    ``source``: the messages before compaction; with it, changed signed thinking is found too.
    ``source_indices``: the indices by which sentences name the messages; ``model``: the one that
    they go to; ``records``: the messages as they are written, which are checked against the schema
    of the API. Raises InputError for an unknown provider.
    """
    target = find_provider(provider)
    if not messages:
        text = f"There is no message; {target.label} needs at least one."
        return (LintFinding(ERROR, f"{provider}.no-messages", text, -1),)
    history = LintedHistory(target, messages, source, source_indices, model, records)
    rules = (*target.rules, broken_limits, broken_media)
    found = [one for rule in rules for one in rule(history)]
    if records is not None:
        found = with_schema_faults(history, records, found)
    return tuple(sorted(found, key=_sort_key))


def lint_history(
    conversation: Conversation,
    history: History,
    provider: str,
    hidden: int = 0,
    memo: SchemaMemo | None = None,
    tokens: Callable[[str], int] | None = None,
) -> tuple[LintFinding, ...]:
    """Return the findings of a history. Of a whole session that its agent compacted, errors are
    those of the current context, because that is what the agent sends. What is said of the
    whole request, as its size, is of the current context alone. ``hidden`` are the tokens of a
    request that are in no message; ``memo`` keeps what the schema says of the messages;
    ``tokens`` counts a text, for what is said of copies in the context."""
    found = _lint_messages_of(conversation, history, provider, memo)
    is_current = history.scope in (ALL, CURRENT)
    thrash = find_thrash(conversation, hidden) if is_current else None
    said: tuple[LintFinding, ...] = ()
    if thrash is not None:
        said = (LintFinding(WARNING, f"{provider}.thrash", thrash.text, -1),)
    said += lost_parent_findings(conversation, provider) if is_current else ()
    if history.scope != ALL or not any(map(replaces_messages, conversation.recorded)):
        return (*said, *_copies(history, provider, tokens), *found)
    current = history_of_scope(conversation, CURRENT)
    said += _copies(current, provider, tokens)
    sent = {index for index in current.indices if index >= 0}
    found = tuple(_of_whole_session(one, sent) for one in found if one.index >= 0)
    known = {(finding.rule, finding.index) for finding in found}
    added: list[LintFinding] = []
    for finding in lint_scope(conversation, current, provider, memo, current.indices):
        index = current.indices[finding.index] if finding.index >= 0 else -1
        if finding.index < 0:
            added.append(finding)
        elif finding.severity == ERROR and (finding.rule, index) not in known:
            text = f"In the current context: {finding.text}"
            added.append(replace(finding, index=index, text=text))
    return tuple(sorted((*said, *found, *added), key=_sort_key))


def _of_whole_session(finding: LintFinding, sent: Set[int]) -> LintFinding:
    """Return a finding as it is, or as a note where a compaction has removed its message: no
    request holds that any more."""
    if finding.index in sent or finding.severity != ERROR:
        return finding
    return replace(finding, severity=INFO, text=f"No longer sent: {finding.text}")


def _lint_messages_of(
    conversation: Conversation, history: History, provider: str, memo: SchemaMemo | None
) -> tuple[LintFinding, ...]:
    """Return the findings by the indices of a history; a whole session is judged with the summary
    that it begins with."""
    if history.scope != ALL:
        return lint_scope(conversation, history, provider, memo)
    whole = whole_session(conversation)
    found = lint_scope(conversation, whole, provider, memo, whole.indices)
    return tuple(
        replace(one, index=whole.indices[one.index] if one.index >= 0 else -1) for one in found
    )


def _copies(
    history: History, provider: str, tokens: Callable[[str], int] | None
) -> tuple[LintFinding, ...]:
    if tokens is None:
        return ()
    return tuple(
        LintFinding(INFO, f"{provider}.copies", copies.words(tokens), -1)
        for copies in find_copies(history.messages, history.indices)
    )


def lost_parent_findings(conversation: Conversation, provider: str) -> tuple[LintFinding, ...]:
    """Return what a resume of the session does not reach, because rows before it are missing."""
    return tuple(
        LintFinding(WARNING, f"{provider}.lost-parent", f"Line {lost.line:,} {lost.text}.", -1)
        for lost in conversation.report.lost_parents
    )


def lint_scope(
    conversation: Conversation,
    history: History,
    provider: str,
    memo: SchemaMemo | None = None,
    source_indices: Sequence[int] = (),
) -> tuple[LintFinding, ...]:
    """Return the findings in the messages of a scope alone: as they are, or of a format that goes
    to another API as they are converted to be sent there."""
    model = request_model(conversation)
    conversation, messages = as_sent(conversation, history.messages, provider)
    records = RequestRecords(conversation, provider, memo)
    return lint_messages(
        messages, provider, source_indices=source_indices, model=model, records=records
    )


def as_sent(
    conversation: Conversation, messages: Sequence[Message], provider: str
) -> tuple[Conversation, Sequence[Message]]:
    """Return messages of a format that goes to another API as they are converted to be sent there;
    others as they are."""
    if conversation.format in find_provider(provider).formats:
        return conversation, messages
    fit = fitting(messages, conversation.system.tools, provider)
    if not fit.is_needed:
        return conversation, messages
    return fitted_conversation(conversation, fit), tuple(map(fit.message, messages))


def _sort_key(finding: LintFinding) -> tuple[int, int]:
    return finding.index, _SEVERITIES.index(finding.severity)


def find_provider(provider: str) -> LintProvider:
    for entry in PROVIDERS:
        if entry.name == provider:
            return entry
    names = [entry.name for entry in PROVIDERS]
    hint = did_you_mean(provider, names)
    raise InputError(f"There is no linter for {provider!r}.", f"{hint}Known: {', '.join(names)}.")


def default_provider(format_name: str, model: str = "") -> str:
    """Return the API of a transcript's format, else that of the session's model, else OpenAI's."""
    for provider in PROVIDERS:
        if format_name in provider.formats:
            return provider.name
    model_name = model.lower()
    matching = (
        candidate.name
        for candidate in PROVIDERS
        if any(word in model_name for word in candidate.models)
    )
    return next(matching, "openai")


def lint_verdict(findings: Sequence[LintFinding], provider: str) -> str:
    """Return "order, ids and content are in order for Anthropic" (not all rules of a provider are
    known), "no errors for Gemini, 1 warning", "3 errors for OpenAI"."""
    label = find_provider(provider).label
    for severity in _SEVERITIES[:2]:
        count = sum(finding.severity == severity for finding in findings)
        if count and severity == ERROR:
            return f"{count} {severity}{'s' if count > 1 else ''} for {label}"
        if count:
            return f"no errors for {label}, {count} {severity}{'s' if count > 1 else ''}"
    return f"order, ids and content are in order for {label}"
