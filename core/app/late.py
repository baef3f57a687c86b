"""What the worker and the services of commands need later than at their start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.analysis.live_sessions import SessionWatch as SessionWatch
    from core.analysis.live_sessions import measure_live as measure_live
    from core.analysis.live_sessions import recent_sessions as recent_sessions
    from core.losses.losses_of import losses_of as losses_of
    from core.presentation.lists.row_texts import message_rows as message_rows
    from core.presentation.lists.row_texts import with_counts as with_counts
    from core.presentation.session_rows import last_message_text as last_message_text
    from core.summarize.model_summariser import model_factories as model_factories
else:
    __getattr__ = late_names(
        __package__,
        {
            "SessionWatch": "..analysis.live_sessions",
            "last_message_text": "..presentation.session_rows",
            "losses_of": "..losses.losses_of",
            "measure_live": "..analysis.live_sessions",
            "message_rows": "..presentation.lists.row_texts",
            "model_factories": "..summarize.model_summariser",
            "recent_sessions": "..analysis.live_sessions",
            "with_counts": "..presentation.lists.row_texts",
        },
    )
