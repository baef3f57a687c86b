"""The strategy tiered and what it stands on."""
