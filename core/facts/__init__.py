"""What a later turn may need, extracted once from the messages of a conversation."""

from core.facts.extract import Gathering, extract
from core.facts.model import Category, Fact, Facts, State

__all__ = ["Category", "Fact", "Facts", "Gathering", "State", "extract"]
