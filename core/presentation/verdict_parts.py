"""What the cells of the verdict open: the parts of the size, and of the price."""

from __future__ import annotations

from core.analysis.model import CompactionCost
from core.common import number_format
from core.common.number_format import dollar_text
from core.llm.request_size import RequestSizing
from core.presentation.preview_wording import clearing_sentences, scope_label
from core.presentation.verdict import pays_text
from core.presentation.verdict_model import FigurePage, SizePoint
from core.preview.options import Preview
from core.tokens.calibration import CalibrationSegment, ReportedRequest
from core.transcript.scopes import CURRENT

_NO_SUMMARY_COST = "A summary by a model would come on top; Compare prices it."


def price_page(preview: Preview, cost: CompactionCost | None) -> FigurePage:
    """Return the parts of the price: calls before and after, the cached start, when it pays."""
    if cost is None or cost.rates is None:
        return FigurePage(
            "Price", (), (), ("The model has no price in the table.",) if cost else ()
        )
    facts = [("A call now", f"≈ {dollar_text(cost.later_before)}")]
    notes = [f"By the prices of {cost.rates.model} with a warm prompt cache."]
    if cost.first_changed is not None:
        mark = preview.sizes.count_method.mark
        facts += [
            (
                "The first call after it, which writes the cache anew",
                f"≈ {dollar_text(cost.first_after)}",
            ),
            ("Each call after that", f"≈ {dollar_text(cost.later_after)}"),
            ("Start that stays cached", f"{number_format.tokens(mark, cost.prefix)} tokens"),
        ]
        if cost.summary:
            facts.append(("The summary", dollar_text(cost.summary)))
        elif cost.unpaid.requests:
            notes.append(_NO_SUMMARY_COST)
        facts.append(("It", pays_text(cost)))
    return FigurePage("Price", (), tuple(facts), tuple(notes))


def shown_cost(preview: Preview) -> CompactionCost | None:
    """Return the cost of a compaction, None while its checks are not known: the first preview waits
    for no prices."""
    from core.analysis.run_price import compaction_cost  # late: the first preview has no prices

    if preview.result.result_source or preview.summary.provisional or not preview.checks.lint:
        return None
    return compaction_cost(preview)


def size_parts(preview: Preview, context_tokens: int, images: str = "") -> FigurePage:
    """Return the size of the next request and its parts, which add up, and how they are known.
    ``images`` is what is said of the images of the current context."""
    mark = preview.sizes.count_method.mark
    difference = preview.sizes.before_tokens - preview.sizes.message_tokens_before
    sizes = [("Messages", number_format.tokens(mark, preview.sizes.message_tokens_before))]
    if difference >= 0:
        overhead = number_format.tokens(mark, difference) if difference else "– not in the file"
        sizes.append((preview.sizes.overhead_name, overhead))
    else:
        sizes.append(("dropped by the agent", number_format.signed(difference)))
    sizes += [
        ("Next request", number_format.tokens(mark, preview.sizes.before_tokens)),
        ("Next request with the result", number_format.tokens(mark, preview.sizes.after_tokens)),
    ]
    if context_tokens != preview.sizes.before_tokens:
        name = f"Next request of the {scope_label(CURRENT)}"
        sizes.append((name, number_format.tokens(mark, context_tokens)))
    if (reported := preview.source.conversation.reported_context) is not None:
        sizes.append(
            ("Last request, as the provider counted it", number_format.tokens("=", reported))
        )
    if images:
        sizes.append(("Images and bytes of the next request", images))
    limit = number_format.tokens("", preview.sizes.model_limit.tokens)
    sizes += [
        (f"Limit, {preview.sizes.model_limit.source}", limit),
        ("Counted with", preview.sizes.count_method.label),
    ]
    return size_page(preview.sizes.sizing, tuple(sizes))


_MAX_POINTS = 240  # requests in the plot
_CARRIED = (
    "Foldline exported this file and wrote into it how its sizes were calibrated, on {requests}; reports of "
    "the agent after the export take its place."
)


def size_page(sizing: RequestSizing, sizes: tuple[tuple[str, str], ...]) -> FigurePage:
    """Return the page of these sizes, and of the sizing where requests are reported."""
    calibration = sizing.calibration
    points = [
        _point(request, segment) for segment in calibration.segments for request in segment.requests
    ]
    is_carried, fit = calibration.source == "export", calibration.fit
    if not points and not is_carried:
        return FigurePage("Size", (), sizes, ())
    error = number_format.UNKNOWN if fit.error is None else number_format.percent(fit.error)
    on = number_format.plural(fit.requests, "request")
    fitted = f"fitted to {on} of {number_format.count(len(points))} reported"
    facts = (
        (
            "Factor",
            f"×{fit.factor:.2f}, {'as calibrated before the export' if is_carried else fitted}",
        ),
        ("Hidden", f"{number_format.count(max(0, sizing.hidden))} tokens in every request"),
        ("Typical error", error),
    )
    if is_carried:
        return FigurePage(
            "Size", _sampled(points), (*sizes, *facts), (_CARRIED.format(requests=on),)
        )
    notes = clearing_sentences(sizing) or ("No silent clearing was found.",)
    return FigurePage("Size", _sampled(points), (*sizes, *facts), (*_estimated(sizing), *notes))


def _estimated(sizing: RequestSizing) -> tuple[str, ...]:
    """Return why the factor is not fitted, or nothing."""
    if sizing.is_reported:
        return ()
    if sizing.reporting_model:
        return (
            (
                f"The requests were {sizing.reporting_model}'s: the factor is that of the "
                f"chosen model's family."
            ),
        )
    return ("Too few requests are reported: the factor is that of the model's family.",)


def _point(request: ReportedRequest, part: CalibrationSegment) -> SizePoint:
    calibrated = part.fit.size(request)
    return SizePoint(request.reported, request.counted, calibrated, request is part.requests[0])


def _sampled(points: list[SizePoint]) -> tuple[SizePoint, ...]:
    step = max(1.0, len(points) / _MAX_POINTS)
    return tuple(points[int(index * step)] for index in range(min(len(points), _MAX_POINTS)))
