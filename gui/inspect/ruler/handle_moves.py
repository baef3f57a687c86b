"""Moving the handles of the ruler by pointer and keyboard."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.presentation.model import Screen
from core.presentation.ruler.cut_tips import handle_tip
from core.presentation.ruler.geometry import nearest_stop
from core.presentation.ruler.model import CutHandle
from gui.inspect.ruler.overlay import PaintedHandle
from gui.language import tr


class HandleMoves(QObject):
    """The handles of one ruler. A moved handle keeps its place until a preview confirms it."""

    moved = Signal(str, float, bool)  # key, value, final
    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._handles: tuple[CutHandle, ...] = ()
        self._sums: Sequence[int] = (0,)
        self._unconfirmed: dict[str, int] = {}  # handle name to a boundary that no preview shows yet
        self._origin: tuple[str, int, float] | None = None  # name, boundary and value before the move
        self._moving_name = ""  # the handle under the pressed button or key
        self._has_moved = False
        self.hovered = ""
        self.focused = ""

    def set_screen(self, screen: Screen, sums: Sequence[int]) -> None:
        """Show the handles of a preview; one that is being moved keeps its place."""
        self._handles, self._sums = screen.handles, sums
        if not self._moving_name and not screen.draft:
            self._unconfirmed.clear()
        names = [handle.name for handle in screen.handles]
        self._unconfirmed = {
            name: index for name, index in self._unconfirmed.items() if name in names and index < len(sums)
        }
        self.focused = self.focused if self.focused in names else ""
        self.hovered = self.hovered if self.hovered in names else ""
        self._moving_name = self._moving_name if self._moving_name in names else ""

    def clear(self) -> None:
        self._handles, self._origin = (), None
        self._unconfirmed.clear()
        self._moving_name = self.hovered = self.focused = ""

    def painted_handles(self) -> list[PaintedHandle]:
        """Return all handles as they are to be painted."""
        return [
            self._painted_handle(handle)
            for handle in self._handles
            if self._current_index(handle) < len(self._sums)
        ]

    def _painted_handle(self, handle: CutHandle) -> PaintedHandle:
        index, name = self._current_index(handle), handle.name
        stop = bisect_left(handle.stops, index)
        is_stop = stop < len(handle.stops) and handle.stops[stop] == index
        tip = handle.locked or (tr(handle_tip(handle, stop)) if is_stop else "")
        is_moving = self._moving_name == name
        is_active = is_moving or name in (self.hovered, self.focused)
        shows_ticks = not handle.locked and (is_moving or self.focused == name)
        return PaintedHandle(handle, index, is_active, is_moving and self._has_moved, shows_ticks, tip)

    def _current_index(self, handle: CutHandle) -> int:
        return self._unconfirmed.get(handle.name, handle.index)

    def _handle_by_name(self, name: str) -> CutHandle | None:
        return next((handle for handle in self._handles if handle.name == name), None)

    @property
    def moving_name(self) -> str:
        """Name of the handle that is being moved; "" if none."""
        return self._moving_name

    def press(self, name: str) -> None:
        """Start moving a handle, by button or by key."""
        handle = self._handle_by_name(name)
        if handle is None:
            return
        index = self._current_index(handle)
        if self._origin is None or self._origin[0] != name:
            self._origin = (name, index, handle.setting)
        self._moving_name, self._has_moved = name, False
        self.focused = name
        self.changed.emit()

    def _value_at(self, handle: CutHandle, index: int) -> float:
        stop = min(bisect_left(handle.stops, index), len(handle.values) - 1)
        return handle.values[stop] if stop >= 0 else 0.0  # a locked handle has none

    def drag_to(self, tokens: float) -> None:
        """Snap the held handle to the valid boundary nearest to a position in tokens."""
        handle = self._handle_by_name(self._moving_name)
        if handle is not None and not handle.locked and handle.stops:
            self._move_to(handle, nearest_stop(handle.stops, self._sums, tokens))

    def step(self, by: int) -> None:
        """Move the focused handle by that many valid boundaries, at most to the end."""
        handle = self._handle_by_name(self.focused)
        if handle is None or handle.locked or not handle.stops:
            return
        if self._moving_name != handle.name:
            self.press(handle.name)
        index = self._current_index(handle)
        stop = bisect_left(handle.stops, index)
        if by > 0 and (stop >= len(handle.stops) or handle.stops[stop] != index):
            by -= 1  # between two stops, the next one is already one step away
        self._move_to(handle, max(0, min(len(handle.stops) - 1, stop + by)))

    def _move_to(self, handle: CutHandle, stop: int) -> None:
        if handle.stops[stop] == self._current_index(handle):
            return
        self._unconfirmed[handle.name] = handle.stops[stop]
        self._has_moved = True
        self.moved.emit(handle.key, handle.values[stop], False)
        self.changed.emit()

    def release(self) -> bool:
        """End the move; return True if the handle had been moved."""
        handle, was_moved = self._handle_by_name(self._moving_name), self._has_moved
        self._moving_name, self._has_moved = "", False
        if handle is not None and was_moved:
            self.moved.emit(handle.key, self._value_at(handle, self._current_index(handle)), True)
        self.changed.emit()
        return was_moved

    @property
    def can_restore(self) -> bool:
        """True if ``restore`` would move a handle."""
        if self._origin is None:
            return False
        handle = self._handle_by_name(self._origin[0])
        return bool(self._moving_name) or (
            handle is not None and self._current_index(handle) != self._origin[1]
        )

    def restore(self) -> bool:
        """Return the handle to its place before the move; True if it had moved."""
        if self._origin is None:
            return False
        name, index, value = self._origin
        handle, self._origin = self._handle_by_name(name), None
        was_moving = bool(self._moving_name)
        self._moving_name, self._has_moved = "", False
        if handle is None or self._current_index(handle) == index:
            self.changed.emit()
            return was_moving
        self._unconfirmed[name] = index
        self.moved.emit(handle.key, value, True)
        self.changed.emit()
        return True

    def focus(self, forward: bool) -> bool:
        """Move the focus to the next or previous handle; return False if there is none."""
        names = [handle.name for handle in sorted(self._handles, key=self._current_index)]
        if self.focused in names:
            position = names.index(self.focused) + (1 if forward else -1)
        else:
            position = 0 if forward else len(names) - 1
        has_handle = 0 <= position < len(names)
        self._end_move()
        self.focused = names[position] if has_handle else ""
        self.changed.emit()
        return has_handle

    def clear_focus(self) -> None:
        """The ruler lost the focus."""
        self._end_move()
        self.focused = ""
        self.changed.emit()

    def _end_move(self) -> None:
        if self._moving_name:
            self.release()
        self._origin = None

    def hover(self, name: str) -> None:
        if name != self.hovered:
            self.hovered = name
            self.changed.emit()
