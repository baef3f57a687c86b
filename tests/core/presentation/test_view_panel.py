"""The groups of the tuning panel."""

import pytest

from core.common import number_format
from core.configuration.layers import SettingLayers
from core.presentation.model import FOCUS_KEY, SettingControl
from core.presentation.preview_columns import preview_columns
from core.presentation.tuning_panel import control_groups
from core.preview.options import Preview
from core.reports.document import savings_figures
from core.settings import keys
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy
from tests.core.presentation.test_view_screen import layers, made, session


def controls(one: Preview, found: SettingLayers | None = None) -> dict[str, SettingControl]:
    groups = control_groups(preview_columns(one), found or layers())
    return {control.label: control for group in groups for control in group.controls}


@pytest.mark.parametrize("name", COMPRESSION_STRATEGIES)
def test_every_strategy_has_few_controls_and_only_its_own(name: str) -> None:
    found = controls(made(session(), strategy=name))
    settings = [one for one in found.values() if one.kind != "fact"]
    assert len(settings) <= 6
    assert {one.key for one in settings} <= {*find_strategy(name).options, FOCUS_KEY}
    assert found or name == "none"


@pytest.mark.req("REQ-HD-002.2")
def test_density_is_only_shown_where_it_has_an_effect() -> None:
    dense = controls(made(session(), strategy="high-density"))
    effects = [dense[label].effect for label in ("Remove stale reads", "Remove repeated files")]
    assert effects == ["0", "0"]
    assert dense["Keep only the newest results"].hint.startswith("per tool · would save ")
    assert "Results kept per tool" not in dense
    assert not {one.key for one in controls(made(session())).values()} & set(keys.DENSITY_SWITCHES)


def test_what_is_saved_together_is_the_sum_of_its_parts() -> None:
    one = made(session(), strategy="high-density")
    saved = number_format.signed(one.after_tokens - one.before_tokens)
    (figure,) = control_groups(preview_columns(one), layers())[-1].facts
    assert (figure.label, figure.value) == ("Saved together", saved)
    parts = savings_figures(preview_columns(one))
    assert [(part.label, part.value) for part in parts] == [("one-line results", saved), ("together", saved)]


def test_a_control_tells_what_each_layer_says() -> None:
    control = controls(made(session(), bottom=0.3), layers(bottom=0.3))["Keep Bottom"]
    assert control.layer == "session"
    assert control.layers == (("session", "30 %"), ("saved", "–"), ("default", "20 %"))
