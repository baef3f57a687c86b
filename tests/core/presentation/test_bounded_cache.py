"""The cache of recent items: bounds by count and bytes."""

from __future__ import annotations

from core.presentation.bounded_cache import RecentCache


def kept(*sizes: int, most: int = 3, room: int = 100) -> RecentCache[str]:
    """Return a cache of texts of these lengths, which are their weights; the last is the newest."""
    found: RecentCache[str] = RecentCache(most, room, len)
    for number, size in enumerate(sizes):
        found.add(str(number) * size)
    return found


def first(found: RecentCache[str]) -> str:
    return "".join(one[0] for one in found)


def test_the_longest_unused_goes() -> None:
    found = kept(1, 1, 1)
    assert found.find(lambda one: one == "0") == "0"
    found.add("3")
    assert first(found) == "302"
    assert found.find(lambda one: one == "1") is None


def test_what_is_out_of_sight_has_a_weight_limit() -> None:
    assert first(kept(60, 60, 30)) == "21"
    assert first(kept(60, 60, 999)) == "21"
    assert first(kept(101, 5)) == "1"
    assert kept(60, 60, 30).weight == 60


def test_the_newest_stays_whatever_it_weighs_and_can_be_dropped() -> None:
    found = kept(999)
    assert len(found) == 1
    found.remove()
    assert len(found) == 0
