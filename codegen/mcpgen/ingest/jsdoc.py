"""Reads doc comments: prose and block tags."""

from __future__ import annotations

import re

from .declarations import Doc

# A block tag starts a line; `{@link …}` inside prose does not.
_BLOCK_TAG = re.compile(r"^@([A-Za-z][\w-]*)\s*(.*)$")
_DECORATION = re.compile(r"^\s*\*? ?")


def is_doc_comment(comment: str) -> bool:
    """Whether a comment is `/** … */`."""
    return comment.startswith("/**") and comment != "/**/"


def parse(comment: str) -> Doc:
    """The prose and the tags of one `/** … */` comment."""
    lines = [_DECORATION.sub("", line) for line in comment[3:-2].splitlines()]
    prose: list[str] = []
    tags: list[tuple[str, list[str]]] = []
    for line in lines:
        if match := _BLOCK_TAG.match(line.strip()):
            tags.append((match[1], [match[2]]))
        elif tags:
            tags[-1][1].append(line.rstrip())
        else:
            prose.append(line.rstrip())
    return Doc(
        "\n".join(prose).strip(),
        tuple((name, "\n".join(text).strip()) for name, text in tags),
    )
