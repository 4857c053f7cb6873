"""The version of mcpgen, which is also that of what it emits."""

VERSION = "0.1.0"
