"""The tools of ``foldline mcp``; only ``server`` uses the package of the protocol."""
