"""The groups of the tuning panel."""

from dataclasses import replace

import pytest

from core.app.settings_files import UserConfiguration
from core.common import number_format
from core.configuration.layers import SettingLayers
from core.configuration.profile_store import ProfileStore
from core.presentation.dialog_model import SettingsPage
from core.presentation.model import FOCUS_KEY, SettingControl
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_wording import limit_text
from core.presentation.settings_page import settings_notes
from core.presentation.tuning_panel import control_groups
from core.preview.options import Preview
from core.reports.document import savings_figures
from core.settings import keys
from core.settings.keys import LIMIT, PRESERVE, PROFILE, TOP_PRESERVE
from core.settings.profile import Profile
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy
from core.transcript.model import RecordedCompaction
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
    assert dense["Remove stale reads"].effect == dense["Remove repeated files"].effect == "0"
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


def _hint(key: str, found: SettingLayers, preview: Preview | None = None) -> str:
    page = UserConfiguration().settings_page(found, "offline", preview)
    return next(one.hint for group in page.groups for one in group.controls if one.key == key)


def test_a_share_says_which_messages_stay() -> None:
    preview = made(session(), bottom=0.3)
    assert _hint(TOP_PRESERVE, layers(), preview) == "here #1–#4"
    assert _hint(PRESERVE, layers(bottom=0.3), preview) == "set by hand · built in is 20 % · here #15–#20"


def test_an_unset_limit_says_where_the_one_that_counts_comes_from() -> None:
    assert _hint(LIMIT, SettingLayers()) == "not set: looked up by the model"
    preview = made(session(model="claude-sonnet-4-5"), limit=None)
    assert _hint(LIMIT, SettingLayers(), preview) == "not set: 200,000, claude-sonnet-4-5 in the model table"
    assert LIMIT not in settings_notes(made(session()))


def test_a_window_that_the_file_gives_away_is_named_once() -> None:
    auto = RecordedCompaction("summary", 1, trigger="auto", tokens_before=167_000)
    preview = made(replace(session(), format="claude_code", recorded=(auto,)), limit=None)
    assert _hint(LIMIT, SettingLayers(), preview) == "not set: 200,000, automatic compaction at 167,000"
    assert limit_text(preview.window) == "200,000 (automatic compaction at 167,000)"


def _page(name: str = "") -> SettingsPage:
    found = SettingLayers().with_session(PROFILE, name) if name else SettingLayers()
    return UserConfiguration().settings_page(found, "offline")


def test_a_chosen_profile_without_a_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ProfileStore().save(Profile("haiku", "anthropic", "claude-haiku-4-5", key_env="HAIKU_KEY"))
    assert _page().missing_key is None
    told = _page("haiku").missing_key
    assert told is not None
    assert told.title == "haiku has no key:"
    assert told.text.startswith("the environment variable HAIKU_KEY is empty.")
    assert [(one.action, one.argument) for one in told.actions] == [("profiles", "haiku")]
    monkeypatch.setenv("HAIKU_KEY", "sk-0123456789")
    assert _page("haiku").missing_key is None
