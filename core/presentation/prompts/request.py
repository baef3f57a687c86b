"""The exact request of a prompt for the open conversation; calls no model."""

from __future__ import annotations

from core.common import number_format
from core.llm.chat_messages import flatten_request
from core.llm.pricing import MESSAGE_TOKENS
from core.llm.protocol import SummaryRequest
from core.presentation.model import LabelledFigure
from core.presentation.prompts.model import RequestPage, RequestPart
from core.preview.options import Preview
from core.tokens.counter import TokenCounter


def request_page(preview: Preview, request: SummaryRequest | None, counter: TokenCounter) -> RequestPage:
    """Return a request's messages as sent, with role, text, tokens and figures."""
    if request is None:
        reason = preview.compaction.no_op.reason if preview.compaction.no_op is not None else ""
        return RequestPage((), (), reason or f"{preview.strategy.name} asks no model.")
    mark = counter.method.mark
    chat_messages = flatten_request(request)
    tokens = [counter.text(message["content"]) for message in chat_messages]
    parts = tuple(
        RequestPart(
            message["role"],
            f"{number} of {len(chat_messages)}",
            message["content"],
            number_format.tokens(mark, count),
        )
        for number, (message, count) in enumerate(zip(chat_messages, tokens, strict=True), 1)
    )
    total = sum(tokens) + MESSAGE_TOKENS * len(chat_messages)  # as in the question before a paid call
    first_index, last_index = preview.inputs[request.indices[0]], preview.inputs[request.indices[-1]]
    span = number_format.span(first_index, last_index + 1)
    facts = (
        LabelledFigure(
            "Would summarise",
            ", ".join(filter(None, (number_format.plural(len(request.messages), "message"), span))),
        ),
        LabelledFigure("Request", f"{number_format.tokens(mark, total)} tokens"),
        LabelledFigure("Summary at most", f"{number_format.count(request.max_tokens)} tokens"),
    )
    return RequestPage(parts, facts)
