"""Benchmark games on the same schedule, and the share of skill at which they spread like the record."""
