"""What few previews need: lines put back, and the rules of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.strategies.density.optimize import (
        incremental_optimize as incremental_optimize,
    )
    from core.strategies.excerpt_units import PUT_BACK_LINES as PUT_BACK_LINES
    from core.strategies.excerpt_units import Supplement as Supplement
    from core.strategies.excerpt_units import chosen_lines as chosen_lines
    from core.strategies.excerpt_units import supplement as supplement
    from core.strategies.excerpt_units import with_supplement as with_supplement
    from core.strategies.hybrid_agent import METADATA as METADATA
    from core.strategies.hybrid_agent import PROMPT as PROMPT
    from core.strategies.hybrid_agent import (
        estimate_first_round as estimate_first_round,
    )
    from core.strategies.hybrid_agent import is_agent as is_agent
    from core.strategies.hybrid_agent import max_round_tokens as max_round_tokens
else:
    __getattr__ = late_names(
        __package__,
        {
            "METADATA": "..strategies.hybrid_agent",
            "PROMPT": "..strategies.hybrid_agent",
            "PUT_BACK_LINES": "..strategies.excerpt_units",
            "Supplement": "..strategies.excerpt_units",
            "chosen_lines": "..strategies.excerpt_units",
            "estimate_first_round": "..strategies.hybrid_agent",
            "incremental_optimize": "..strategies.density.optimize",
            "is_agent": "..strategies.hybrid_agent",
            "max_round_tokens": "..strategies.hybrid_agent",
            "supplement": "..strategies.excerpt_units",
            "with_supplement": "..strategies.excerpt_units",
        },
    )
