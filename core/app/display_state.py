"""What a window shows, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.app.open_file import OpenFile
from core.app.view_state import ViewState
from core.presentation.lists.side_rows import with_plan
from core.presentation.model import Notice
from core.presentation.preview_status import sends_to
from core.presentation.screen import (
    preview_screen,
    put_back,
    summary_text,
    with_outdated_summary,
)
from core.presentation.screen_model import Screen
from core.preview.options import Preview

if TYPE_CHECKING:
    from core.presentation.tuning_panel import SettingsChange


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayState:
    """What a window shows; the workspace replaces it as a whole.

    ``preview`` is None until one of ``file`` could be made, and ``screen`` is what the window was
    sent of it. ``view`` is what the preview is computed from, and may hold pins that only the next
    one will have. ``change`` is the last change of settings, ``run`` the run whose result the
    window shows, "" for none; ``notices`` belong to the last step. ``generation`` grows with every
    replacement that the window can see. While the window shows a provisional preview, or a result
    that is not the strategy's, ``over`` is the state that the next change starts from."""

    file: OpenFile | None = None
    view: ViewState = field(default_factory=ViewState)
    preview: Preview | None = None
    change: SettingsChange | None = None
    run: str = ""
    notices: tuple[Notice, ...] = ()
    generation: int = 0
    screen: Screen | None = None
    over: DisplayState | None = None

    @property
    def settled(self) -> DisplayState:
        """What the next change starts from: nothing provisional, and the strategy's own result."""
        if self.over is None:
            return self
        return replace(self.over, generation=self.generation)

    @property
    def exported(self) -> Preview | None:
        """What an export writes: nothing provisional, but another result than the strategy's where
        one is shown."""
        is_beside = self.preview is not None and self.preview.result.result_source
        if is_beside:
            return self.preview
        return self.settled.preview

    def with_view(self, view: ViewState) -> DisplayState:
        """Return the same with another view, which its preview does not follow yet."""
        if self.over is None:
            over = None
        else:
            over = replace(self.over, view=view)
        return replace(self, view=view, over=over)

    @property
    def has_stale_summary(self) -> bool:
        """Whether a model wrote a summary, but for other settings."""
        if (
            self.file is None
            or self.preview is None
            or self.preview.summary.provisional
        ):
            return False
        return self.preview.summary.unwritten and bool(self.file.written)

    @property
    def outdated_summary(self) -> str:
        """The summary that a model wrote last, where the preview has another one to be written."""
        if self.file is None or not self.has_stale_summary:
            return ""
        return summary_text(
            next(reversed(self.file.written.values())).result.compaction
        )


def display_screen(display: DisplayState, price: str) -> Screen:
    """Return the screen of what is shown; ``price`` is that of a compaction, "" where no model
    writes."""
    file, preview = display.file, display.preview
    assert file is not None
    assert preview is not None
    screen = preview_screen(
        preview,
        file.rows(preview),
        file.recorded(preview),
        display.run,
        file.context_tokens(preview),
        price,
    )
    screen = replace(
        screen,
        aligned=replace(
            with_outdated_summary(screen.aligned, display.outdated_summary),
            put_back=put_back(preview.result.compaction)
            if display.view.restored
            else frozenset(),
        ),
        generation=display.generation,
        history=replace(screen.history, choices=display.view.runs),
        request=replace(
            screen.request,
            profile=preview.summary.profile.name,
            sends_to=sends_to(preview.summary.profile, price),
            stale=display.has_stale_summary,
        ),
    )
    return with_plan(screen)
