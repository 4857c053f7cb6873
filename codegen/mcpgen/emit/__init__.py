"""Emitting: what turns a Model into the files of a package.

Imports `model` and the modules beside it, such as `errors`; none of the other packages.
"""
