"""The summary request of a preview, exactly as its profile's model would receive it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.llm.chat_messages import flatten_request
from core.llm.litellm_adapter import RequestOptions, call_arguments
from core.llm.protocol import SummaryRequest
from core.llm.tool_client import MAX_TURN_OUTPUT, TEMPERATURE, chat_messages
from core.preview.options import Preview
from core.preview.preview import strategy_prompt, strategy_prompts
from core.preview.run_requests import AgentRoundRequest, first_summary_request, model_requests
from core.strategies.base import calls_model
from core.strategies.hybrid.agent_mode import is_agent
from core.tokens.counter import counter_for

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
