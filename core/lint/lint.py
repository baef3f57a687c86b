"""Checks whether an API would accept messages as its exporter writes them.

Rules: the providers' documented limits on order, ids and empty content. Linear in messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from core.common.errors import InputError, did_you_mean
from core.common.excerpts import one_line_text
from core.common.number_format import abbreviated, count, message_number, plural
from core.formats.writing.exporter import ExportInput, is_unsent
from core.formats.writing.format_capabilities import CAPABILITIES, expected_messages
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
from core.lint.fitting import fitted_conversation, fitted_input, fitting
from core.lint.provider_limits import broken_limits, broken_media, request_model
from core.lint.provider_rules import ANTHROPIC, GEMINI, OPENAI, RESPONSES
from core.lint.request_records import REQUEST_FORMATS, RequestRecords, SchemaMemo
from core.tokens.recorded_compactions import (
    LEAST_FREED,
    SELDOM,
    THRASH_ANSWERS,
    is_in_vain,
    reported_sizes,
)
from core.transcript.model import Conversation, Message, Speaker, Text
from core.transcript.scopes import (
    ALL,
    CURRENT,
    History,
    history_of_scope,
    replaces_messages,
    whole_session,
)

_LEAST_COUNT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrash:
    """The newest compactions in a row, from number ``first`` (from 1) on, that freed next to
    nothing, or were needed again after a few ``answers`` of the model (None where sizes tell it);
    no compaction removes the ``hidden`` tokens, which are in requests but in no message
    (REPAIR-9)."""

    first: int
    count: int
    messages: int
    hidden: int
    answers: int | None = None

    @property
    def text(self) -> str:
        """ "The last 9 compactions, in 120 messages, freed under 10 % each; 31k hidden tokens
        …"."""
        if self.answers is None:
            what = f"freed under {LEAST_FREED * 100:.0f} % each"
        else:
            what = (
                f"came after at most {plural(self.answers, 'answer')} of the model each"
            )
        return f"The last {self.count:,} compactions, in {self.messages:,} messages, {what}{self._rest}"

    @property
    def _rest(self) -> str:
        help_text = "a larger window or fewer tools would help."
        if not self.hidden:
            return f": what stays fills the window; {help_text}"
        return f"; {self.hidden_text} cannot be removed: {help_text}"

    @property
    def hidden_text(self) -> str:
        """ "31k hidden tokens"; "" where none are known."""
        if not self.hidden:
            return ""
        return f"{abbreviated(self.hidden)} hidden {'token' if self.hidden == 1 else 'tokens'}"

    @property
    def label(self) -> str:
        """ "thrashes, 31k hidden tokens"."""
        return ", ".join(filter(None, ("thrashes", self.hidden_text)))


def find_thrash(conversation: Conversation, hidden: int = 0) -> Thrash | None:
    """Return the newest three compactions or more in a row that freed next to nothing, else those
    with at most two answers of the model between them; None without."""
    recorded = conversation.recorded
    if len(recorded) < _LEAST_COUNT:
        return None
    sizes = reported_sizes(conversation)
    in_vain = [is_in_vain(*size) for size in sizes]
    # Reported sizes prove it; the number of answers is only a sign.
    if (count := _run_at_end(in_vain)) >= _LEAST_COUNT:
        return Thrash(
            first=len(recorded) - count + 1,
            count=count,
            messages=_span(conversation, count),
            hidden=hidden,
        )
    answers = _answers_before(conversation)
    loop = (
        _run_at_end([one is not None and one <= THRASH_ANSWERS for one in answers]) + 1
    )
    if loop < _LEAST_COUNT:
        return None
    most = max(one or 0 for one in answers[-loop + 1 :])
    return Thrash(
        first=len(recorded) - loop + 1,
        count=loop,
        messages=_span(conversation, loop),
        hidden=hidden,
        answers=max(most, 1),
    )


def _run_at_end(values: list[bool]) -> int:
    count = 0
    while count < len(values) and values[-1 - count]:
        count += 1
    return count


def _span(conversation: Conversation, count: int) -> int:
    recorded = conversation.recorded
    return recorded[-1].boundary - recorded[-count].boundary


def _answers_before(conversation: Conversation) -> list[int | None]:
    """Return for each compaction how many answers of the model came since the one before it; None
    for the first, and for those that the person asked for."""
    answers: list[int | None] = []
    start: int | None = None
    for one in conversation.recorded:
        if start is not None:
            own = conversation.messages[start : one.boundary]
        else:
            own = ()
        # A compaction by hand says nothing of how fast the context fills.
        is_own = start is None or one.trigger == "manual" or one.kind not in SELDOM
        answers.append(
            None if is_own else sum(each.speaker is Speaker.AI for each in own)
        )
        start = one.boundary
    return answers


_LEAST_LENGTH = 200  # characters of a text whose copies cost something
_MOST_TEXTS = 5
_MOST_NAMES = 6  # messages that are named
_MOST_WORDS = 60  # characters of the text that are shown


@dataclass(frozen=True, slots=True)
class ContextCopies:
    """A ``text`` and the ``indices`` of the messages that have it, each as often as it does."""

    text: str
    indices: tuple[int, ...]

    def words(self, tokens: Callable[[str], int]) -> str:
        """Return what is said of the copies; ``tokens`` counts a text."""
        names = ", ".join(map(message_number, self.indices[:_MOST_NAMES]))
        names += " …" if len(self.indices) > _MOST_NAMES else ""
        copies = len(self.indices) - 1
        return (
            f"The same text stands {len(self.indices):,} times in the context ({names}): "
            f"{plural(copies, 'copy', 'copies')}, about {count(copies * tokens(self.text))} tokens. "
            f"It begins: {one_line_text(self.text.strip(), _MOST_WORDS)}"
        )


def find_copies(
    messages: Sequence[Message], indices: Sequence[int]
) -> tuple[ContextCopies, ...]:
    """Return the texts of the person and the harness that stand more than once, the largest first;
    ``indices`` name the messages."""
    places: dict[str, list[int]] = {}
    for message, index in zip(messages, indices, strict=True):
        if message.speaker not in (Speaker.HUMAN, Speaker.SYSTEM):
            continue
        for block in message.blocks:
            if isinstance(block, Text) and len(block.text) >= _LEAST_LENGTH:
                places.setdefault(block.text, []).append(index)
    found = [
        ContextCopies(text, (*own,)) for text, own in places.items() if len(own) > 1
    ]
    # What all copies but one take is what could be saved.
    found.sort(key=lambda one: len(one.text) * (len(one.indices) - 1), reverse=True)
    return tuple(found[:_MOST_TEXTS])


_SUPERSEDED: Mapping[str, Sequence[str]] = {
    "role": ("system-role", "unknown-role"),
    "empty-text": ("empty-text",),
    "empty-message": ("empty-message", "empty-content", "empty-text"),
    "unsigned-thinking": ("unsigned-thinking",),
    "missing-field": ("missing-id",),
    "call-arguments": ("arguments",),
}
"""Rules that say of a message what "is left out" or "is written as"; by the rule of a schema that
finds the fault in what is written, so that it is not left out there."""


def with_schema_faults(
    history: LintedHistory, records: RequestRecords, findings: Sequence[LintFinding]
) -> list[LintFinding]:
    """Return the findings with those of the schema."""
    added = [
        *_faults_of_messages(history, records),
        *_faults_of_tools(history, records),
    ]
    name = history.api.name
    gone = {
        (finding.index, f"{name}.{rule}")
        for finding in added
        # One fault is told once, and the schema knows what is really written.
        for rule in _SUPERSEDED.get(finding.rule.removeprefix(f"{name}."), ())
    }
    return [*(one for one in findings if (one.index, one.rule) not in gone), *added]


def _faults_of_messages(
    history: LintedHistory, records: RequestRecords
) -> Iterator[LintFinding]:
    last = len(history.messages) - 1
    for index, message in enumerate(history.messages):
        is_last_answer = index == last and message.speaker is Speaker.AI
        for fault in records.faults(message):
            # Anthropic takes an empty answer at the end: the model goes on from there
            if is_last_answer and (history.api.name, fault.rule) == (
                "anthropic",
                "empty-message",
            ):
                continue
            yield history.finding(ERROR, fault.rule, index, fault.text)


def _faults_of_tools(
    history: LintedHistory, records: RequestRecords
) -> Iterator[LintFinding]:
    for fault in records.tool_faults():
        text = f"The request {fault.text}"
        yield LintFinding(ERROR, f"{history.api.name}.{fault.rule}", text, -1)


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
        # Every rule below may rely on a first message.
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
    if is_current:
        thrash = find_thrash(conversation, hidden)
    else:
        thrash = None
    said: tuple[LintFinding, ...] = ()
    if thrash is not None:
        said = (LintFinding(WARNING, f"{provider}.thrash", thrash.text, -1),)
    # A resume sends the current context; what it misses of an older one harms nothing.
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
        if finding.index >= 0:
            index = current.indices[finding.index]
        else:
            index = -1
        if finding.index < 0:
            added.append(finding)
        # A compaction can part a call from its result that the whole session still has.
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
        replace(one, index=whole.indices[one.index] if one.index >= 0 else -1)
        for one in found
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


def lost_parent_findings(
    conversation: Conversation, provider: str
) -> tuple[LintFinding, ...]:
    """Return what a resume of the session does not reach, because rows before it are missing."""
    return tuple(
        LintFinding(
            WARNING, f"{provider}.lost-parent", f"Line {lost.line:,} {lost.text}.", -1
        )
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
    # A file of this API is sent as it is, with its faults.
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
    raise InputError(
        f"There is no API {provider!r} to check for.",
        f"{hint}Known: {', '.join(names)}.",
    )


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
    severities = [finding.severity for finding in findings]
    if ERROR in severities:
        return f"{lint_count(findings)} for {label}"
    if WARNING in severities:
        return f"no errors for {label}, {lint_count(findings)}"
    return f"order, ids and content are in order for {label}"


def lint_count(findings: Sequence[LintFinding]) -> str:
    """Return "in order", "1 warning" or "3 errors", beside the name of an API."""
    for severity in (ERROR, WARNING):
        if times := sum(finding.severity == severity for finding in findings):
            return plural(times, severity)
    return "in order"


# Messages as their export writes them, for previews and tables, and files that were written.


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
    written = expected_messages(export_input, name)
    messages = export_input.messages
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
