"""The strategy tiered."""
