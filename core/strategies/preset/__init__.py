"""Presets: agents emulated by rules in TOML, and the engine that reads them."""
