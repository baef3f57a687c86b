"""The services behind a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.app.events import Event
from core.app.rpc import services_by_name
from core.app.services.compare import CompareService
from core.app.services.decay import DecayService
from core.app.services.export import ExportService
from core.app.services.folder import FolderService
from core.app.services.inspector import InspectorService
from core.app.services.lists import MessageListService
from core.app.services.opening import OpenService
from core.app.services.panels import PanelService
from core.app.services.pins import PinService
from core.app.services.preview import PreviewService
from core.app.services.probes import ProbeService
from core.app.services.profiles import ProfileService
from core.app.services.prompt_trials import PromptTrials
from core.app.services.prompts import PromptService
from core.app.services.replay import ReplayService
from core.app.services.sessions import SessionService
from core.app.services.settings import SettingsService
from core.app.services.strategy_cards import StrategyCardService
from core.app.services.sweep import SweepService
from core.app.session import Session


class ServiceHost(Session):
    """A session with its services. ``interrupted`` returns why the current work should end
    (core.app.progress)."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        super().__init__(emit, interrupted)
        previews, profiles, lists = PreviewService(self), ProfileService(self), MessageListService(self)
        self.services: Mapping[str, object] = services_by_name(
            OpenService(self),
            previews,
            PanelService(self),
            SessionService(self.reporter(stops_for_newer=True)),
            SettingsService(self, previews, profiles),
            profiles,
            PromptService(self, PromptTrials(emit, self.model_runs)),
            CompareService(self),
            StrategyCardService(self),
            ReplayService(self),
            SweepService(self),
            FolderService(self),
            DecayService(self),
            ProbeService(self),
            ExportService(self),
            InspectorService(self),
            lists,
            PinService(self, lists),
        )
