"""What the panels around the lists show of the preview. Each asks again when the preview has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.app.rpc import remote
from core.presentation.model import ChecksPage, StatusPage, TuningPage

if TYPE_CHECKING:
    from core.app.session import Session
    from core.preview.options import Preview


class PanelService:
    """Each method yields what is known at once, and again with the checks, which a newer setting cancels."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @remote(latest=True, of_file=True)
    def tuning(self) -> Iterator[TuningPage]:
        """Yield the controls, and the effect of the last change."""
        from core.presentation.preview_columns import preview_columns
        from core.presentation.tuning.change_effects import change_effect
        from core.presentation.tuning.panel import control_groups

        session, file = self._session, self._session.opened_file()
        for preview in self._previews():
            columns, change = preview_columns(preview), session.shown_change
            scores = [file.known_score(one) for one in (change.previous if change else None, preview)]
            effect = change_effect(columns, change, scores)
            yield TuningPage(control_groups(columns, session.shown_layers), effect)

    @remote(latest=True, of_file=True)
    def checks(self) -> Iterator[ChecksPage]:
        """Yield what each API would refuse; nothing while it is not known."""
        from core.presentation.status_bar import lint_reports

        for preview in self._previews():
            yield ChecksPage(self._session.provider, lint_reports(preview))

    @remote(latest=True, of_file=True)
    def status(self) -> Iterator[StatusPage]:
        """Yield the parts of the status bar, and the notices on the preview."""
        from core.presentation.notices import preview_notices, stale_notices
        from core.presentation.status_bar import status_parts

        session = self._session
        for preview in self._previews():
            yield StatusPage(
                status_parts(preview, session.opened_file().context_tokens(preview), session.provider),
                (
                    *session.shown_notices,
                    *(stale_notices() if session.has_stale_summary(preview) else ()),
                    *preview_notices(preview, session.provider),
                ),
            )

    def _previews(self) -> Iterator[Preview]:
        """Yield the shown preview, and again with its checks; a draft has those of the last whole one."""
        session, file = self._session, self._session.opened_file()
        shown, last = session.shown_preview(), file.last_full_preview
        if shown.draft:
            yield shown if last is None else replace(shown, marginals=last.marginals, lint=last.lint)
            return
        if shown.lint or not file.checks_are_known(shown):
            yield shown
        if not shown.lint:
            checked = file.checked(shown, session.reporter(stops_for_newer=True).working)
            if file.shown is shown:
                file.show(checked)
            yield checked
