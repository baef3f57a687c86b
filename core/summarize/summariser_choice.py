"""Selects the offline summariser or a given text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from core.common.errors import InputError
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse
from core.settings.profile import OFFLINE
from core.transcript.model import Progress, no_progress

GIVEN_TEXT_PROFILE = (
    "given"  # profile name shown where a text was given instead of a summary
)
SummariserFactory = Callable[[str | None], Summariser]
"""Returns the summariser of a profile; None means the active one."""


@dataclass(frozen=True, slots=True)
class FixedSummariser:
    """A summariser that returns a text from elsewhere (``--summary-file``); ``unjudged`` as in the
    response."""

    text: str
    unjudged: bool = False
    profile: str = GIVEN_TEXT_PROFILE
    model: str = "text from a file"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        return SummaryResponse(text=self.text, unjudged=self.unjudged)


@dataclass(frozen=True, slots=True)
class PlaceholderSummariser:
    """A placeholder for a summary not yet written: one character, counted at the budget."""

    profile: str = OFFLINE
    model: str = "not written yet"

    def summarise(self, request: SummaryRequest) -> SummaryResponse:
        return SummaryResponse(text="…", unwritten=True)


def summariser_factory(
    fixed_text: str | None,
    count: Callable[[str], int],
    progress: Progress = no_progress,
    *,
    takes_any: bool = False,
) -> SummariserFactory:
    """Return a factory of the offline summariser, or of ``fixed_text`` in place of its summaries,
    which is not judged where ``takes_any``."""

    @cache
    def offline() -> Summariser:
        from core.summarize.offline_summariser import (
            OfflineSummariser,
        )  # late: a provisional preview has no summary

        return OfflineSummariser(count, progress)

    def choose(profile: str | None) -> Summariser:
        if profile not in (None, OFFLINE):
            raise InputError(
                f"There is no profile {profile!r}.", f"Known profiles: {OFFLINE}."
            )
        if fixed_text is None:
            return offline()
        return FixedSummariser(fixed_text, takes_any)

    return choose
