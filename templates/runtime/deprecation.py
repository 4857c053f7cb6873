"""Tells type checkers what is deprecated, without a dependency."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["deprecated"]

F = TypeVar("F", bound=Callable[..., Any])

# Checkers know the decorator as part of the library from 3.13 on. When the program runs it
# must do nothing: the warning would come from inside this package, at every call.
if TYPE_CHECKING and sys.version_info >= (3, 13):
    from warnings import deprecated
else:

    def deprecated(message: str) -> Callable[[F], F]:
        """Mark a function as deprecated; `message` says since when and what to use instead."""

        def mark(function: F) -> F:
            return function

        return mark
