"""The service that asks a model about a result: do reworded sentences still say the same, and does
it find the facts? It gives the price first, then the answers call by call."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from core.app.open_file import configured_retries
from core.app.services.service import AnalysisWorkspace
from core.common.errors import InputError
from core.llm.client import LLMClient
from core.llm.credentials import find_key
from core.llm.pricing import RunCostEstimate
from core.losses.judge import (
    JudgeProgress,
    calibration_questions,
    judge,
    judge_price,
    judge_secrets,
    remember_calibration,
    stored_calibration,
)
from core.losses.judge_questions import find_questions, judge_questions
from core.losses.losses_of import losses_of, source_facts
from core.presentation.losses_page import ask_obstacle, ask_offer
from core.trials.requested_analyses import remember_judged, requested_analyses

if TYPE_CHECKING:
    from core.llm.client import CallObserver
    from core.losses.judge_questions import JudgeQuestion
    from core.preview.options import Preview
    from core.settings.profile import Profile


class AskWorkspace(AnalysisWorkspace, Protocol):
    """An open conversation with a preview, and the profile that answers."""

    @property
    def active_profile(self) -> Profile: ...

    def displayed_preview(self) -> Preview: ...

    def is_cancelled(self) -> bool: ...


def model_client(
    profile: Profile,
    retries: int,
    cancelled: Callable[[], bool],
    observer: CallObserver | None = None,
) -> LLMClient:
    """Return what calls a profile's model; ``observer`` hears of each call. Raises InputError where
    a key is missing."""
    observer = observer or (lambda _: None)
    return LLMClient(
        profile,
        find_key(profile),
        retries=retries,
        observer=observer,
        cancelled=cancelled,
    )


class AskService:
    def __init__(self, workspace: AskWorkspace) -> None:
        self._workspace = workspace

    def offer(self) -> str:
        """Return what a model can be asked about the shown result, and at what price; "" where
        there is nothing. Nothing is called."""
        return ask_offer(self.plan())

    def questions(self, calibrates: bool) -> Generator[JudgeProgress, None, None]:
        """Yield what would be asked about the shown result, and what the model said of it; nothing
        is called. ``calibrates``: the price includes that of the shipped pairs."""
        found = self.plan()
        known = requested_analyses(
            found.preview, self._workspace.analysis_input().stages
        ).judged
        if known is not None and known.profile == found.profile:
            found = replace(found, judgements=known.judgements)
        if calibrates:
            found = replace(
                found, price=found.price + self.plan(calibration_questions()).price
            )
        yield found

    def run(self, calibrates: bool) -> Generator[JudgeProgress, None, None]:
        """Ask the active profile's model; yield after each call. ``calibrates``: the shipped pairs
        first."""
        found = self.plan()
        if reason := ask_obstacle(found):
            raise InputError(reason)
        if calibrates:
            yield from self._calibrate()
            found = replace(found, calibration=stored_calibration(found.profile))
        yield from self.ask(found)

    def _calibrate(self) -> Generator[JudgeProgress, None, None]:
        """Put the shipped pairs to the model and remember how it did; yield after each answer."""
        for found in self.ask(self.plan(calibration_questions())):
            if not found.is_over:
                yield found
        remember_calibration(found.profile, found.judgements)

    def plan(
        self,
        questions: tuple[JudgeQuestion, ...] | None = None,
        profile: Profile | None = None,
    ) -> JudgeProgress:
        """Return the questions, by default all about the shown result, and their price; those that
        no model is chosen for have none. ``profile`` answers; by default the active one."""
        preview = self._workspace.displayed_preview()
        profile = profile or self._workspace.active_profile
        if questions is None:
            questions = (*self.reworded(), *self._finds())
        found = JudgeProgress(
            preview=preview,
            profile=profile,
            questions=questions,
            price=RunCostEstimate(),
            secrets=0,
            calibration=stored_calibration(profile),
        )
        if profile.is_offline:
            return found
        price = judge_price(questions, profile)
        return replace(found, price=price, secrets=judge_secrets(questions, profile))

    def reworded(self) -> tuple[JudgeQuestion, ...]:
        """Return the questions about sentences of the shown result: do they say the same."""
        preview = self._workspace.displayed_preview()
        source = self._workspace.analysis_input()
        losses = losses_of(preview, source.stages, source.options.progress)
        return judge_questions(preview, losses, source.options.progress)

    def _finds(self) -> tuple[JudgeQuestion, ...]:
        """Return the questions that are answered from the shown result: does a model find it; none
        before its summary is written."""
        preview = self._workspace.displayed_preview()
        source = self._workspace.analysis_input()
        if not losses_of(preview, source.stages, source.options.progress).is_written:
            return ()
        facts = source_facts(preview, source.stages, source.options.progress)
        compaction = preview.written_compaction
        return find_questions(facts, compaction.fates, compaction.messages)

    def ask(
        self, judged: JudgeProgress, observer: CallObserver | None = None
    ) -> Generator[JudgeProgress, None, None]:
        """Ask what the user has agreed to; yield before it and after each call. Judgements of the
        shown result are kept beside it. Raises InputError where a key is missing."""
        retries = configured_retries(judged.preview)
        client = model_client(
            judged.profile, retries, self._workspace.is_cancelled, observer
        )
        stages = self._workspace.analysis_input().stages
        is_shown = judged.questions != calibration_questions()
        judged = replace(judged, judgements=(), is_over=False)
        yield judged
        try:
            for judgement in judge(
                judged.questions, client, judged.calibration if is_shown else None
            ):
                judged = replace(judged, judgements=(*judged.judgements, judgement))
                yield judged
        finally:  # what was paid for is shown after a cancel
            judged = replace(judged, is_over=True)
            if is_shown:
                remember_judged(judged, stages)
        yield judged
