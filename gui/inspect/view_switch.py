"""The switch between the four views of an open transcript."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from gui.actions import ActionSet
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import set_style_property

VIEW_NAMES = ("inspect", "compare", "replay", "sweep")
"""The views in the order of the switch; each is also the id of its action."""


class ViewSwitch(QWidget):
    """Inspect, Compare, Replay, Sweep: one is pressed. The arrow keys move inside it."""

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
            one = push_button(action.text(), "segment")
            set_style_property(one, "place", ("first", "", "", "last")[place])
            one.setCheckable(True)
            one.setToolTip(actions.tip(name))
            one.clicked.connect(action.trigger)
            action.enabledChanged.connect(one.setEnabled)
            one.setEnabled(action.isEnabled())
            self._group.addButton(one)
            self._buttons[name] = one
            row.addWidget(one)
        self.show_view(VIEW_NAMES[0])

    def show_view(self, name: str) -> None:
        self._group.setExclusive(name in self._buttons)
        for own, one in self._buttons.items():
            one.setChecked(own == name)

    def set_narrow(self, is_narrow: bool) -> None:
        """Reduce the padding of the names."""
        for one in self._buttons.values():
            set_style_property(one, "dense", "yes" if is_narrow else "")
            one.updateGeometry()  # another padding changes the width
        self.updateGeometry()  # the surrounding layout is updated at once too

    @property
    def shown(self) -> str:
        return next((name for name, one in self._buttons.items() if one.isChecked()), "")
