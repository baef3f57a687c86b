"""Writes the exact summary request: as JSON with the profile's parameters, or as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.writing.base import Exporter, ExporterOutput, ExportGroup, ExportOptions, OutputShape
from core.formats.writing.export_messages import ExportInput
from core.formats.writing.format_capabilities import first_names
from core.formats.writing.raw_json import dump_json
from core.llm.chat_messages import flatten_request
from core.llm.client import MAX_TURN_OUTPUT, TEMPERATURE, chat_messages
from core.llm.litellm_adapter import RequestOptions, call_arguments
from core.llm.protocol import SummaryRequest
from core.preview.options import Preview
from core.preview.preview import strategy_prompt, strategy_prompts
from core.preview.summary_requests import AgentRoundRequest, first_summary_request, model_requests
from core.reports.document import report_input
from core.strategies.base import calls_model
from core.strategies.hybrid.agent_mode import is_agent
from core.tokens.counter import counter_for
from core.transcript.model import Conversation

_TRANSPORT = ("api_key", "base_url", "timeout", "max_retries", "num_retries", "drop_params")
"""Transport arguments of the library, not part of the request."""


def report_request(preview: Preview) -> SummaryRequest:
    """Return the request; raise InputError with the reason if the strategy calls no model."""
    if calls_model(preview.strategy, preview.values):
        counter = counter_for(preview.window.model)
        prompt = strategy_prompt(preview.strategy, preview.writer, preview.mode)
        request = first_summary_request(preview, prompt, counter, preview.focus)
        if request is not None:
            return request
    no_op = preview.compaction.no_op
    reason = f"{preview.strategy.name} asks no model." if no_op is None else no_op.reason
    raise InputError(f"There is no summary request: {reason}", "Choose another strategy or other settings.")


def request_body(preview: Preview) -> Mapping[str, Json]:
    """Return model, messages and parameters; for offline only the messages. For an agent it is the first
    round with its tools."""
    is_agent_run = is_agent(preview.strategy, preview.values) and not preview.writer.is_offline
    agent_round = _agent_round(preview) if is_agent_run else None
    if agent_round is not None:
        opening = chat_messages(agent_round.system, agent_round.messages[:1])
        return _call_body(preview, opening, RequestOptions(TEMPERATURE, MAX_TURN_OUTPUT, agent_round.tools))
    request = report_request(preview)
    messages = flatten_request(request)
    if preview.writer.is_offline:
        return {"messages": [dict(message) for message in messages], "max_tokens": request.max_tokens}
    return _call_body(preview, messages, RequestOptions(request.temperature, request.max_output_tokens))


def _agent_round(preview: Preview) -> AgentRoundRequest | None:
    """Return an agent's first round; None if it has nothing to do."""
    prompts = strategy_prompts(preview.strategy, preview.writer, preview.mode)
    return model_requests(preview, prompts, counter_for(preview.window.model), preview.focus).agent


def _call_body(
    preview: Preview, messages: Sequence[Mapping[str, Json]], options: RequestOptions
) -> Mapping[str, Json]:
    arguments = call_arguments(preview.writer, "", messages, options)
    body = {key: value for key, value in arguments.items() if key not in _TRANSPORT}
    return body | {"model": preview.writer.model}


_REQUEST_FORMATS = frozenset({"openai_chat", "openai_responses", "anthropic_messages", "gemini"})
_SAMPLING = (
    *("temperature", "top_p", "top_k", "stop", "stop_sequences", "seed", "n", "stream", "thinking"),
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "presence_penalty", "frequency_penalty"),
    *("logit_bias", "logprobs", "reasoning", "reasoning_effort", "verbosity", "truncation", "text"),
)
_ANSWER_SHAPE = ("response_format", "modalities", "tool_choice", "parallel_tool_calls", "toolConfig")
_SERVICE = (
    *("previous_response_id", "store", "metadata", "context_management", "service_tier"),
    *("generationConfig", "safetySettings", "cachedContent"),
)
_SETTINGS = (*_SAMPLING, *_ANSWER_SHAPE, *_SERVICE)
"""Fields that configure the answer."""


def lost_settings_warning(conversation: Conversation) -> tuple[str, ...]:
    if conversation.format not in _REQUEST_FORMATS:
        return ()
    request_fields = conversation.layout.get("beside", ())
    names = [name for name in _SETTINGS if name in request_fields]
    return (f"The settings of the request ({first_names(names)}) are not carried over.",) if names else ()


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return the request body. Raises InputError if the strategy calls no model."""
    body = request_body(report_input(export_input).preview)
    return ExporterOutput(dump_json(body, pretty=True) + b"\n", OutputShape.JSON)


def write_text(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Return role and content of each message. Raises InputError if the strategy calls no model."""
    messages = request_body(report_input(export_input).preview)["messages"]
    count = len(messages)
    parts = [
        f"[{number} of {count}] {message['role']}\n\n{message['content']}"
        for number, message in enumerate(messages, 1)
    ]
    text = "\n\n".join(parts) + "\n"
    return ExporterOutput(text.encode("utf-8", "replace"), OutputShape.TEXT)


EXPORTER = Exporter(
    "request",
    (),
    "Summary request, JSON",
    ".json",
    "The exact request for the summary, in the form of the chat API.",
    write,
    group=ExportGroup.REPORT,
    file_label="request",
    needs_no_model=True,
)
TEXT_EXPORTER = Exporter(
    "request_text",
    (),
    "Summary request, text",
    ".txt",
    "The exact request for the summary, for people to read.",
    write_text,
    group=ExportGroup.REPORT,
    file_label="request",
    needs_no_model=True,
)
