"""The version of mcpgen, which is also that of what it emits."""

from typing import Final

VERSION: Final = "0.1.0"
