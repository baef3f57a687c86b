"""A worker's handler that answers with made-up screens, so that the window runs on a real worker without
core."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from core.app.events import CompactionRequest, OpenRequest, ReadingProgressEvent
from core.app.rpc import remote, services_by_name
from core.app.services.export import ExportAnswer
from core.app.worker import EventEmitter, InterruptReason
from core.common.errors import Cancelled, InputError
from core.presentation.dialog_model import (
    CompletionList,
    ExportRequest,
    ProfileRow,
    ProfilesPage,
    SecretsCount,
    SettingsPage,
)
from core.presentation.inspector_model import (
    DecayPage,
    FidelityPage,
    MessageBody,
    ProbeOffer,
    SummaryPage,
    WhyPage,
)
from core.presentation.model import (
    ChecksPage,
    Notice,
    NoticeAction,
    PickerChoice,
    RowsReadEvent,
    StatusPage,
    TuningPage,
)
from core.presentation.prompt_model import PromptPage, PromptPlace
from core.presentation.row_filter import UserMarks
from core.settings.schema import SettingChanges, SettingValue
from tests.gui.fake_pages import completions, profiles_page, settings_page
from tests.gui.fake_panel import effect, groups, lint, status
from tests.gui.fake_prompts import fake_page
from tests.gui.fakes import fake_body, fake_opened, fake_screen, fake_why

_SERVICES = ("OpenService", "PreviewService", "InspectorService", "ProbeService", "SideBySideService")


class SettingsService:
    @remote(latest=True)
    def page(self) -> SettingsPage:
        return settings_page()

    @remote()
    def save(self, values: object) -> None: ...

    @remote()
    def run_line(self, text: str) -> None: ...

    @remote(latest=True)
    def completions(self, text: str, cursor: int) -> CompletionList:
        return completions(text)


class ProfileService:
    @remote(latest=True)
    def page(self) -> ProfilesPage:
        return profiles_page()

    @remote()
    def use(self, name: str) -> None: ...

    @remote()
    def test(self, row: ProfileRow) -> Notice:
        return Notice("info", f"{row.name} answered", "in 0.8 s.")


class PromptService:
    @remote(latest=True)
    def page(self, place: PromptPlace, text: str | None, seen: object) -> PromptPage:
        return fake_page()


class ExportService:
    @remote()
    def export(self, request: ExportRequest) -> ExportAnswer:
        path = Path(request.path)
        if path.exists() and not request.overwrite:
            return ExportAnswer()
        path.write_text(request.format)
        link = NoticeAction("Open it", "open", request.path)
        return ExportAnswer(
            (Notice("warning", f"Wrote {path.name}.", "2 secrets.", (link,), topic="export"),)
        )

    @remote()
    def count_secrets(self, request: ExportRequest) -> SecretsCount:
        return SecretsCount(3, "3 secrets stay.", "3 secrets go.")


class MessageListService:
    @remote()
    def marks(self) -> UserMarks:
        return UserMarks()


class FakeHandler:
    """Opens any path without "bad" in it; knows two strategies."""

    def __init__(self, emit: EventEmitter, interrupted: InterruptReason) -> None:
        self.services: Mapping[str, object] = {
            **services_by_name(
                SettingsService(), ProfileService(), PromptService(), ExportService(), MessageListService()
            ),
            **dict.fromkeys(_SERVICES, self),
        }
        self._emit = emit
        self._interrupted = interrupted
        self._values: dict[str, SettingValue | None] = {}
        self._generation = 0

    @remote(latest=True, interrupts=True)
    def change(self, values: SettingChanges = (), draft: bool = False) -> None:
        self._values |= dict(values)
        self._show(draft=draft)

    @remote()
    def offer(self) -> ProbeOffer:
        return ProbeOffer("Ask a model…", "")

    @remote()
    def rounds(self) -> Iterator[DecayPage]:
        yield DecayPage()

    @remote()
    def undo(self) -> None:
        self._values.clear()
        self._show()

    @remote()
    def compact(self, request: CompactionRequest) -> None:
        self._emit(Notice("info", "compact", "done"))

    @remote()
    def set_scope(self, scope: str) -> None:
        self._emit(Notice("info", "set_scope", "done"))

    @remote()
    def set_model(self, model: str) -> None:
        self._emit(Notice("info", "set_model", "done"))

    @remote()
    def restore_run(self, number: str) -> None:
        self._emit(Notice("info", "restore_run", "done"))

    @remote()
    def restore_message(self, index: int, back: bool = True) -> None:
        self._emit(Notice("info", "restore_message", "done"))

    @remote()
    def recorded(self, number: int) -> None:
        self._emit(Notice("info", "recorded", "done"))

    @remote()
    def file(self, path: str) -> None:
        self._emit(Notice("info", "file", "done"))

    @remote()
    def reload(self) -> None:
        self._emit(Notice("info", "reload", "done"))

    @remote(latest=True, opens_file=True)
    def open(self, command: OpenRequest) -> None:
        if "bad" in command.path:
            raise InputError("bad.jsonl is not a transcript.", "Try another file.")
        self._emit(ReadingProgressEvent(0.5, "206 of ≈412 lines"))
        name = Path(command.path).name
        strategies = (PickerChoice("middle-out", "middle-out"), PickerChoice("high-density", "high-density"))
        self._emit(replace(fake_opened(), path=command.path, name=name, strategies=strategies))
        if "half" in command.path:
            self._wait()
        self._show()

    def _wait(self) -> None:
        """Send the rows of a file, then wait until the reading is cancelled."""
        self._generation += 1
        self._emit(RowsReadEvent(self._generation, 0, fake_screen().before))
        while self._interrupted() != "cancel":
            time.sleep(0.005)
        raise Cancelled

    @remote()
    def body(self, side: str, index: int, is_whole: bool = False) -> MessageBody:
        return replace(fake_body(), side=side, index=index, title=f"#{index + 1} tool")

    @remote()
    def explain_cut(self, name: str) -> WhyPage:
        return fake_why()

    @remote()
    def fidelity(self) -> FidelityPage:
        raise Cancelled

    @remote()
    def summary(self, place: int) -> SummaryPage:
        return SummaryPage(place, "", "", ())

    @remote()
    def check_summaries(self) -> SummaryPage:
        return SummaryPage(-1, "", "", ())

    @remote(latest=True)
    def tuning(self) -> Iterator[TuningPage]:
        yield TuningPage(groups(self._strategy), effect())

    @remote(latest=True)
    def checks(self) -> Iterator[ChecksPage]:
        yield ChecksPage("anthropic", lint())

    @remote(latest=True)
    def status(self) -> Iterator[StatusPage]:
        link = NoticeAction("Other strategies", "strategy", "high-density")
        notices = (Notice("info", "Nothing to compact.", "Under the target.", (link,)),)
        yield StatusPage(status(), notices if self._values.get("compression.mode") else ())

    @property
    def _strategy(self) -> str:
        return str(self._values.get("compression.strategy") or "middle-out")

    def _show(self, *, draft: bool = False) -> None:
        self._generation += 1
        self._emit(
            replace(
                fake_screen(self._strategy),
                generation=self._generation,
                draft=draft,
                can_undo=bool(self._values),
            )
        )
