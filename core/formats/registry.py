"""The registry of transcript formats, detection by content, and ``load_conversation``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from core.common.errors import InputError, nearest_names
from core.common.json_value import Json
from core.common.late_names import LazySequence
from core.common.number_format import plural
from core.common.plugins import PluginRegistry, guarded, load_plugins, warn
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    open_transcript,
)
from core.formats.common.format import (
    FIRST_WITH_MESSAGES,
    Format,
    FormatScore,
    MessageObserver,
    ReadRequest,
    StopCheck,
    ignore_messages,
    never_stop,
)
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.message_lists import check_branch
from core.formats.common.messages import plain_line
from core.formats.common.open_document import (
    UnreadableKindError,
    read_source,
    record_kind,
    unsupported_database_kind,
    unsupported_kind,
)
from core.transcript.model import (
    NO_MODEL,
    Conversation,
    ImportNote,
    Message,
    Opaque,
    Progress,
    SourceDocument,
    Speaker,
    Text,
    Thinking,
    no_progress,
    tool_calls,
    tool_responses,
)
from core.transcript.provenance import with_carried_sizes

# Whether a reader understood a file: most messages have a speaker and content.


_METADATA_FIELDS = (
    *("role", "type", "model", "name", "cwd", "version"),
    *("status", "from", "speaker", "source", "kind"),
)
"""Fields whose texts are no content."""
_METADATA_ENDINGS = ("id", "_at", "time", "timestamp", "type", "agent")
_MIN_UNPAIRED = 2  # results without a call: one may be what an excerpt begins with
_MAX_REREAD_MESSAGES = 20  # empty messages whose records are read again
# Kinds of opaque block whose words exporters know.
_READABLE_KINDS = (
    "search_result",
    "document",
)
_ENCRYPTED_WORDS = ("encrypted", "redacted", "signature", "compaction")
"""Words in the kind or fields of content that its provider encrypted or redacted."""


def _unknown_and_empty(messages: Sequence[Message]) -> tuple[int, list[Message]]:
    """Return how many messages have a speaker or content that is not known, and those without
    content."""
    unknown_count = 0
    empty: list[Message] = []
    for message in messages:
        has_content = any(map(_has_content, message.blocks))
        if message.speaker is Speaker.UNKNOWN or (
            not has_content and _is_opaque(message)
        ):
            unknown_count += 1
        elif not has_content:
            empty.append(message)
    return unknown_count, empty


def is_understood(conversation: Conversation) -> bool:
    """Return whether there is something to show and most of it was understood: messages have a
    known speaker, and content if their record has words. Content closed by its provider is content.
    Records are read again only if that may decide."""
    messages, document = conversation.messages, conversation.document
    if not messages:
        return is_empty(conversation) and bool(
            conversation.system.texts or conversation.recorded
        )
    unknown_count, empty = _unknown_and_empty(messages)
    if 2 * unknown_count > len(messages):
        return False
    if 2 * (unknown_count + len(empty)) <= len(messages):
        return True
    return not any(
        _record_has_words(message, document) for message in empty[:_MAX_REREAD_MESSAGES]
    )


def pairs_any(conversation: Conversation) -> bool:
    """Return whether a result answers a call of the messages."""
    called = {
        call.id for message in conversation.messages for call in tool_calls(message)
    }
    answers = (
        one for message in conversation.messages for one in tool_responses(message)
    )
    return any(answer.call_id in called for answer in answers)


def pairs_nothing(conversation: Conversation) -> bool:
    """Return whether there are several results of tools, and none answers a call of the
    messages."""
    called = set[str]()
    count = 0
    for message in conversation.messages:
        called.update(call.id for call in tool_calls(message))
        for response in tool_responses(message):
            if response.call_id in called:
                return False
            count += 1
    return count >= _MIN_UNPAIRED


def has_nothing(conversation: Conversation) -> bool:
    """Return whether a session has records, but nothing of them to show."""
    report = conversation.report
    has_content = (
        conversation.messages or conversation.system.texts or conversation.recorded
    )
    return not has_content and bool(report.records or report.skipped)


def is_empty(conversation: Conversation) -> bool:
    """Return whether a session has no messages but only valid records; its last line may be cut
    off."""
    report = conversation.report
    return not conversation.messages and len(report.warnings) <= dict(
        report.skipped
    ).get("not JSON", 0)


def _is_opaque(message: Message) -> bool:
    """Return whether a message without content holds words that were not understood."""
    return any(
        isinstance(block, Opaque) and _has_words(block.raw) for block in message.blocks
    )


def _has_content(block: Json) -> bool:
    if isinstance(block, Text):
        return bool(block.text.strip())
    if isinstance(block, Thinking):
        return bool(block.text.strip() or block.extra)
    if (
        type(block) is not Opaque
        or block.tokens is not None
        or block.kind in _READABLE_KINDS
    ):
        return True
    if isinstance(block.raw, dict):
        names = (block.kind, *block.raw)
    else:
        names = (block.kind,)
    return any(word in name for name in names for word in _ENCRYPTED_WORDS)


def _record_has_words(message: Message, document: SourceDocument) -> bool:
    try:
        records = (
            parse_bytes(read_source(document, source)) for source in message.sources
        )
        return any(_has_words(record.value) for record in records if not record.error)
    except InputError:
        return False


def _has_words(value: Json) -> bool:
    if isinstance(value, dict):
        return any(
            _has_words(item)
            for name, item in value.items()
            if name not in _METADATA_FIELDS
            and not name.lower().endswith(_METADATA_ENDINGS)
        )
    if isinstance(value, list):
        return any(map(_has_words, value))
    return isinstance(value, str) and bool(value.strip())


_READERS = (
    ("claude_code", "CLAUDE_CODE"),
    ("openai_chat", "OPENAI_CHAT"),
    ("anthropic", "ANTHROPIC_MESSAGES"),
    ("llxprt", "LLXPRT"),
    ("codex", "CODEX_ROLLOUT"),
    ("openai_responses", "OPENAI_RESPONSES"),
    ("atif", "ATIF"),
    ("sharegpt", "SHAREGPT"),
    ("langchain", "LANGCHAIN"),
    ("vscode_chat", "VSCODE_CHAT_REPLAY"),
    ("ai_sdk", "AI_SDK"),
    ("gemini_cli", "GEMINI_CLI"),
    ("gemini", "GEMINI"),
    ("pi", "PI"),
    ("swe_agent", "SWE_AGENT"),
    ("swe_agent", "MINI_SWE_AGENT"),
    ("openhands", "OPENHANDS"),
    ("inspect_ai", "INSPECT_AI"),
    ("tau_bench", "TAU_BENCH"),
    ("cline", "CLINE_SESSION"),
    ("cline", "CLINE_UI"),
    ("copilot_cli", "COPILOT_CLI"),
    ("opencode", "OPENCODE"),
    ("goose", "GOOSE"),
    ("cursor", "CURSOR"),
    ("qwen_code", "QWEN_CODE"),
    ("kimi", "KIMI"),
    ("droid", "DROID"),
    ("antigravity", "ANTIGRAVITY"),
    ("grok_build", "GROK_BUILD"),
    ("hermes", "HERMES"),
    ("crush", "CRUSH"),
    ("zed", "ZED"),
    ("kiro", "KIRO"),
    ("chat_exports", "CHATGPT"),
    ("chat_exports", "CLAUDE_AI"),
    ("vscode_chat", "VSCODE_CHAT"),
    ("amp", "AMP"),
    ("traces", "OTLP"),
    ("traces", "OBSERVATIONS"),
    ("tau_bench", "TAU2"),
    ("agent_sdk", "AGENT_SDK"),
    ("aider", "AIDER"),
    ("continue_dev", "CONTINUE"),
    ("craft_agents", "CRAFT_AGENTS"),
    ("pydantic_ai", "PYDANTIC_AI"),
    ("agent_framework", "AGENT_FRAMEWORK"),
    ("google_adk", "GOOGLE_ADK"),
)
"""Modules of formats, each with the name of its declaration."""


def _load_format(module: str, declaration: str) -> Format:
    loaded: Format = getattr(import_module(f".{module}", __package__), declaration)
    return loaded


_BUILT_IN: Sequence[Format] = LazySequence(
    [partial(_load_format, *reader) for reader in _READERS]
)


@cache
def _plugin_formats() -> tuple[Format, ...]:
    plugins = load_plugins(
        "foldline.formats", Format, [format_.name for format_ in _BUILT_IN]
    )
    return tuple(
        replace(
            declared,
            score=partial(_plugin_score, guarded(declared.score, package), package),
            read=guarded(declared.read, package),
            package=package,
        )
        for package, declared in plugins
    )


def _plugin_score(
    score: Callable[[OpenedDocument], FormatScore], package: str, file: OpenedDocument
) -> FormatScore:
    """Judge a file; a plugin that fails does not take it."""
    try:
        return score(file)
    except InputError as error:
        warn(package, f"cannot judge files: {error.message}")
        return 0.0, ""


FORMATS: Sequence[Format] = PluginRegistry(_BUILT_IN, _plugin_formats)
"""Every readable format, imported when it is first used; of equal scores the first wins."""

FORCED_REASON = "chosen by hand"
"""The reason of a format that the user forced."""

Loaded: TypeAlias = tuple[Conversation, Format, str]
"""A conversation, its format, and why that was chosen."""
_MIN_SCORE, _CERTAIN_SCORE = 0.3, 1.0
_MAX_NAMES, _MAX_NAME = 6, 40  # of what a refused file holds
_NO_MODELS = ("null", "None", "undefined", NO_MODEL)
"""What programs write for the name of a model that they do not know."""
_MAX_TRIES = 50  # conversations without messages before one that has some


def format_by_name(name: str) -> Format:
    """Return the format of that name. Raises InputError with the nearest names."""
    names = [format_.name for format_ in FORMATS]
    if name not in names:
        hint = nearest_names(
            name, names, "See all of them with: foldline list formats."
        )
        raise InputError(f'There is no format "{name}".', hint)
    return FORMATS[names.index(name)]


def detect_format(file: OpenedDocument) -> tuple[Format, str]:
    """Return the best format by content alone, with the reason. Raises InputError if none fits."""
    return _candidates(file)[0]


def _candidates(
    file: OpenedDocument, certain_score: float = _CERTAIN_SCORE
) -> list[tuple[Format, str]]:
    """Return the formats that fit, best first, with reasons; a score of ``certain_score`` ends the
    search. Raises InputError if none fits or the records are of an unsupported kind."""
    if kind := unsupported_kind(file.objects):
        raise UnreadableKindError(file.document.name, kind)
    scores: list[tuple[float, Format, str]] = []
    for format_ in FORMATS:
        score, reason = format_.score(file)
        if score >= _MIN_SCORE:
            # The reason may quote the file.
            scores.append((score, format_, plain_line(reason)))
        if score >= certain_score:
            break
    if scores:
        return [score[1:] for score in sorted(scores, key=itemgetter(0), reverse=True)]
    if file.container is DocumentContainer.DATABASE:
        if kind := unsupported_database_kind(file.columns):
            raise UnreadableKindError(file.document.name, kind)
        raise InputError(
            f"{file.document.name} is an SQLite database, but not one of an agent that Foldline "
            "knows.",
            "Choose the database of such an agent, or a transcript in JSON or JSONL.",
        )
    if kind := unsupported_kind(file.objects, is_majority_needed=False):
        raise UnreadableKindError(file.document.name, kind)
    hint = (
        'Choose another file ("foldline list formats" shows what can be read); '
        "--format NAME reads it as that format."
    )
    raise InputError(
        f"{file.document.name} {_no_transcript(file)}{_seen_fields(file)}.", hint
    )


def _no_transcript(file: OpenedDocument) -> str:
    """Say what a file of JSON is instead."""
    kind_name = (
        "" if file.container is DocumentContainer.OBJECT else record_kind(file.objects)
    )
    if kind_name:
        return f"holds records of {kind_name}, but no conversation"
    return "is JSON, but not a transcript in a format that Foldline knows"


def _seen_fields(file: OpenedDocument) -> str:
    """Return which fields its first record has, in the words that end a sentence."""
    if not file.objects or not file.objects[0]:
        return ""
    names = [plain_line(name[:_MAX_NAME]) for name in file.objects[0]]
    shown = ", ".join(names[:_MAX_NAMES]) + (" …" if len(names) > _MAX_NAMES else "")
    noun = "field" if len(names) == 1 else "fields"
    record = "it" if file.container is DocumentContainer.OBJECT else "its first record"
    return f"; {record} has the {noun} {shown}"


def load_conversation(
    path: Path | str,
    *,
    format: str = "",
    conversation: int = FIRST_WITH_MESSAGES,
    branch: int = 1,
    progress: Progress = no_progress,
    stop: StopCheck = never_stop,
    on_messages: MessageObserver = ignore_messages,
) -> Conversation:
    """Read one conversation (numbered from 1; by default the first that has messages) of a
    transcript; "-" is standard input.

    ``format`` forces a reader. Reading ends early, with a warning, once ``stop()`` is true. Raises
    InputError for anything that cannot be read.
    """
    request = ReadRequest(conversation, branch, progress, stop, on_messages)
    return load_with_reason(path, request, format=format)[0]


def load_with_reason(
    path: Path | str, request: ReadRequest | None = None, *, format: str = ""
) -> Loaded:
    """Do as ``load_conversation``, and return the format and why it was chosen."""
    request = request or ReadRequest(FIRST_WITH_MESSAGES)
    file = open_transcript(path, is_forced=bool(format))
    first = replace(request, conversation=request.conversation or 1)
    loaded = _load(file, first, format)
    if (
        request.conversation == FIRST_WITH_MESSAGES
        and not loaded[0].messages
        and not request.stop()
    ):
        loaded = _first_with_messages(file, first, format, loaded)
    check_branch(loaded[0].document.name, request.branch, loaded[0].branch)
    if file.head:
        head = file.head[0]
    else:
        head = None
    return _without_no_model(with_carried_sizes(loaded[0], head)), *loaded[1:]


def _without_no_model(conversation: Conversation) -> Conversation:
    """Return the conversation without models whose name says that there is none."""
    if conversation.model in _NO_MODELS:
        conversation = replace(conversation, model="")
    if any(one.model in _NO_MODELS for one in conversation.usage):
        usage = (
            replace(one, model="") if one.model in _NO_MODELS else one
            for one in conversation.usage
        )
        conversation = replace(conversation, usage=tuple(usage))
    return conversation


def _first_with_messages(
    file: OpenedDocument, request: ReadRequest, format: str, empty: Loaded
) -> Loaded:
    """Return the first conversation that has messages, or something else to show. Raises InputError
    if a file with records has none."""
    conversation, reader, _ = empty
    counts = {one.number: one.messages for one in conversation.listed}
    others = [
        number
        for number in range(2, conversation.siblings + 1)
        if counts.get(number) != 0
    ]
    for number in others[:_MAX_TRIES]:
        loaded = _load(file, replace(request, conversation=number), format)
        if loaded[0].messages:
            return loaded
    if not format and has_nothing(conversation):
        raise _no_message_error(conversation, reader)
    return empty


def _no_message_error(conversation: Conversation, reader: Format) -> InputError:
    """Return the refusal of a file without a message, with what was seen in it."""
    report, name = conversation.report, conversation.document.name
    kinds = [
        f"{plain_line(kind[:_MAX_NAME])} ({count:,})"
        for kind, count in report.skipped[:_MAX_NAMES]
    ]
    if kinds:
        seen = f", which it does not read as messages: {', '.join(kinds)}"
    else:
        seen = ""
    if len(report.skipped) > _MAX_NAMES:
        seen += " …"
    number = max(report.records, sum(count for _, count in report.skipped))
    return InputError(
        (
            f"{name} looks like {reader.label}, but Foldline found no message in it, only "
            f"{plural(number, 'record')}{seen}."
        ),
        f"Choose another file; --format {reader.name} opens this one without messages.",
    )


def _load(file: OpenedDocument, request: ReadRequest, format: str) -> Loaded:
    readers = (format_by_name(format),) if format else FORMATS
    reads_zips = (reader.score(file)[0] >= _MIN_SCORE for reader in readers)
    if file.container is not DocumentContainer.ARCHIVE or any(reads_zips):
        return read_opened(file, request, format=format)

    from core.formats.common.zip_transcripts import read_zip  # few are zipped

    return read_zip(
        file,
        request,
        partial(_choose_format, format),
        partial(read_opened, format=format),
    )


def read_opened(
    file: OpenedDocument, request: ReadRequest, *, format: str = ""
) -> Loaded:
    """Read an open document with the forced format, else with the first fitting one that
    understands most of it. Raises InputError if no format works."""
    if format:
        reader, reason = _choose_format(format, file)
        return reader.read(replace(file, format=reader.name), request), reader, reason
    attempts: list[Loaded] = []
    for reader, reason in _formats_by_score(file):
        try:
            conversation = reader.read(replace(file, format=reader.name), request)
        except InputError:
            if not attempts:
                raise
            continue
        attempts.append((conversation, reader, reason))
        is_second_choice = len(attempts) > 1 and is_understood(attempts[0][0])
        # It sees no results at all, so that it is no better than the first.
        if is_second_choice and not pairs_any(conversation):
            continue
        if conversation.number > 1 or _is_read(conversation):
            return attempts[-1]
    understood = [one for one in attempts if is_understood(one[0])]
    if understood:
        return understood[0]
    conversation, reader, _ = attempts[0]
    # A reading that was stopped has understood little, and nobody waits for it.
    if request.stop() or is_empty(conversation):
        return attempts[0]
    raise _not_understood(file, conversation, reader)


def _not_understood(
    file: OpenedDocument, conversation: Conversation, reader: Format
) -> InputError:
    name = file.document.name
    # A file of a known kind that holds no conversation has a sentence of its own.
    if kind := unsupported_kind(file.objects, is_majority_needed=False):
        return UnreadableKindError(name, kind)
    understood = [
        message
        for message in conversation.messages
        if message.speaker is not Speaker.UNKNOWN and message.blocks
    ]
    much = "little" if understood else "nothing"
    return InputError(
        f"{name} looks like {reader.label}, but Foldline understands {much} of it.",
        f"Choose another file; --format {reader.name} shows what was read.",
    )


def _is_read(conversation: Conversation) -> bool:
    """Return whether a reader understood a file and paired its calls and results, if there are
    any."""
    return is_understood(conversation) and not pairs_nothing(conversation)


def _formats_by_score(file: OpenedDocument) -> Iterator[tuple[Format, str]]:
    """Yield the best format, then the others, which are only scored when needed."""
    yield detect_format(file)
    yield from _candidates(file, inf)[1:]


def _choose_format(format: str, file: OpenedDocument) -> tuple[Format, str]:
    if not format:
        return detect_format(file)
    forced = format_by_name(format)
    if forced.score(file)[0] >= _MIN_SCORE:
        return forced, FORCED_REASON
    return replace(forced, read=partial(_read_with_warning, forced)), FORCED_REASON


def _read_with_warning(
    forced: Format, file: OpenedDocument, request: ReadRequest
) -> Conversation:
    """Read with a forced reader a file that looks different; warn, or refuse if nothing is read."""
    conversation = forced.read(file, request)
    try:
        likely = detect_format(file)[0]
        likely_format = f"it is {likely.label} ({likely.name})"
    except InputError:
        likely_format = ""
    if not any(
        type(block) is not Opaque
        for message in conversation.messages
        for block in message.blocks
    ):
        if likely_format:
            hint = f"Leave the format out: by its content {likely_format}."
        else:
            hint = "Choose another format."
        raise InputError(
            f"Nothing in {file.document.name} can be read as {forced.label}.", hint
        )
    if likely_format:
        by_content = f"by content {likely_format}"
    else:
        by_content = "no known format fits it"
    text = (
        f"it does not look like {forced.label}, which was chosen by hand; {by_content}"
    )
    report = conversation.report
    return replace(
        conversation,
        report=replace(report, warnings=(ImportNote(0, text), *report.warnings)),
    )
