"""The strategy hybrid and what it stands on."""
