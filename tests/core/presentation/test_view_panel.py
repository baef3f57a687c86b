"""The groups of the tuning panel."""

from dataclasses import replace

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


def test_middle_out_has_four_controls_with_what_they_mean_here() -> None:
    one = made(session())
    found = controls(one)
    assert list(found) == ["Keep Top", "Keep Bottom", "Summary at most", "Prompt", "Focus"]
    assert found["Keep Top"].hint.startswith("#1–#4 · ")
    replaced = sum(one.counts[4:16])
    summary = one.after_counts[min(one.compaction.inserted)]
    hint = f"tokens · {summary:,} used here · auto is at most {replaced // 4:,}"
    assert (found["Summary at most"].hint, found["Summary at most"].value_text) == (hint, "auto")


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


def test_a_target_says_how_it_comes_about() -> None:
    dense = controls(made(session(), strategy="high-density"))
    assert dense["Aim for"].hint == "of the trigger = 2,040 tokens · met"
    assert "× 0.50, " in controls(made(session(), strategy="pinned-hybrid"))["Aims for"].hint


def test_a_control_tells_what_each_layer_says() -> None:
    control = controls(made(session(), bottom=0.3), layers(bottom=0.3))["Keep Bottom"]
    assert control.layer == "session"
    assert control.layers == (("session", "30 %"), ("saved", "–"), ("default", "20 %"))


def test_a_draft_before_any_whole_preview_shows_switches_without_figures() -> None:
    one = replace(made(session(), strategy="high-density"), marginals=())
    assert controls(one)["Remove stale reads"].effect == ""
