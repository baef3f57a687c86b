"""Actions, settings and strategies have the words of the window's guidance."""

from __future__ import annotations

from core.configuration.declarations import SETTINGS
from core.strategies.registry import STRATEGIES
from gui.action_table import ACTIONS
from tests.gui.wording import old_label


def test_actions_settings_and_strategies_have_no_old_label() -> None:
    texts = [text for row in ACTIONS for text in (row.text, row.tip, row.group)]
    texts += [text for setting in SETTINGS for text in (setting.label, setting.section, setting.unit)]
    texts += [strategy.about for strategy in STRATEGIES]
    assert [(text, label) for text in texts if (label := old_label(text))] == []
