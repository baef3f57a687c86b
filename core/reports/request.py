"""The summary request of a preview, as the model of its profile would be sent it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.errors import InputError
from core.common.json_value import Json
from core.llm.chat_messages import flatten_request
from core.llm.litellm_adapter import RequestOptions, call_arguments
from core.llm.protocol import SummaryRequest
from core.llm.tool_client import MOST_OUTPUT, TEMPERATURE, chat_messages
from core.preview.options import Preview
from core.preview.preview import prompt_of, prompts_of
from core.preview.run_requests import AgentRoundRequest, request_of, requests_of_run
from core.strategies.base import asks_model
from core.strategies.hybrid.agent_mode import is_agent
from core.tokens.counter import counter_for

_TRANSPORT = ("api_key", "base_url", "timeout", "max_retries", "num_retries", "drop_params")
"""What the library is told about the way there; no part of the request."""


def report_request(made: Preview) -> SummaryRequest:
    """The request; InputError where the strategy asks no model here, with the reason."""
    if asks_model(made.strategy, made.values):
        counter = counter_for(made.window.model)
        prompt = prompt_of(made.strategy, made.writer, made.mode)
        request = request_of(made, prompt, counter, made.focus)
        if request is not None:
            return request
    no_op = made.compaction.no_op
    reason = f"{made.strategy.name} asks no model." if no_op is None else no_op.reason
    raise InputError(f"There is no summary request: {reason}", "Choose another strategy or other settings.")


def request_body(made: Preview) -> Mapping[str, Json]:
    """What goes out: model, messages and parameters of the profile; of offline the messages alone.

    Of an agent it is the first round, with the tools that it is given.
    """
    works = is_agent(made.strategy, made.values) and not made.writer.is_offline
    talk = _talk(made) if works else None
    if talk is not None:
        first = chat_messages(talk.system, talk.messages[:1])
        return _sent(made, first, RequestOptions(TEMPERATURE, MOST_OUTPUT, talk.tools))
    request = report_request(made)
    messages = flatten_request(request)
    if made.writer.is_offline:
        return {"messages": [dict(message) for message in messages], "max_tokens": request.max_tokens}
    return _sent(made, messages, RequestOptions(request.temperature, request.most_output))


def _talk(made: Preview) -> AgentRoundRequest | None:
    """The talk of an agent; None where there is nothing for it to do."""
    prompts = prompts_of(made.strategy, made.writer, made.mode)
    return requests_of_run(made, prompts, counter_for(made.window.model), made.focus).agent


def _sent(
    made: Preview, messages: Sequence[Mapping[str, Json]], wanted: RequestOptions
) -> Mapping[str, Json]:
    sent = call_arguments(made.writer, "", messages, wanted)
    return {key: value for key, value in sent.items() if key not in _TRANSPORT} | {"model": made.writer.model}
