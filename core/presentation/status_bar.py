"""The status bar: context, tokens, validity, warnings."""

from __future__ import annotations

from core.common import number_format
from core.engine.events import UNKNOWN_SHARE, context_share
from core.presentation.lint_sheets import count_findings, validity_status
from core.presentation.model import StatusPart
from core.presentation.next_call import next_call
from core.presentation.preview_wording import limit_text
from core.presentation.request_size.page import size_page
from core.preview.options import Preview
from core.settings.keys import WARNING
from core.settings.schema import Mode
from core.strategies.trigger import usable_window


def status_parts(preview: Preview, context_tokens: int, provider: str) -> tuple[StatusPart, ...]:
    """Return all parts; ``context_tokens`` is the next request: current scope and system part."""
    parts = [context_part(preview, context_tokens), _tokens(preview, context_tokens), _reported(preview)]
    parts += [
        validity_status(preview),
        _warnings(preview, provider) if preview.lint else None,
        _mode(preview),
    ]
    return (*(part for part in parts if part is not None), *next_call(preview))


def context_part(preview: Preview, context_tokens: int) -> StatusPart:
    """Return "[ctx: 74%]"; amber from the warning threshold, red from the trigger."""
    limit, trigger = preview.window.limit, preview.trigger_tokens
    if limit is None:
        return StatusPart(UNKNOWN_SHARE, "", f"Limit {limit_text(preview.window)}.")
    warning = preview.values.number(WARNING) * usable_window(preview.strategy.trigger, preview.values, limit)
    tone = "warn" if context_tokens >= warning else ""
    if trigger is not None and context_tokens >= trigger:
        tone = "error"
    mark = preview.count_method.mark
    tip = f"{number_format.tokens(mark, context_tokens)} of {limit_text(preview.window)}"
    if preview.system_tokens:
        system = number_format.count(preview.system_tokens)
        tip = f"{tip}, {system} of them system prompt and tools"
    return StatusPart(context_share(context_tokens, limit), tone, tip)


def _tokens(preview: Preview, context_tokens: int) -> StatusPart:
    """Return the tokens of ``[ctx]``, and of the history if they differ."""
    mark, limit = preview.count_method.mark, preview.window.limit
    of_limit = (
        f" of {number_format.count(limit)}" if limit is not None else f", limit {number_format.UNKNOWN}"
    )
    used_tokens = preview.request_tokens
    history_text = (
        ""
        if used_tokens == context_tokens
        else f" · history {number_format.tokens(mark, preview.before_tokens)}"
    )
    text = (
        f"{number_format.tokens(mark, context_tokens)}{of_limit}{history_text} · {preview.count_method.label}"
    )
    tip = f"Limit {limit_text(preview.window)}."
    return StatusPart(text, "", tip, sizes=size_page(preview.sizing, context_tokens, mark))


def _reported(preview: Preview) -> StatusPart | None:
    reported = preview.conversation.reported_context
    if reported is None:
        return None
    tip = "Tokens of the last request in the file, as the provider reported them."
    return StatusPart(f"reported {number_format.tokens('=', reported)}", "", tip, optional=True)


def _warnings(preview: Preview, provider: str) -> StatusPart | None:
    texts = list(preview.warnings) + list(preview.compaction.warnings)
    for lint in preview.lint:
        if lint.provider == provider and count_findings(lint, "warning"):
            texts += [finding.text for finding in lint.after if finding.severity == "warning"]
    texts = list(dict.fromkeys(texts))
    if not texts:
        return None
    tip = "\n".join(texts[:10]) + ("\n…" if len(texts) > 10 else "")
    return StatusPart(number_format.plural(len(texts), "warning"), "warn", tip)


def _mode(preview: Preview) -> StatusPart | None:
    if preview.mode is Mode.SAFE:
        return None
    tip = "Cuts and prunes exactly as llxprt does, faults included; pairs may be separated."
    return StatusPart("reference mode", "warn", tip, "right")
