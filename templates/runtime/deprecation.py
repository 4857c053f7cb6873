"""Tells type checkers what is deprecated, without a dependency."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["deprecated"]

F = TypeVar("F", bound=Callable[..., Any])

# Checkers bring this module themselves. When the program runs nothing is imported, and the
# decorator does nothing: its warning would come from inside this package, at every call.
if TYPE_CHECKING:
    from typing_extensions import deprecated
else:

    def deprecated(message: str) -> Callable[[F], F]:
        """Mark a function as deprecated; `message` says since when and what to use instead."""

        def mark(function: F) -> F:
            return function

        return mark
