"""The screen of a preview, and the groups of the tuning panel."""

from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from core.app.settings_files import SettingsFiles
from core.common import number_format
from core.common.number_format import plural
from core.presentation import preview_status
from core.presentation.checks_page import lint_reports, with_limits
from core.presentation.dialog_model import SettingsPage
from core.presentation.lists import row_texts
from core.presentation.model import (
    EVERY_TURN_KEY,
    FATES,
    FOCUS_KEY,
    ChangeEffect,
    SettingControl,
)
from core.presentation.preview_columns import preview_columns
from core.presentation.preview_status import change_notice
from core.presentation.preview_wording import limit_text
from core.presentation.ruler.bands import value_at
from core.presentation.ruler.geometry import prefix_sums
from core.presentation.ruler.wording import handle_tip
from core.presentation.screen import preview_screen
from core.presentation.screen_model import Screen
from core.presentation.settings_page import settings_notes
from core.presentation.tuning_panel import change_effect, control_groups, last_change
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.reports.report_data import savings_figures
from core.settings import schema
from core.settings.profile import Profile
from core.settings.schema import (
    IMAGES,
    LIMIT,
    PRESERVE,
    PROFILE,
    STRATEGY,
    TOP_PRESERVE,
)
from core.settings_store.layers import SettingLayers
from core.settings_store.profile_store import ProfileStore
from core.strategies import tiered
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.transcript.model import Conversation, Media, RecordedCompaction
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    talk,
    tool,
)


def session(**fields: Any) -> Conversation:
    """Return twenty messages: text, then calls with long results, then text."""
    output = "line of output " * 80
    pairs = (
        exchange(f"id{number}", "bash", f"{number} {output}", command="ls")
        for number in range(5)
    )
    return conversation(*talk(6), *chain.from_iterable(pairs), *talk(4), **fields)


def made(source: Conversation, **values: Any) -> Preview:
    return compute_preview(source, layers(**values).resolve())


def layers(**values: Any) -> SettingLayers:
    found = SettingLayers()
    for key, value in {"limit": 4000, **values}.items():
        name = {
            "bottom": PRESERVE,
            "top": TOP_PRESERVE,
            "strategy": STRATEGY,
            "limit": LIMIT,
        }[key]
        found = found.with_session(name, value)
    return found


def shown(one: Preview, **fields: Any) -> Screen:
    before = row_texts.message_rows(one.messages, one.source.counts)
    return preview_screen(one, before, **fields)


def test_runs_cover_both_sides_and_name_the_summary() -> None:
    found = shown(made(session()))
    assert [run.before for run in found.ruler.runs] == [(0, 4), (4, 16), (16, 20)]
    assert [run.after for run in found.ruler.runs] == [(0, 4), (4, 6), (6, 10)]
    assert [FATES[run.fate] for run in found.ruler.runs] == [
        "kept",
        "summarised",
        "kept",
    ]


def test_sizes_of_scope_and_current_context_are_given_where_they_differ() -> None:
    one = made(session())
    assert shown(one, current_tokens=one.sizes.before_tokens).heading.sizes == ()
    whole, current = shown(one, current_tokens=70_976).heading.sizes
    assert whole.startswith("whole session ")
    assert current == "current context 71k"


def test_heads_chips_and_cut_rows_say_what_happened() -> None:
    found = shown(made(session()))
    assert found.result.heading == "10 messages"
    assert [row.text for row in found.source.cuts] == [
        "Top ends after #4",
        "Bottom starts at #17",
    ]
    assert found.result.cuts[0].is_compaction


@pytest.mark.parametrize(("name", "key"), [("top", TOP_PRESERVE), ("bottom", PRESERVE)])
def test_a_handle_stays_where_it_was_dropped(name: str, key: str) -> None:
    source = session()
    handle = next(one for one in shown(made(source)).ruler.handles if one.name == name)
    assert handle.key == key
    for stop, value in zip(handle.stops, handle.values, strict=True):
        changed = compute_preview(source, layers().with_session(key, value).resolve())
        assert (
            next(one for one in shown(changed).ruler.handles if one.name == name).index
            == stop
        )


def test_the_values_of_handles_are_those_of_the_product_description() -> None:
    assert [value_at("top", stop, 10) for stop in (3, 0)] == [0.25, 0]
    assert [value_at("tail", stop, 10) for stop in (8, 0)] == [0.25, 1]
    assert value_at("bottom", 8, 10) == pytest.approx(0.15)


def test_a_tip_counts_only_messages_that_the_strategy_sees() -> None:
    whole = session()
    source = conversation(*whole.messages[:1], ai(""), *whole.messages[1:])
    screen = shown(made(source))
    top, bottom = screen.ruler.handles
    sums = prefix_sums(screen.source.rows.tokens)
    kept = plural(sum(screen.source.rows.tokens[: top.index]), "token")
    assert (
        handle_tip(top, top.index, sums)
        == f"Top ends after #{top.index} · keeps {top.index - 1} · {kept}"
    )
    kept = plural(sum(screen.source.rows.tokens[bottom.index :]), "token")
    assert handle_tip(bottom, bottom.index, sums).endswith(f" · {kept}")
    behind_prompt = [
        18_000 + at for at in sums
    ]  # as the ruler has them behind the system prompt
    assert handle_tip(bottom, bottom.index, behind_prompt).endswith(f" · {kept}")


def test_high_density_shows_a_tail_and_a_target() -> None:
    found = shown(made(session(), strategy="high-density"))
    assert found.ruler.totals.target == 2040
    assert (
        found.ruler.bands[0]
        .labels[0]
        .startswith("Middle · old tool results become one line · ")
    )
    assert found.source.cuts[0].text == "Bottom starts at #17"
    assert found.verdict.messages.text == "5 shortened, of 20"


@pytest.mark.req("ION-52", "ION-64")
@pytest.mark.parametrize(
    ("strategy", "limit", "shares"),
    [
        (
            "middle-out",
            4_000,
            {2000: (50, "ok"), 2800: (70, "warn"), 3400: (85, "error")},
        ),
        # of the room without the reserve
        (
            tiered.NAME,
            20_000,
            {11_199: (56, "ok"), 11_200: (56, "warn"), 12_800: (64, "error")},
        ),
    ],
)
def test_the_context_figure_warns(
    strategy: str, limit: int, shares: dict[int, tuple[int, str]]
) -> None:
    one = made(session(), strategy=strategy, limit=limit)
    for tokens, (share, tone) in shares.items():
        part = preview_status.context_part(one, tokens)
        assert (part.text, part.tone) == (f"now [ctx: {share}%]", tone)


def test_a_cut_that_moved_says_why() -> None:
    messages = (
        *talk(7),
        ai("", call("bash", "id1", command="ls")),
        tool(response("id1", "bash")),
        *talk(1),
    )
    found = shown(made(conversation(*messages)))
    assert found.ruler.handles[1].index != found.ruler.handles[1].requested
    assert (
        found.ruler.totals.sentence
        == "Bottom starts at #10, not #9: bash keeps its result"
    )


def test_a_no_op_says_so_and_offers_ways_out() -> None:
    one = made(conversation(*talk(7)))
    (notice,) = preview_status.preview_notices(one, "openai")
    assert notice.title == "Nothing to compact."
    assert notice.text.endswith("The conversation is unchanged.")
    assert [action.action for action in notice.actions] == ["set", "strategy"]
    assert shown(one).result.heading == "7 messages · unchanged"


def test_the_effect_of_the_last_change_counts_fates_and_tokens() -> None:
    source = session()
    first, second = made(source), made(source, bottom=0.4)
    effect = change_effect(
        preview_columns(second), last_change(first, second, (PRESERVE,))
    )
    assert effect is not None
    assert (effect.title, effect.change) == ("Keep Bottom", "20 % → 40 %")
    ((move, count),) = effect.moves
    assert (move, count > 0, effect.tokens > 0) == ("summarised → kept", True, True)
    notice = change_notice(replace(effect, losses=(3, 4)))
    assert notice is not None
    figures = f"+{effect.tokens:,} tokens · losses 3 → 4"
    assert (
        notice.text == f"Keep Bottom 20 % → 40 %: {count} summarised → kept · {figures}"
    )
    assert notice.short == ("Last change", f"Keep Bottom 20 % → 40 %: {figures}")


def test_a_change_without_an_effect_says_so() -> None:
    notice = change_notice(
        ChangeEffect(title="Keep Bottom", change="20 % → 21 %", losses=(2, 2))
    )
    assert notice is not None
    assert notice.text == "Keep Bottom 20 % → 21 %: nothing changes"


def test_recorded_compactions_are_rows_before_their_message() -> None:
    grew = RecordedCompaction(
        kind="summary",
        boundary=8,
        trigger="manual",
        tokens_before=71_000,
        tokens_after=83_000,
        summary=(human("Earlier: x"),),
    )
    hidden = RecordedCompaction(kind="opaque", boundary=12)
    found = shown(made(session(recorded=(grew, hidden)))).recorded
    assert found[0].text == "— context compacted (71k → 83k tokens) —"
    assert found[0].detail == "grew by 12k · recorded 1 · manual · before #9"
    assert (found[0].tone, found[1].tone) == ("error", "opaque")
    assert found[1].detail == "recorded 2 · encrypted by the provider, not inspectable"


def test_a_sheet_of_the_linter_speaks_of_result_and_source_apart() -> None:
    reports = lint_reports(made(conversation(*talk(2), ai(""), *session().messages)))
    anthropic = next(one for one in reports if one.provider == "anthropic")
    assert anthropic.verdict == "Result: in order · source: 1 warning"
    assert (anthropic.tone, [row.side for row in anthropic.rows]) == ("ok", ["before"])


def test_the_limits_say_before_and_after_and_which_hold() -> None:
    """Which of two limits of images holds depends on the window, which is not always known."""
    image = Media("image/png", "AAAA" * 9)
    preview = made(
        conversation(*(human("", image) for _ in range(120)), *session().messages)
    )
    found = with_limits(preview, lint_reports(preview))
    figures = {
        one.provider: {fact.label: fact.value for fact in one.limits} for one in found
    }
    assert figures["anthropic"]["images"].startswith("120 → ")
    assert figures["anthropic"]["images"].endswith((" of 100", " of 100 or 600"))
    assert figures["anthropic"]["request"].endswith(" of 32 MB")


def test_a_call_without_a_result_is_a_fault_of_its_message() -> None:
    lone = ai("", call("bash", "lone"))
    reports = lint_reports(made(conversation(human("go"), lone, *session().messages)))
    anthropic = next(one for one in reports if one.provider == "anthropic")
    row = anthropic.faults.groups[0].rows[0]
    assert (row.title, row.about, row.index) == (
        "1 call in #2 has no result",
        "bash",
        1,
    )
    assert row.tip.endswith("[anthropic.unanswered-call]")


def controls(
    one: Preview, found: SettingLayers | None = None
) -> dict[str, SettingControl]:
    groups = control_groups(preview_columns(one), found or layers())
    return {control.label: control for group in groups for control in group.controls}


@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_every_strategy_has_few_controls_and_only_its_own(name: str) -> None:
    found = controls(made(session(), strategy=name))
    settings = [one for one in found.values() if one.kind != "fact"]
    assert len(settings) <= 7
    assert {one.key for one in settings} <= {
        *find_strategy(name).options,
        FOCUS_KEY,
        EVERY_TURN_KEY,
    }
    assert found or name == "none"


@pytest.mark.req("REQ-HD-002.2")
def test_density_is_only_shown_where_it_has_an_effect() -> None:
    dense = controls(made(session(), strategy="high-density"))
    assert (
        dense["Remove stale reads"].note.effect
        == dense["Remove repeated files"].note.effect
        == "0"
    )
    assert dense["Keep only the newest results"].note.text == "per tool"
    assert dense["Keep only the newest results"].note.effect.startswith("would save ")
    assert "Results kept per tool" not in dense
    assert not {one.key for one in controls(made(session())).values()} & set(
        schema.DENSITY_SWITCHES
    )


def test_tokens_of_removed_messages_are_not_said_to_be_shortened() -> None:
    talked = conversation(*talk(40, "word " * 200))
    dense = controls(made(talked, strategy="high-density", limit=4_000))
    saving = dense["Shorten old tool results, remove the oldest messages"]
    assert saving.value_text.startswith("−")
    assert "Shorten old tool results" not in dense


def test_another_result_uses_nothing_of_the_tokens_of_a_summary() -> None:
    one = made(session())
    other = replace(one, result=replace(one.result, result_source="recorded 1"))
    assert "used" in controls(one)["Summary at most"].note.text
    assert "used" not in controls(other)["Summary at most"].note.text


def test_what_is_saved_together_is_the_sum_of_its_parts() -> None:
    one = made(session(), strategy="high-density")
    saved = number_format.signed(one.sizes.after_tokens - one.sizes.before_tokens)
    (figure,) = control_groups(preview_columns(one), layers())[-1].facts
    assert (figure.label, figure.value) == ("Saved together", saved)
    parts = savings_figures(preview_columns(one))
    assert [(part.label, part.value) for part in parts] == [
        ("one-line results", saved),
        ("together", saved),
    ]


def test_a_control_tells_what_each_layer_says() -> None:
    control = controls(made(session(), bottom=0.3), layers(bottom=0.3))["Keep Bottom"]
    assert control.layer == "session"
    assert control.layers == (("session", "30 %"), ("saved", "–"), ("default", "20 %"))


def _hint(key: str, found: SettingLayers, preview: Preview | None = None) -> str:
    page = SettingsFiles().settings_page(found, "offline", preview)
    return next(
        one.note.text
        for group in page.groups
        for one in group.controls
        if one.key == key
    )


def test_a_share_says_which_messages_stay() -> None:
    preview = made(session(), bottom=0.3)
    assert _hint(TOP_PRESERVE, layers(), preview) == "here #1–#4"
    assert (
        _hint(PRESERVE, layers(bottom=0.3), preview)
        == "set by hand · built in is 20 % · here #15–#20"
    )


def test_an_unset_limit_says_where_the_one_that_counts_comes_from() -> None:
    assert _hint(LIMIT, SettingLayers()) == "not set: looked up by the model"
    assert _hint(IMAGES, SettingLayers()) == "not set: all stay"
    preview = made(session(model="claude-sonnet-4-5"), limit=None)
    assert (
        _hint(LIMIT, SettingLayers(), preview)
        == "not set: 200,000, claude-sonnet-4-5 in the model table"
    )
    assert LIMIT not in settings_notes(made(session()))


def test_a_window_that_the_file_gives_away_is_named_once() -> None:
    auto = RecordedCompaction(
        kind="summary", boundary=1, trigger="auto", tokens_before=167_000
    )
    preview = made(
        replace(session(), format="claude_code", recorded=(auto,)), limit=None
    )
    assert (
        _hint(LIMIT, SettingLayers(), preview)
        == "not set: 200,000, the agent compacted at 167,000"
    )
    assert (
        limit_text(preview.sizes.model_limit)
        == "200,000 (the agent compacted at 167,000)"
    )


def _page(name: str = "") -> SettingsPage:
    found = SettingLayers().with_session(PROFILE, name) if name else SettingLayers()
    return SettingsFiles().settings_page(found, "offline")


def test_a_chosen_profile_without_a_key_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ProfileStore().save(
        Profile(
            name="haiku",
            provider="anthropic",
            model="claude-haiku-4-5",
            key_env="HAIKU_KEY",
        )
    )
    assert _page().missing_key is None
    told = _page("haiku").missing_key
    assert told is not None
    assert told.title == "haiku has no key:"
    assert told.text.startswith("the environment variable HAIKU_KEY is empty.")
    assert [(one.action, one.argument) for one in told.actions] == [
        ("profiles", "haiku")
    ]
    monkeypatch.setenv("HAIKU_KEY", "sk-0123456789")
    assert _page("haiku").missing_key is None
