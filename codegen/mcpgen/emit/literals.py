"""Python source of values and docstrings: the only way text reaches an emitted file."""

from __future__ import annotations

import textwrap

DOCSTRING_WIDTH = 88


def python_literal(value: object) -> str:
    """The Python literal of a JSON scalar, double-quoted where it is a string.

    Raises TypeError for any other value, whose text could be read as a name.
    """
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if not isinstance(value, str):
        raise TypeError(f"found a value of type {type(value).__name__}, expected a JSON scalar")
    return '"' + _escaped(value).replace('"', '\\"').replace("\n", "\\n") + '"'


def docstring_literal(text: str, indent: int = 4) -> str:
    """A triple-quoted docstring of `text`, to be placed after `indent` spaces.

    Lines longer than `DOCSTRING_WIDTH` are wrapped, tabs become spaces, and lone surrogates,
    which a docstring cannot hold, their escape sequences; nothing else of the text changes,
    and nothing in it can end the literal. A text of white space only is refused with a
    ValueError: it documents nothing.
    """
    text = text.encode("utf-8", "backslashreplace").decode()
    margin = " " * indent
    lines = [_escaped(line) for line in _wrapped(text, DOCSTRING_WIDTH - indent)]
    if not any(lines):
        raise ValueError("a docstring needs text")
    body = "\n".join(margin + line if line else "" for line in lines).removeprefix(margin)
    if '"""' in body or body.startswith('"') or body.endswith('"'):
        body = body.replace('"', '\\"')
    return f'"""{body}\n{margin}"""' if len(lines) > 1 else f'"""{body}"""'


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text, over-long ones broken at spaces and indented as they began."""
    lines: list[str] = []
    for line in text.strip().expandtabs().split("\n"):
        words = line.split()
        if len(words) < 3:  # A link after a word is easier to follow on the word's line.
            lines.append(line.rstrip())
            continue
        hanging = len(line) - len(line.lstrip()) + (2 if words[0] in ("-", "*") else 0)
        lines += textwrap.wrap(
            line,
            width,
            subsequent_indent=" " * hanging,
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
    return lines


def _escaped(text: str) -> str:
    """`text` with backslashes and everything unprintable but the line feed escaped."""
    return "".join(
        char if char == "\n" or (char.isprintable() and char != "\\") else ascii(char)[1:-1]
        for char in text
    )
