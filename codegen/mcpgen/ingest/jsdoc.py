"""Reads doc comments: prose and block tags."""

from __future__ import annotations

import re

from .declarations import Doc

_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_DECORATION = re.compile(r"^\s*\*? ?")
# A tag starts a line or follows white space, as the compiler has it: `/** Old. @deprecated */`.
# Links and code are prose, whatever they hold.
_PROSE_OR_TAG = re.compile(r"\{@link(?:code|plain)?\b[^}]*\}|`[^`\n]*`|(?<!\S)@([^\W\d][\w-]*)")


def is_doc_comment(comment: str) -> bool:
    """Whether a comment is `/** … */`."""
    return comment.startswith("/**") and comment != "/**/"


def parse(comment: str) -> Doc:
    """The prose and the tags of one `/** … */` comment."""
    lines = [_DECORATION.sub("", line) for line in _LINE_END.split(comment[3:-2])]
    text = "\n".join(lines)
    tags = [match for match in _PROSE_OR_TAG.finditer(text) if match[1]]
    starts = [match.start() for match in tags] + [len(text)]
    return Doc(
        _trimmed(text[: starts[0]]),
        tuple(
            (match[1], _trimmed(text[match.end() : end]))
            for match, end in zip(tags, starts[1:], strict=True)
        ),
    )


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()
