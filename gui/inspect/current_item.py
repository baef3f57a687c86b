"""What the inspector looks at beside messages: a cut, a recorded compaction, how a run went."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.presentation.ruler.model import CutHandle
from gui.backend import BackendClient


class CurrentItem:
    """Asks for the page that is looked at, and asks again when the preview changed."""

    def __init__(self, session: BackendClient) -> None:
        self._session = session
        self._again: Callable[[], None] | None = None
        self._cut = ""

    def cut(self, name: str) -> None:
        """Why a cut lies where it lies."""
        self._cut = name
        self._look(lambda: self._session.look_cut(name))

    def recorded(self, number: int) -> None:
        """What a recorded compaction had and left."""
        self._cut = ""
        self._look(lambda: self._session.look_recorded(number))

    def run(self) -> None:
        """How the run that is shown went."""
        self._cut = ""
        self._look(self._session.look_run)

    def forget(self) -> None:
        """A message is looked at, or nothing."""
        self._cut, self._again = "", None

    def again(self, handles: Sequence[CutHandle]) -> bool:
        """Ask anew; False where nothing is looked at, or its cut is gone."""
        if self._again is None or (self._cut and all(handle.name != self._cut for handle in handles)):
            return False
        self._again()
        return True

    def _look(self, ask: Callable[[], None]) -> None:
        self._again = ask
        ask()
