"""The view of a compared folder."""
