"""Exports the exact request for a preview's summary, and the command line that repeats the
preview."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.document import open_transcript
from core.formats.registry import detect_format
from core.formats.writing.exporter import (
    Exporter,
    ExporterOutput,
    ExportGroup,
    ExportInput,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.format_capabilities import first_names
from core.formats.writing.plain_text import dump_json
from core.llm.catalog import choose_model
from core.llm.client import MAX_TURN_OUTPUT, TEMPERATURE, chat_messages
from core.llm.litellm_adapter import RequestOptions, call_arguments
from core.llm.protocol import SummaryRequest, flatten_request
from core.preview.options import Preview
from core.preview.preview import RunRequests, requests_of
from core.reports.report_data import report_input
from core.settings.schema import PROFILE, STRATEGY, SettingLayer
from core.settings_store.layers import find_setting
from core.strategies.base import calls_model
from core.strategies.names import PROGRAM, is_program
from core.summarize.summariser_choice import FixedSummariser
from core.transcript.model import Conversation
from core.transcript.pins import RULE as PUT_BACK
from core.transcript.pins import PinKind, pinned_indices
from core.transcript.scopes import opening_scope

_TRANSPORT = (
    "api_key",
    "base_url",
    "timeout",
    "max_retries",
    "num_retries",
    "drop_params",
)
"""Transport arguments of the library, not part of the request."""


def request_bodies(preview: Preview) -> tuple[Mapping[str, Json], ...]:
    """Return model, messages and parameters of each request of a run, in order; for offline only
    the messages. Of an agent it is the first round with its tools. Raises InputError, with the
    reason, where no model is called."""
    if calls_model(preview.strategy, preview.source.values):
        run = requests_of(preview)
    else:
        run = RunRequests()
    if (agent := run.agent) is not None:
        opening = chat_messages(agent.system, agent.messages[:1])
        options = RequestOptions(TEMPERATURE, MAX_TURN_OUTPUT, agent.tools)
        return (_call_body(preview, opening, options),)
    if run.is_empty:
        no_op = preview.result.compaction.no_op
        if no_op is None:
            reason = f"{preview.strategy.name} asks no model."
        else:
            reason = no_op.reason
        text = f"There is no summary request: {reason}"
        raise InputError(text, "Choose another strategy or other settings.")
    return tuple(_request_body(preview, request) for request in run.requests)


def _request_body(preview: Preview, request: SummaryRequest) -> Mapping[str, Json]:
    messages = flatten_request(request)
    if preview.summary.profile.is_offline:
        return {
            "messages": [dict(message) for message in messages],
            "max_tokens": request.max_tokens,
        }
    return _call_body(
        preview,
        messages,
        RequestOptions(request.temperature, request.max_output_tokens),
    )


def _call_body(
    preview: Preview, messages: Sequence[Mapping[str, Json]], options: RequestOptions
) -> Mapping[str, Json]:
    arguments = call_arguments(preview.summary.profile, "", messages, options)
    body = {key: value for key, value in arguments.items() if key not in _TRANSPORT}
    return body | {"model": preview.summary.profile.model}


_REQUEST_FORMATS = frozenset(
    {"openai_chat", "openai_responses", "anthropic_messages", "gemini"}
)
_SAMPLING = (
    *(
        "temperature",
        "top_p",
        "top_k",
        "stop",
        "stop_sequences",
        "seed",
        "n",
        "stream",
        "thinking",
    ),
    *(
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "presence_penalty",
        "frequency_penalty",
    ),
    *(
        "logit_bias",
        "logprobs",
        "reasoning",
        "reasoning_effort",
        "verbosity",
        "truncation",
        "text",
    ),
)
_ANSWER_SHAPE = (
    "response_format",
    "modalities",
    "tool_choice",
    "parallel_tool_calls",
    "toolConfig",
)
_SERVICE = (
    *(
        "previous_response_id",
        "store",
        "metadata",
        "context_management",
        "service_tier",
    ),
    *("generationConfig", "safetySettings", "cachedContent"),
)
_SETTINGS = (*_SAMPLING, *_ANSWER_SHAPE, *_SERVICE)
"""Fields that configure the answer."""


def lost_settings_warning(conversation: Conversation) -> tuple[str, ...]:
    if conversation.format not in _REQUEST_FORMATS:
        return ()
    request_fields = conversation.layout.get("beside", ())
    names = [name for name in _SETTINGS if name in request_fields]
    if names:
        return (
            f"The settings of the request ({first_names(names)}) are not carried over.",
        )
    return ()


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the request body, a list of them where a run makes several. Raises InputError if the
    strategy calls no model."""
    bodies = request_bodies(report_input(export_input).preview)
    value = bodies[0] if len(bodies) == 1 else list(bodies)
    return ExporterOutput(dump_json(value, pretty=True) + b"\n", OutputShape.JSON)


def write_text(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return role and content of each message. Raises InputError if the strategy calls no model."""
    bodies = request_bodies(report_input(export_input).preview)
    parts = []
    for request_number, body in enumerate(bodies, 1):
        if len(bodies) > 1:
            which = f"request {request_number} of {len(bodies)}, "
        else:
            which = ""
        count = len(body["messages"])
        parts += [
            f"[{which}{number} of {count}] {message['role']}\n\n{message['content']}"
            for number, message in enumerate(body["messages"], 1)
        ]
    text = "\n\n".join(parts) + "\n"
    return ExporterOutput(text.encode("utf-8", "replace"), OutputShape.TEXT)


EXPORTER = Exporter(
    name="request",
    short_names=(),
    label="Summary request, JSON",
    suffix=".json",
    about=(
        "The exact request for the summary, in the form of the chat API; a list where a run "
        "makes several."
    ),
    write=write,
    group=ExportGroup.REPORT,
    file_label="request",
    needs_no_model=True,
    is_of_run=True,
)
TEXT_EXPORTER = Exporter(
    name="request_text",
    short_names=(),
    label="Summary request, text",
    suffix=".txt",
    about="The exact request for the summary, for people to read.",
    write=write_text,
    group=ExportGroup.REPORT,
    file_label="request",
    needs_no_model=True,
    is_of_run=True,
)


_MODEL_SUMMARY = (
    "# {name} ({model}) writes the summary; another run may be worded differently.\n"
)
_GIVEN_SUMMARY = "# The summary was given; add --summary-file FILE with its text.\n"


def write_command(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return one line of shell, with a comment above it if the line alone does not repeat the run.
    Names each setting that is not the default or was set in the session."""
    preview = report_input(export_input).preview
    line = shlex.join(("foldline", "compact", *_arguments(preview)))
    return ExporterOutput(
        f"{_remark(preview)}{line}\n".encode("utf-8", "surrogateescape"),
        OutputShape.TEXT,
    )


def _strategy_arguments(name: str) -> tuple[str, str]:
    if is_program(name):
        return "--strategy-command", name.removeprefix(PROGRAM)
    return "-s", name


def _arguments(preview: Preview) -> Iterator[str]:
    """Yield the transcript and every option without which the result would be another one."""
    path = preview.source.conversation.document.path
    yield "-" if path is None else _path_argument(str(path))
    yield from _strategy_arguments(preview.strategy.name)
    if preview.every_turn:
        yield "--every-turn"
    yield from _setting_options(preview)
    yield from _source_options(preview)
    if preview.source.focus:
        yield from ("--focus", preview.source.focus)

    for option, kind in (("--pin", PinKind.KEEP), ("--drop-pin", PinKind.DROP)):
        yield from _number_option(
            option, sorted(pinned_indices(preview.source.pins, kind))
        )
    fates = enumerate(preview.result.compaction.fates)
    yield from _number_option(
        "--put-back", [index for index, fate in fates if fate.last.rule == PUT_BACK]
    )


def _path_argument(path: str) -> str:
    # A name that begins with "-" would be read as an option.
    if path.startswith("-"):
        return f"./{path}"
    return path


def _setting_options(preview: Preview) -> Iterator[str]:
    """Yield the settings that are not the default, then the profile."""
    values = preview.source.values
    for key, effective in values.by_key.items():
        setting = find_setting(key)
        value = effective.value
        if setting.key == STRATEGY or value is None:
            continue
        # Of the session even where it is the default: presumably because a file may say another.
        if value == setting.default and effective.layer is not SettingLayer.SESSION:
            continue
        if isinstance(value, bool):
            text = str(value).lower()
        else:
            text = str(value)
        yield from ("--set", f"{setting.key}={text}")

    profile = preview.summary.profile
    if not profile.is_offline and values.get(PROFILE) != profile.name:
        yield from ("--profile", profile.name)


def _source_options(preview: Preview) -> Iterator[str]:
    """Yield what is read of the transcript, where it is not what opening it would choose."""
    conversation, model = preview.source.conversation, preview.sizes.model_limit.model
    if model != choose_model(conversation):
        yield from ("--model", model)
    if not _is_detected(preview):
        yield from ("--format", conversation.format)
    if preview.source.history.scope != opening_scope(conversation):
        yield from ("--scope", preview.source.history.scope)
    if conversation.number != 1:
        yield from ("--conversation", str(conversation.number))
    if conversation.branch != 1:
        yield from ("--branch", str(conversation.branch))


def _number_option(option: str, indices: Sequence[int]) -> tuple[str, ...]:
    """Return an option with 1-based message numbers, or nothing without messages."""
    if indices:
        return (option, ",".join(f"{index + 1}" for index in indices))
    return ()


def _is_detected(preview: Preview) -> bool:
    document = preview.source.conversation.document
    if document.path is None:
        return False
    try:
        return (
            detect_format(open_transcript(document.path))[0].name
            == preview.source.conversation.format
        )
    except InputError:
        return False


def _remark(preview: Preview) -> str:
    summary = preview.result.compaction.summary
    if not preview.summary.profile.is_offline:
        return _MODEL_SUMMARY.format(
            name=preview.summary.profile.name, model=preview.summary.profile.model
        )
    return (
        _GIVEN_SUMMARY
        if summary is not None and summary.profile == FixedSummariser("").profile
        else ""
    )


COMMAND_EXPORTER = Exporter(
    name="command",
    short_names=(),
    label="Command line",
    suffix=".sh",
    about="The settings as the command that repeats the compaction.",
    write=write_command,
    group=ExportGroup.REPORT,
    file_label="command",
    needs_no_model=True,
    is_of_run=True,
)
