"""What the first preview of a file does not show: prices, models, other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.analysis.costs import compaction_cost as compaction_cost
    from core.analysis.costs import pricing_model as pricing_model
    from core.analysis.costs import with_model_summary as with_model_summary
    from core.llm.destination import call_line as call_line
    from core.llm.destination import destination_of as destination_of
    from core.strategies.other_program import LIMITS as LIMITS
else:
    __getattr__ = late_names(
        __package__,
        {
            "LIMITS": "..strategies.other_program",
            "call_line": "..llm.destination",
            "compaction_cost": "..analysis.costs",
            "destination_of": "..llm.destination",
            "pricing_model": "..analysis.costs",
            "with_model_summary": "..analysis.costs",
        },
    )
