"""The probes dialog."""
