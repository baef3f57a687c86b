"""The sweep view."""
