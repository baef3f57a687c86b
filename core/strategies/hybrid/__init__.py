"""The strategy hybrid."""
