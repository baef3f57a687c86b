"""Sizes of exports: what a file carries of its calibration, and whether it says the size that was
shown."""

from __future__ import annotations

from dataclasses import replace

from core.common import number_format
from core.formats.writing.exporter import Exporter, ExportInput
from core.llm.catalog import choose_model
from core.llm.request_size import exported_sizes, next_request_tokens, request_sizing
from core.tokens.calibration import model_family
from core.tokens.counter import counter_for
from core.transcript.model import Conversation
from core.transcript.scopes import CURRENT

_TOLERANCE = 0.02  # of the shown size
_MIN_DIFFERENCE = 100  # tokens


def with_sizes(content: ExportInput) -> ExportInput:
    """Return the input of an export that has no preview with the sizes that it would be shown with.
    Messages are counted only if the file reports sizes, carries some, or is of a family with a
    factor."""
    conversation, compaction = content.conversation, content.compaction
    model = choose_model(conversation)
    if not (conversation.usage or conversation.carried or model_family(model)):
        return content
    counter = counter_for(model)
    sizing = request_sizing(conversation, counter, content.history.scope, model)
    sized = sizing.counter(counter)
    sizes, request_tokens = exported_sizes(
        sizing,
        sized.messages(content.messages),
        sized.system(conversation.system),
        model,
        is_changed=compaction is not None and compaction.no_op is None,
    )
    return replace(content, sizes=sizes, request_tokens=request_tokens)


def size_difference(
    content: ExportInput, exporter: Exporter, reopened: Conversation
) -> str:
    """Return a sentence on a file that says another size than was shown, "" if it says the same."""
    shown = content.request_tokens
    if shown is None or not content.messages:
        return ""
    if (
        reopened.carried
        and not reopened.recorded
        and content.is_from_format(exporter.name)
    ):
        # the same content by the same calibration, which large results need no second count for
        return ""
    model = choose_model(reopened)
    counter = counter_for(model)
    tokens = next_request_tokens(
        reopened, counter, request_sizing(reopened, counter, CURRENT, model)
    )
    if abs(tokens - shown) <= max(_MIN_DIFFERENCE, _TOLERANCE * shown):
        return ""
    if shown:
        share = number_format.percent(abs(tokens - shown) / shown)
    else:
        share = ""
    if exporter.carries_sizes:
        reason = "the file does not hold all that was counted"
    else:
        reason = f"{exporter.label} has no place for how sizes were calibrated"
    return (
        f"Opened again, the file says ≈{tokens:,} tokens for the next request, {share} "
        f"{'more' if tokens > shown else 'fewer'} than shown (≈{shown:,}): {reason}."
    )
