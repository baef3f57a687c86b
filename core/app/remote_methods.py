"""The services of the worker and the methods that the window calls, by name.

The window imports the services from here: for the type checker they are the classes themselves,
at run time only names, because their modules load what the window must not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.app.services.ask import AskService as AskService
    from core.app.services.compare import CompareService as CompareService
    from core.app.services.compare import ReplayService as ReplayService
    from core.app.services.compare import SweepService as SweepService
    from core.app.services.export import ExportService as ExportService
    from core.app.services.folder import FolderService as FolderService
    from core.app.services.inspector import InspectorService as InspectorService
    from core.app.services.inspector import MustService as MustService
    from core.app.services.lists import MessageListService as MessageListService
    from core.app.services.lists import PanelService as PanelService
    from core.app.services.preview import OpenService as OpenService
    from core.app.services.preview import PreviewService as PreviewService
    from core.app.services.prompts import PromptService as PromptService
    from core.app.services.repair import RepairService as RepairService
    from core.app.services.sessions import SessionService as SessionService
    from core.app.services.settings import ProfileService as ProfileService
    from core.app.services.settings import SettingsService as SettingsService
    from core.app.services.side_by_side import SideBySideService as SideBySideService
    from core.app.services.tune import TuneService as TuneService
    from core.app.services.undo import UndoService as UndoService
else:

    def __getattr__(name: str) -> object:
        if name not in SERVICES:
            raise AttributeError(f"There is no service {name}.")
        methods = SERVICES[name].methods
        names = {one: SimpleNamespace(__qualname__=f"{name}.{one}") for one in methods}
        return SimpleNamespace(**names)


@dataclass(frozen=True, slots=True)
class RemoteOptions:
    """How calls of a method are treated.

    ``latest``: a newer call replaces an older one of the same caller. ``of_file``: opening another
    file ends it. ``interrupts``: while it waits, running work that stops for newer settings is
    cancelled. ``opens_file``: while it waits, all running work is cancelled. ``reads``: it changes
    nothing that is shown, so it runs while another call waits for its model. ``presenter`` names
    the function in ``core.presentation`` that makes for the window of each value that the method
    yields ("session_rows.sessions_page"); without one it gets the values as they are.
    """

    latest: bool = False
    of_file: bool = False
    interrupts: bool = False
    opens_file: bool = False
    reads: bool = False
    presenter: str = ""

    def shown_by(self, presenter: str) -> RemoteOptions:
        return replace(self, presenter=presenter)


ANY_TIME = RemoteOptions()
LATEST = RemoteOptions(latest=True)
OF_FILE = RemoteOptions(of_file=True)
LATEST_OF_FILE = RemoteOptions(latest=True, of_file=True)
READING = RemoteOptions(latest=True, of_file=True, reads=True)


@dataclass(frozen=True, slots=True)
class ServiceEntry:
    """A service: its module in ``core.app.services``, the methods that the window calls, and the
    services that it is made with. Of those that it needs ``late`` it gets a function, so that they
    are loaded only when it calls them."""

    module: str
    methods: Mapping[str, RemoteOptions]
    needs: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


SERVICES: dict[str, ServiceEntry] = {
    "AskService": ServiceEntry(
        "ask",
        {
            "questions": LATEST_OF_FILE.shown_by("losses_page.ask_page"),
            "run": LATEST_OF_FILE.shown_by("losses_page.ask_page"),
        },
    ),
    "CompareService": ServiceEntry(
        "compare",
        {
            "compare": LATEST_OF_FILE.shown_by("compare.pages.compare_page"),
            "compare_profiles": LATEST_OF_FILE.shown_by("compare.pages.compare_page"),
            "cards": LATEST_OF_FILE.shown_by("compare.pages.strategy_cards"),
            "aimed": LATEST_OF_FILE,
            "pair": LATEST_OF_FILE,
            "price_as": ANY_TIME,
            "save_table": OF_FILE,
        },
    ),
    "ExportService": ServiceEntry(
        "export",
        {
            "export": OF_FILE,
            "count_secrets": LATEST_OF_FILE,
        },
    ),
    "FolderService": ServiceEntry(
        "folder",
        {
            "scan": LATEST.shown_by("compare.pages.folder_page"),
            "compare": LATEST.shown_by("compare.pages.folder_page"),
            "current_state": ANY_TIME.shown_by("compare.pages.folder_page"),
            "save_table": ANY_TIME,
        },
    ),
    "InspectorService": ServiceEntry(
        "inspector",
        {
            "compacted": LATEST_OF_FILE,
            "body": READING,
            "changes": READING,
            "explain_cut": READING,
            "explain_run": READING,
            "explain_recorded": READING,
            "losses": READING,
            "rounds": LATEST_OF_FILE,
            "summary": READING,
            "check_summaries": READING,
        },
        ("MustService",),
        late=("CompareService",),
    ),
    "MessageListService": ServiceEntry(
        "lists",
        {
            "marks": READING,
            "toggle_mark": OF_FILE,
            "set_pin": OF_FILE,
            "pin_messages": OF_FILE,
            "filter": READING,
            "copy": RemoteOptions(of_file=True, reads=True),
            "name_run": ANY_TIME,
        },
    ),
    "MustService": ServiceEntry(
        "inspector",
        {
            "add": OF_FILE,
            "add_message": OF_FILE,
            "remove": OF_FILE,
        },
    ),
    "OpenService": ServiceEntry(
        "preview",
        {
            "open": RemoteOptions(latest=True, opens_file=True),
            "choices": LATEST_OF_FILE,
            "reload": OF_FILE,
        },
    ),
    "PanelService": ServiceEntry(
        "lists",
        {
            "pages": READING,
            "studies": LATEST_OF_FILE,
        },
        (
            "InspectorService",
            "MessageListService",
            "AskService",
        ),
    ),
    "PreviewService": ServiceEntry(
        "preview",
        {
            "change": RemoteOptions(latest=True, interrupts=True),
            "use_strategy": RemoteOptions(latest=True, of_file=True, interrupts=True),
            "use_program": RemoteOptions(latest=True, of_file=True, interrupts=True),
            "use_trial": RemoteOptions(latest=True, of_file=True, interrupts=True),
            "set_scope": ANY_TIME,
            "set_model": ANY_TIME,
            "set_focus": OF_FILE,
            "set_aim": OF_FILE,
            "set_every_turn": OF_FILE,
            "undo": OF_FILE,
            "redo": OF_FILE,
            "restore_message": OF_FILE,
            "add_excerpts": OF_FILE,
            "add_line": OF_FILE,
            "restore_run": OF_FILE,
            "compact": OF_FILE,
        },
        late=("CompareService",),
    ),
    "ProfileService": ServiceEntry(
        "settings",
        {
            "page": LATEST,
            "use": ANY_TIME,
            "choose_summary_profile": ANY_TIME,
            "save": ANY_TIME,
            "delete": ANY_TIME,
            "test": ANY_TIME,
        },
    ),
    "PromptService": ServiceEntry(
        "prompts",
        {
            "page": LATEST,
            "save": ANY_TIME,
            "revert": ANY_TIME,
            "try_prompt": OF_FILE,
        },
    ),
    "RepairService": ServiceEntry(
        "repair",
        {
            "repair": OF_FILE,
        },
    ),
    "ReplayService": ServiceEntry(
        "compare",
        {
            "replay": LATEST_OF_FILE.shown_by("compare.pages.replay_page"),
            "save_table": OF_FILE,
        },
    ),
    "SessionService": ServiceEntry(
        "sessions",
        {
            "sessions": LATEST.shown_by("session_rows.sessions_page"),
            "live": LATEST.shown_by("session_rows.live_row"),
            "last_message": LATEST,
        },
    ),
    "SettingsService": ServiceEntry(
        "settings",
        {
            "page": LATEST,
            "save": ANY_TIME,
            "run_line": ANY_TIME,
            "completions": LATEST,
        },
        (
            "PreviewService",
            "ProfileService",
        ),
    ),
    "SideBySideService": ServiceEntry(
        "side_by_side",
        {
            "results": OF_FILE,
            "turn": OF_FILE,
            "runs": OF_FILE,
            "recorded": OF_FILE,
            "file": OF_FILE,
            "repaired": OF_FILE,
        },
    ),
    "SweepService": ServiceEntry(
        "compare",
        {
            "sweep": LATEST_OF_FILE.shown_by("compare.pages.sweep_page"),
            "save_table": OF_FILE,
        },
    ),
    "TuneService": ServiceEntry(
        "tune",
        {
            "choose": LATEST.shown_by("compare.tune_page.tune_page"),
            "tune": LATEST.shown_by("compare.tune_page.tune_page"),
            "current_state": ANY_TIME.shown_by("compare.tune_page.tune_page"),
            "save_file": ANY_TIME,
            "save_table": ANY_TIME,
        },
    ),
    "UndoService": ServiceEntry(
        "undo",
        {
            "undo": OF_FILE,
        },
    ),
}


def options_of(method: str) -> RemoteOptions:
    """Return how calls of a method ("SessionService.sessions") are treated; LookupError for one
    that the window cannot call."""
    service, _, name = method.partition(".")
    if service not in SERVICES or name not in SERVICES[service].methods:
        raise LookupError(f"{method} cannot be called from the window.")
    return SERVICES[service].methods[name]


def load_presenter(name: str) -> Callable[[Any], Any]:
    """Return the presenter of a name."""
    module, _, function = name.rpartition(".")
    return _loaded(f"...presentation.{module}", function)


class LoadedServices(dict[str, object]):
    """The services over a workspace by name; each is loaded when it is first asked for."""

    def __init__(self, workspace: object) -> None:
        self._workspace = workspace

    def __missing__(self, name: str) -> object:
        entry = SERVICES[name]
        needed = [self[one] for one in entry.needs]
        late = [partial(self.__getitem__, one) for one in entry.late]
        make = _loaded(f"..services.{entry.module}", name)
        service = self[name] = make(self._workspace, *needed, *late)
        return service


def _loaded(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(module, __name__), name)
    return found
