"""Benchmarks: they measure and print, and never fail on a time. May import the emitted package."""
