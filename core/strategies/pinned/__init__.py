"""The strategy pinned-hybrid."""
