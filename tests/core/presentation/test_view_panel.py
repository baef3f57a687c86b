"""The groups of the tuning panel."""

from dataclasses import replace

import pytest

from core.configuration.declarations import SETTINGS
from core.configuration.layers import SettingLayers
from core.presentation.model import ControlGroup
from core.presentation.preview_columns import preview_columns
from core.presentation.tuning.panel import control_groups
from core.preview.options import Preview
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.core.presentation.test_view_screen import STRATEGY, layers, made, session


def panel(one: Preview, found: SettingLayers | None = None) -> dict[str, ControlGroup]:
    return {group.title: group for group in control_groups(preview_columns(one), found or layers())}


def test_middle_out_shows_its_split_summary_and_trigger() -> None:
    found = panel(made(session()))
    assert list(found) == ["Split", "Summary", "Trigger", "Density", "More"]
    assert [control.label for control in found["Split"].controls] == ["Keep Top", "Keep Bottom"]
    assert found["Split"].controls[0].hint.startswith("#1–#4 · ≈")
    assert found["Summary"].controls[1].value_text == "offline, no model call"


def test_the_budget_reads_as_its_amount() -> None:
    one = made(session())
    control = panel(one)["Summary"].controls[0]
    replaced = sum(one.counts[4:16])
    assert (control.value, control.value_text) == (0, f"≤ {replaced // 4:,}")


@pytest.mark.req("REQ-HD-002.2")
def test_density_without_effect_is_closed_and_says_where_it_would_save() -> None:
    group = panel(made(session()))["Density"]
    assert (group.collapsed, group.note) == (True, "no effect with middle-out")
    assert group.action == ("Try it", STRATEGY, "high-density")
    assert not any(control.enabled for control in group.controls)
    assert group.controls[0].effect.startswith("≈")


def test_high_density_measures_every_switch() -> None:
    group = panel(made(session(), strategy="high-density"))["Density, every turn"]
    effects = [control.effect for control in group.controls]
    assert effects[:2] == ["0", "0"]
    assert effects[2].startswith("(−")
    assert not group.controls[3].enabled


def test_where_the_savings_come_from_adds_up() -> None:
    one = made(session(), strategy="high-density")
    saved = one.before_tokens - one.after_tokens
    group = panel(one)[f"Where the {saved:,} come from"]
    assert [fact.label for fact in group.facts] == ["one-line results", "together"]
    assert group.facts[0].value == group.facts[-1].value == f"−{saved:,}"


def test_the_headroom_says_how_its_target_comes_about() -> None:
    group = panel(made(session(), strategy="high-density"))["Compact, at the trigger"]
    assert group.controls[0].label == "Keep tail"
    assert group.controls[1].hint == "target 2,040 = 85 % × 4,000 × 0.60, met"


def test_a_control_tells_what_each_layer_says() -> None:
    one = made(session(), bottom=0.3)
    control = panel(one, layers(bottom=0.3))["Split"].controls[1]
    assert control.layer == "session"
    assert control.layers == (("session", "30 %"), ("saved", "–"), ("default", "20 %"))


def test_an_unset_threshold_reads_as_the_declared_trigger() -> None:
    control = panel(made(session()))["Trigger"].controls[0]
    assert (control.value, control.layer) == (0.85, "default")
    assert control.layers[-1] == ("default", "85 % (middle-out)")


def test_a_draft_before_any_whole_preview_shows_switches_without_figures() -> None:
    one = replace(made(session()), marginals=())
    assert [control.effect for control in panel(one)["Density"].controls] == ["", "", "", ""]


def test_every_setting_can_be_reached_under_some_strategy() -> None:
    seen = {STRATEGY}
    for name in COMPRESSION_STRATEGIES:
        for group in panel(made(session(), strategy=name)).values():
            seen |= {control.key for control in group.controls if control.kind != "fact"}
    assert seen == {setting.key for setting in SETTINGS}


def test_pinned_hybrid_shows_its_switch_and_the_factor_of_its_own_target() -> None:
    found = panel(made(session(), strategy="pinned-hybrid"))
    assert [control.key for control in found["Summary"].controls] == ["pinned.prose"]
    assert "× 0.50, " in found["Trigger"].controls[-1].hint
