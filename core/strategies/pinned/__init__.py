"""The strategy pinned-hybrid and what it stands on."""
