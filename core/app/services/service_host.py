"""The services behind a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.app.events import Event
from core.app.rpc import services_by_name
from core.app.services.ask import AskService
from core.app.services.compare import CompareService, SweepService
from core.app.services.export import ExportService
from core.app.services.folder import FolderService
from core.app.services.inspector import InspectorService
from core.app.services.lists import MessageListService, PanelService
from core.app.services.musts import MustService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.prompts import PromptService
from core.app.services.repair import RepairService
from core.app.services.replay import ReplayService
from core.app.services.sessions import SessionService
from core.app.services.settings import ProfileService, SettingsService
from core.app.services.side_by_side import SideBySideService
from core.app.services.tune import TuneService
from core.app.services.undo import UndoService
from core.app.workspace import Workspace


class ServiceHost(Workspace):
    """A workspace with its services. ``interrupted`` returns why the current work should end."""

    def __init__(
        self, emit: Callable[[Event], None], interrupted: Callable[[], str]
    ) -> None:
        super().__init__(emit, interrupted)
        previews, profiles = PreviewService(self), ProfileService(self)
        musts = MustService(self)
        inspector, lists, ask = (
            InspectorService(self, musts),
            MessageListService(self),
            AskService(self),
        )
        over_workspace = (
            *(OpenService, PromptService, ExportService),
            *(
                SessionService,
                CompareService,
                ReplayService,
                SweepService,
                FolderService,
                SideBySideService,
            ),
            *(RepairService, TuneService, UndoService),
        )
        over_services = (
            SettingsService(self, previews, profiles),
            PanelService(self, inspector, lists, ask),
        )
        services = (previews, profiles, musts, inspector, lists, ask, *over_services)
        self.services: Mapping[str, object] = services_by_name(
            *services, *(service(self) for service in over_workspace)
        )
