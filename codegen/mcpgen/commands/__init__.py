"""The commands, a module for each group: options in, the library's answer out, as text or JSON.

Every module has `register(app)`, which adds its commands, and prints its own results. What
takes long to import is imported inside the commands, so that `mcpgen --help` answers at once.
A command raises what the library raises; `cli` reports it.
"""
