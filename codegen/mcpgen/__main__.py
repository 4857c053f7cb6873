"""`python -m mcpgen` is the command `mcpgen`."""

from .cli import main

main()
