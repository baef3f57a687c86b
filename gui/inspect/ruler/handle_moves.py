"""Moving the handles of the ruler by pointer and keyboard."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.presentation.ruler.geometry import nearest_boundary, nearest_stop
from core.presentation.ruler.model import CutHandle, CutMove
from core.presentation.ruler.wording import cut_move, handle_tip
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
        self._unconfirmed: dict[
            str, int
        ] = {}  # handle name to a boundary that no preview shows yet
        self._origin: tuple[str, int, float] | None = (
            None  # name, boundary and value before the move
        )
        self.moving_name = ""  # the handle under the pressed button or key
        self._has_moved = False
        self._drag_start = -1  # boundary at which the pointer took the handle, -1 without a drag
        self.hovered = ""
        self.focused = ""

    def set_handles(
        self, handles: tuple[CutHandle, ...], sums: Sequence[int], *, provisional: bool
    ) -> None:
        """Show the handles of a preview; one that is being moved keeps its place."""
        self._handles, self._sums = handles, sums
        names = [handle.name for handle in handles]
        if not self.moving_name and not provisional:
            self._unconfirmed.clear()
        self._unconfirmed = {
            name: index
            for name, index in self._unconfirmed.items()
            if name in names and index < len(sums)
        }
        self.focused, self.hovered, self.moving_name = (
            name if name in names else "" for name in (self.focused, self.hovered, self.moving_name)
        )

    def clear(self) -> None:
        self._handles, self._origin = (), None
        self._unconfirmed.clear()
        self.moving_name = self.hovered = self.focused = ""

    def painted_handles(self) -> list[PaintedHandle]:
        """Return all handles as they are to be painted."""
        indices = [(handle, self.current_index(handle)) for handle in self._handles]
        return [
            self._painted_handle(handle, index)
            for handle, index in indices
            if index < len(self._sums)
        ]

    def _painted_handle(self, handle: CutHandle, index: int) -> PaintedHandle:
        name, stop = handle.name, bisect_left(handle.stops, index)
        is_stop = stop < len(handle.stops) and handle.stops[stop] == index
        tip = handle.locked or (tr(handle_tip(handle, index, self._sums)) if is_stop else "")
        is_moving = self.moving_name == name
        is_active = is_moving or name in (self.hovered, self.focused)
        shows_ticks = not handle.locked and (is_moving or self.focused == name)
        return PaintedHandle(
            handle, index, is_active, is_moving and self._has_moved, shows_ticks, tip
        )

    def current_index(self, handle: CutHandle) -> int:
        return self._unconfirmed.get(handle.name, handle.index)

    def _handle_by_name(self, name: str) -> CutHandle | None:
        return next((handle for handle in self._handles if handle.name == name), None)

    def press(self, name: str) -> None:
        """Start to drag a handle."""
        if (handle := self._handle_by_name(name)) is not None:
            self._origin = None
            self._hold(handle)
            self._drag_start = self.current_index(handle)
            self.changed.emit()

    def _hold(self, handle: CutHandle) -> None:
        """Start to move a handle, by button or by key."""
        if self._origin is None or self._origin[0] != handle.name:
            self._origin = (handle.name, self.current_index(handle), handle.setting)
        self.moving_name, self._has_moved, self.focused = handle.name, False, handle.name

    @property
    def drag(self) -> CutMove | None:
        """The cut that the pointer has dragged elsewhere."""
        handle = self._handle_by_name(self.moving_name)
        if handle is None or self._drag_start < 0 or not self._has_moved:
            return None
        return cut_move(handle, self._drag_start, self.current_index(handle), self._sums)

    def drag_to(self, tokens: float) -> None:
        """Snap the held handle to the valid boundary nearest to a position in tokens."""
        handle = self._handle_by_name(self.moving_name)
        if handle is not None and not handle.locked and handle.stops:
            self._move_to(handle, nearest_stop(handle.stops, self._sums, tokens))

    def drag_to_boundary(self, boundary: int) -> None:
        """Snap the held handle to the valid boundary nearest to one."""
        handle = self._handle_by_name(self.moving_name)
        if handle is not None and not handle.locked and handle.stops:
            self._move_to(handle, nearest_boundary(handle.stops, boundary))

    def step(self, by: int) -> None:
        """Move the focused handle by that many valid boundaries, at most to the end."""
        handle = self._handle_by_name(self.focused)
        if handle is None or handle.locked or not handle.stops:
            return
        if self.moving_name != handle.name:
            self._hold(handle)
        index = self.current_index(handle)
        stop = bisect_left(handle.stops, index)
        if by > 0 and (stop >= len(handle.stops) or handle.stops[stop] != index):
            by -= 1  # between two stops, the next one is already one step away
        self._move_to(handle, max(0, min(len(handle.stops) - 1, stop + by)))

    def _move_to(self, handle: CutHandle, stop: int) -> None:
        if handle.stops[stop] == self.current_index(handle):
            return
        self._unconfirmed[handle.name] = handle.stops[stop]
        self._has_moved = True
        self.changed.emit()
        self.moved.emit(handle.key, handle.values[stop], False)

    def release(self) -> bool:
        """End the move; return True if the handle had been moved."""
        handle, was_moved = self._handle_by_name(self.moving_name), self._has_moved
        self.moving_name, self._has_moved, self._drag_start = "", False, -1
        if handle is not None and was_moved:
            stop = min(
                bisect_left(handle.stops, self.current_index(handle)), len(handle.values) - 1
            )
            self.moved.emit(handle.key, handle.values[stop], True)
        self.changed.emit()
        return was_moved

    @property
    def can_restore(self) -> bool:
        """True if ``restore`` would move a handle."""
        if self._origin is None:
            return False
        handle = self._handle_by_name(self._origin[0])
        is_elsewhere = handle is not None and self.current_index(handle) != self._origin[1]
        return bool(self.moving_name) or is_elsewhere

    def restore(self) -> bool:
        """Return the handle to its place before the move; True if it had moved."""
        if self._origin is None:
            return False
        (name, index, value), self._origin = self._origin, None
        handle, was_moving = self._handle_by_name(name), bool(self.moving_name)
        is_elsewhere = handle is not None and self.current_index(handle) != index
        if handle is not None and is_elsewhere:
            self._unconfirmed[name] = index
            self.changed.emit()  # a drag that is back where it began
        self.moving_name, self._has_moved, self._drag_start = "", False, -1
        if handle is not None and is_elsewhere:
            self.moved.emit(handle.key, value, True)
        self.changed.emit()
        return was_moving or is_elsewhere

    def focus(self, forward: bool) -> bool:
        """Move the focus to the next or previous handle; return False if there is none."""
        names = [handle.name for handle in sorted(self._handles, key=self.current_index)]
        if self.focused in names:
            position = names.index(self.focused) + (1 if forward else -1)
        else:
            position = 0 if forward else len(names) - 1
        has_handle = 0 <= position < len(names)
        self._set_focus(names[position] if has_handle else "")
        return has_handle

    def clear_focus(self) -> None:
        """The ruler lost the focus."""
        self._set_focus("")

    def _set_focus(self, name: str) -> None:
        if self.moving_name:
            self.release()
        self._origin, self.focused = None, name
        self.changed.emit()

    def hover(self, name: str) -> None:
        if name != self.hovered:
            self.hovered = name
            self.changed.emit()
