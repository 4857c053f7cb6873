"""Emitting: what turns a Model into the files of a package; imports `model` and `errors`."""
