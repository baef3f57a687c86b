"""The switch between the views of an open transcript."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from gui.actions import ActionSet
from gui.language import tr
from gui.widgets.segmented_switch import SegmentButton
from gui.widgets.text_labels import set_style_property

VIEW_NAMES = ("inspect", "compare")
"""The views in the order of the switch; each is also the id of its action."""


class ViewSwitch(QWidget):
    """Inspect or Compare: one is pressed. The arrow keys move inside it."""

    def __init__(self, actions: ActionSet) -> None:
        super().__init__()
        self.setAccessibleName(tr("View"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for place, name in enumerate(VIEW_NAMES):
            action = actions[name]
            button = SegmentButton(action.text())
            set_style_property(button, "place", ("first", "last")[place])
            button.setToolTip(actions.tip(name))
            button.clicked.connect(action.trigger)
            action.enabledChanged.connect(button.setEnabled)
            button.setEnabled(action.isEnabled())
            self._group.addButton(button)
            self._buttons[name] = button
            row.addWidget(button)
        self.show_view(VIEW_NAMES[0])

    def show_view(self, name: str) -> None:
        self._group.setExclusive(name in self._buttons)
        for view_name, button in self._buttons.items():
            button.setChecked(view_name == name)

    def set_narrow(self, is_narrow: bool) -> None:
        """Reduce the padding of the names."""
        for button in self._buttons.values():
            set_style_property(button, "dense", "yes" if is_narrow else "")
            button.updateGeometry()  # another padding changes the width
        self.updateGeometry()  # the surrounding layout is updated at once too

    @property
    def shown_view(self) -> str:
        return next((name for name, button in self._buttons.items() if button.isChecked()), "")
