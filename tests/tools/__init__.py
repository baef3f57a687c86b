"""Measurements to repeat on other transcripts."""
