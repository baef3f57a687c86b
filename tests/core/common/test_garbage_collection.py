"""The collector is paused only on request, and memory is returned without harm."""

from __future__ import annotations

import gc

import pytest

from core.common.garbage_collection import give_back, paused_collection, set_aside


def test_the_collector_works_again_afterwards() -> None:
    with paused_collection():
        assert not gc.isenabled()
        with paused_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_works_again_after_a_failure() -> None:
    with pytest.raises(KeyError), paused_collection():
        raise KeyError
    assert gc.isenabled()


def test_what_is_set_aside_is_not_walked_again() -> None:
    with set_aside():
        made: list[list[int]] = [[] for _ in range(1_000)]
    assert gc.get_freeze_count() >= len(made)
    assert gc.isenabled()
    gc.unfreeze()


def test_memory_can_be_handed_back_at_any_time() -> None:
    give_back()
    give_back()
