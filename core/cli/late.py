"""What few runs of a command need, loaded when they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.cli.musts import named_musts as named_musts
    from core.cli.output.recorded_text import (
        explained_compactions as explained_compactions,
    )
    from core.cli.output.recorded_text import explained_lines as explained_lines
    from core.presentation.recorded_page import explained_json as explained_json
    from core.strategies.model_choice import (
        choose_summary_model as choose_summary_model,
    )
    from core.trials.trial_costs import compare_costs as compare_costs
    from core.trials.trial_costs import replay_costs as replay_costs
    from core.trials.trial_costs import sweep_costs as sweep_costs
else:
    __getattr__ = late_names(
        __package__,
        {
            "choose_summary_model": "..strategies.model_choice",
            "compare_costs": "..trials.trial_costs",
            "explained_compactions": ".output.recorded_text",
            "explained_json": "..presentation.recorded_page",
            "explained_lines": ".output.recorded_text",
            "named_musts": ".musts",
            "replay_costs": "..trials.trial_costs",
            "sweep_costs": "..trials.trial_costs",
        },
    )
