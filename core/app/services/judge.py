"""Asks a model what reworded sentences still say: price first, then call by call."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.presenters import Presenter
from core.app.rpc import remote
from core.app.services.quiz import QuizWorkspace, model_client
from core.common.errors import InputError

if TYPE_CHECKING:
    from core.analysis.judge.asking import JudgeProgress
    from core.analysis.judge.model import JudgeQuestion
    from core.llm.client import CallObserver
    from core.settings.profile import Profile


class JudgeService:
    def __init__(self, workspace: QuizWorkspace) -> None:
        self._workspace = workspace

    @remote(latest=True, of_file=True)
    def offer(self) -> str:
        """Return how many sentences of the shown result a model can be asked about, and at what
        price; "" where there are none. Nothing is called."""
        from core.presentation.judge_page import judge_offer

        return judge_offer(self.plan())

    @remote(latest=True, of_file=True, presenter=Presenter.JUDGE)
    def questions(self, calibrates: bool) -> Generator[JudgeProgress, None, None]:
        """Yield what would be asked about the shown result, and what the model said of it; nothing
        is called. ``calibrates``: the price includes that of the shipped pairs."""
        from core.analysis.judge.calibration import calibration_questions
        from core.analysis.requested_analyses import requested_analyses

        found = self.plan()
        known = requested_analyses(found.preview, self._workspace.analysis_input().stages).judged
        if known is not None and known.profile == found.profile:
            found = replace(found, judgements=known.judgements)
        if calibrates:
            found = replace(found, price=found.price + self.plan(calibration_questions()).price)
        yield found

    @remote(latest=True, of_file=True, presenter=Presenter.JUDGE)
    def run(self, calibrates: bool) -> Generator[JudgeProgress, None, None]:
        """Ask the active profile's model; yield after each call. ``calibrates``: the shipped pairs
        first."""
        from core.analysis.judge.calibration import known_calibration
        from core.presentation.judge_page import judge_obstacle

        found = self.plan()
        if reason := judge_obstacle(found):
            raise InputError(reason)
        if calibrates:
            yield from self._calibrate()
            found = replace(found, calibration=known_calibration(found.profile))
        yield from self.ask(found)

    def _calibrate(self) -> Generator[JudgeProgress, None, None]:
        """Put the shipped pairs to the model and remember how it did; yield after each answer."""
        from core.analysis.judge.calibration import calibration_questions, remember_calibration

        for found in self.ask(self.plan(calibration_questions())):
            if not found.is_over:
                yield found
        remember_calibration(found.profile, found.judgements)

    def plan(
        self, questions: tuple[JudgeQuestion, ...] | None = None, profile: Profile | None = None
    ) -> JudgeProgress:
        """Return the questions, by default those about the shown result, and their price.
        ``profile`` judges; by default the active one."""
        from core.analysis.judge.asking import JudgeProgress, judge_price, judge_secrets
        from core.analysis.judge.calibration import known_calibration
        from core.analysis.judge.questions import judge_questions
        from core.analysis.losses.losses_of import losses_of

        preview, profile = (
            self._workspace.shown_preview(),
            profile or self._workspace.active_profile,
        )
        source = self._workspace.analysis_input()
        if questions is None:
            losses = losses_of(preview, source.stages, source.options.progress)
            questions = judge_questions(preview, losses, source.options.progress)
        price = judge_price(questions, profile)
        return JudgeProgress(
            preview=preview,
            profile=profile,
            questions=questions,
            price=price,
            secrets=judge_secrets(questions, profile),
            calibration=known_calibration(profile),
        )

    def ask(
        self, found: JudgeProgress, observer: CallObserver | None = None
    ) -> Generator[JudgeProgress, None, None]:
        """Ask what the user has agreed to; yield before it and after each call. Judgements of the
        shown result are kept beside it. Raises InputError where a key is missing."""
        from core.analysis.judge.asking import judge
        from core.analysis.judge.calibration import calibration_questions
        from core.analysis.requested_analyses import remember_judged
        from core.app.open_file import configured_retries

        retries = configured_retries(found.preview)
        client = model_client(found.profile, retries, self._workspace.is_cancelled, observer)
        stages = self._workspace.analysis_input().stages
        is_shown = found.questions != calibration_questions()
        found = replace(found, judgements=(), is_over=False)
        yield found
        try:
            for judgement in judge(
                found.questions, client, found.calibration if is_shown else None
            ):
                found = replace(found, judgements=(*found.judgements, judgement))
                yield found
        finally:  # what was paid for is shown after a cancel
            found = replace(found, is_over=True)
            if is_shown:
                remember_judged(found, stages)
        yield found
