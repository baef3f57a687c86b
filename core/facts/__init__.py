"""Facts that later turns may need, extracted from the messages of a conversation."""

from core.facts.extract import extract_facts
from core.facts.model import Fact, FactCategory, Facts, FactState

__all__ = ["Fact", "FactCategory", "FactState", "Facts", "extract_facts"]
