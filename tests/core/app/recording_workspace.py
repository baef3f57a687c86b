"""A workspace with its services in this process, and what it tells the window."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import GeneratorType
from typing import Any, TypeVar

from core.app.events import OpenRequest
from core.app.rpc import Answer, Call, CallRunner, Failed, call_of
from core.app.services.lists import MessageListService, PanelService
from core.app.services.preview import OpenService
from core.app.services.service_host import ServiceHost
from core.app.services.settings import ProfileService
from core.app.worker import notice_of_error
from core.app.workspace import Workspace
from core.presentation.dialog_model import SettingsPage
from core.presentation.filter_query import UserMarks
from core.presentation.model import Notice, SettingControl, StatusPage, TuningPage
from core.presentation.screen_model import Screen
from core.preview.options import Preview
from core.settings.profile import Profile
from core.settings.schema import setting_text
from core.settings_store.layers import SETTINGS
from core.settings_store.profile_store import ProfileStore
from tests.support.loopback import Loopback, Reply

_T = TypeVar("_T")
BOTTOM = "compression.preserve-threshold"
STRATEGY = "compression.strategy"
LIMIT = "compression.context-limit"


def run_call(
    handler: ServiceHost, call: Call, record: Callable[[Any], object] = id
) -> None:
    """Run a call to its end; values that it answers with and its error are recorded as well."""

    def send(serial: int, answer: Answer) -> None:
        value = answer.notice if isinstance(answer, Failed) else answer.value
        if value is not None:
            record(value)

    runner = CallRunner(send, notice_of_error)
    runner.start(1, call, handler.services)
    while runner.next_serial is not None:
        runner.step()


class RecordingHandler:
    """A workspace with its services, of a file if one is given, and the events of the last call."""

    def __init__(self, path: str | Path = "") -> None:
        self.events: list[Any] = []
        self.reason = ""
        self._handler = ServiceHost(self.events.append, lambda: self.reason)
        if path:
            self(OpenService.open, OpenRequest(str(path)))

    def __call__(
        self, method: Callable[..., Any], *arguments: object, **keywords: object
    ) -> Any:
        self.events.clear()
        run_call(
            self._handler, call_of(method, *arguments, **keywords), self.events.append
        )
        return self.events[-1] if self.events else None

    def call(self, method: Callable[..., Any], *arguments: object) -> Any:
        """Call a service's method; return its result, for a generator a list of its values; errors
        raise."""
        self.events.clear()
        service, _, name = method.__qualname__.partition(".")
        result = getattr(self._handler.services[service], name)(*arguments)
        return list(result) if isinstance(result, GeneratorType) else result

    def while_waiting(self, work: Callable[[], None]) -> None:
        """Do ``work`` each time that a call looks whether its wait was cancelled."""
        self._handler.serve_reading = work

    def steps(self, method: Callable[..., Any], *arguments: object) -> Iterator[Any]:
        """Return the steps of a method that yields, for other calls between them."""
        service, _, name = method.__qualname__.partition(".")
        steps: Iterator[Any] = getattr(self._handler.services[service], name)(
            *arguments
        )
        return steps

    def screen(
        self, method: Callable[..., Any], *arguments: object, **keywords: object
    ) -> Screen:
        event = self(method, *arguments, **keywords)
        assert isinstance(event, Screen)
        return event

    def pin(self, index: int, kind: str, note: str = "") -> Screen:
        self.call(MessageListService.set_pin, "before", index, kind, note)
        return last_event(self, Screen)

    def setting(self, key: str) -> str:
        values = self._handler.displayed_preview().source.values
        return setting_text(
            next(one.kind for one in SETTINGS if one.key == key), values.get(key)
        )

    def panels(self, kind: type[_T]) -> list[_T]:
        """The pages of a kind that the panels get of what is shown, as more is known."""
        return [
            page for page in self.call(PanelService.pages) if isinstance(page, kind)
        ]

    @property
    def workspace(self) -> Workspace:
        return self._handler

    @property
    def preview(self) -> Preview:
        return self._handler.displayed_preview()

    @property
    def tuning(self) -> TuningPage:
        return self.panels(TuningPage)[-1]

    @property
    def notices(self) -> tuple[Notice, ...]:
        return self.panels(StatusPage)[-1].notices

    def marks(self) -> UserMarks:
        service = self._handler.services["MessageListService"]
        assert isinstance(service, MessageListService)
        return service.marks()

    def use_profile(self, server: Loopback, *script: Reply, **fields: Any) -> None:
        save_profile(server, *script, **fields)
        self(ProfileService.use, "local")

    def use_paid_profile(self) -> None:
        """Use the profile "haiku", which has no key."""
        ProfileStore().save(
            Profile(
                name="haiku",
                provider="anthropic",
                model="claude-haiku-4-5",
                key_env="NOT_SET_HERE",
            )
        )
        self(ProfileService.use, "haiku")


def save_profile(server: Loopback, *script: Reply, **fields: Any) -> Profile:
    if script:
        server.script = list(script)
    made = Profile(
        name="local",
        provider="openai",
        model="tiny-1",
        base_url=server.base_url("openai"),
        key_env="LOCAL_KEY",
    )
    made = replace(made, **fields)
    ProfileStore().save(made)
    return made


def last_event(handler: RecordingHandler, kind: type[_T]) -> _T:
    return next(event for event in reversed(handler.events) if isinstance(event, kind))


def control(page: SettingsPage | TuningPage, key: str) -> SettingControl:
    return next(
        one for group in page.groups for one in group.controls if one.key == key
    )
