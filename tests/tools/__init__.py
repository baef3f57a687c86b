"""Measurements that anybody can run again on transcripts of their own."""
