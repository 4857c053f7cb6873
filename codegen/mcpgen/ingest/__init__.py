"""Reads the specification: fetches it, checks it, derives its documents; knows nothing of emit."""
