"""Theme and zoom of the whole application, and following the system."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from gui.widgets.theme import Theme, apply_theme, theme

THEME_CHOICES = ("system", "light", "dark", "high-contrast")
_ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


class AppearanceController(QObject):
    """Holds the chosen theme and zoom and applies them; emits ``changed(Theme)`` after each application.

    Styling all widgets takes half a second with many open views: pending choices are applied together, and an
    unchanged choice is not applied again.
    """

    changed = Signal(object)

    def __init__(self, app: QApplication, choice: str = "system", zoom: float = 1.0) -> None:
        super().__init__(app)
        self._app = app
        self.choice = choice if choice in THEME_CHOICES else "system"
        self.zoom = min(max(zoom, _ZOOMS[0]), _ZOOMS[-1])
        # Read off the palette: naming a colour scheme makes Python build all enums of Qt, 20 ms.
        self._is_dark = app.palette().window().color().lightness() < 128
        self._is_complete = False
        self._applied: object = None
        self._apply_timer = QTimer(self, singleShot=True, interval=0)
        self._apply_timer.timeout.connect(self._apply)
        self.theme: Theme = theme("light")
        self._apply()
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def style_all_widgets(self) -> None:
        """Style all widgets; until then only the start page is styled, so that it paints sooner."""
        self._is_complete = True
        self._apply()

    def choose(self, choice: str) -> None:
        """Use a theme by name; "system" follows the desktop."""
        self.choice = choice
        self._apply_timer.start()

    def zoom_by(self, steps: int) -> None:
        """Zoom one step in (+1) or out (-1); 0 is the natural size."""
        nearest = min(range(len(_ZOOMS)), key=lambda i: abs(_ZOOMS[i] - self.zoom))
        self.zoom = _ZOOMS[min(max(nearest + steps, 0), len(_ZOOMS) - 1)] if steps else 1.0
        self._apply_timer.start()

    def _on_system_changed(self) -> None:
        from PySide6.QtCore import Qt

        self._is_dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        if self.choice == "system":
            self._apply_timer.start()

    def _apply(self) -> None:
        system = "dark" if self._is_dark else "light"
        self.theme = theme(system if self.choice == "system" else self.choice)
        appearance = (self.theme, self.zoom, self._is_complete)
        if appearance != self._applied:
            self._applied = appearance
            apply_theme(self._app, self.theme, self.zoom, is_complete=self._is_complete)
        self.changed.emit(self.theme)
