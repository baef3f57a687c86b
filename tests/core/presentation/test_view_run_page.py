"""The page of a run: tiers, statistics, calls, tools of an agent."""

from dataclasses import replace

from core.configuration.layers import SettingLayers
from core.presentation.inspector_model import TextSpan, WhySection
from core.presentation.run_page import run_page
from core.preview.options import Preview
from core.preview.preview import compute_preview
from core.settings.keys import LIMIT
from core.transcript.compaction import AgentStep, Compaction, HybridStats, ModelCall, TierOutcome
from tests.builders import conversation, talk

TALK = conversation(*talk(30))
CALL = ModelCall("offline", "snapshot", 120, 40, retries=1, purpose="#3")


def made(**changes: object) -> Preview:
    """Return a preview whose compaction has these parts."""
    one = compute_preview(TALK, SettingLayers().with_session(LIMIT, 1000).resolve())
    compaction: Compaction = replace(one.compaction, **changes)  # type: ignore[arg-type]
    return replace(one, compaction=compaction)


def words(spans: tuple[TextSpan, ...]) -> str:
    return "".join(span.text for span in spans)


def section(shown: Preview, title: str) -> WhySection:
    return next(one for one in run_page(shown).sections if one.title.startswith(title))


def test_each_tier_names_what_it_changed_and_what_was_left() -> None:
    tiers = (TierOutcome(1, "truncate", 900, (3, 4)), TierOutcome(2, "remove", 800, (), "no older results"))
    shown = made(tiers=tiers, target=700)
    page = run_page(shown)
    titles = ["Tier 1, truncate: 2 messages changed", "Tier 2, remove: nothing changed"]
    assert [words(step.title) for step in page.steps] == titles
    assert "no older results" in words(page.steps[1].detail)
    links = [span.link for span in section(shown, "Tier 1").text if span.link]
    assert links == ["before:3", "before:4"]
    assert "the target of 700 tokens is" in words(page.sentence)


def test_the_counters_of_hybrid_and_its_calls_are_there() -> None:
    stats = HybridStats(1000, 400, 0.4, 3, 2, 1, 1, 5)
    shown = made(stats=stats, calls=(CALL, replace(CALL, purpose="#5")))
    facts = {fact.label: fact.value for fact in section(shown, "Statistics").facts}
    assert facts["tool results compressed"] == "3"
    assert facts["share that is left"] == "40 %"
    first = section(shown, "2 calls").facts[0]
    assert (first.label, first.value) == ("#3", "snapshot · 120 → 40 · 1 retry")


def test_an_agents_tools_stand_round_by_round_with_their_effects() -> None:
    steps = (
        AgentStep(1, "get_compression_metadata", "{}", "30 messages listed", False, 900),
        AgentStep(2, "compress_tool_result", '{"message_index": 4}', "#5 is protected", True, 900),
    )
    found = section(made(calls=(replace(CALL, agent_steps=steps),)), "Round 2")
    assert words(found.text) == 'compress_tool_result {"message_index": 4}\n→ refused: #5 is protected'
    assert [one.link for one in found.text if one.link] == ["before:4"]
    assert "900" in found.facts[0].value


def test_sizes_stand_with_the_tier_that_changed_a_message_last() -> None:
    tiers = (TierOutcome(1, "truncate", 900, (3, 4)), TierOutcome(2, "remove", 800, (4,)))
    first, second = (words(section(made(tiers=tiers), title).text) for title in ("Tier 1", "Tier 2"))
    assert ["→" in part for part in first.split(",")] == [True, False]
    assert "→" in second
