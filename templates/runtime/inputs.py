"""Answers the requests that travel inside an `InputRequiredResult`, through a client's handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .codec import Codec
from .context import RequestContext
from .errors import ProtocolError
from .guards import is_object
from .handlers import Endpoint, as_asynchronous

__all__ = ["answer_inputs"]


async def answer_inputs(
    questions: dict[str, Any],
    endpoint: Endpoint | None,
    codec: Codec,
    context: Callable[[str, dict[str, Any]], RequestContext],
) -> dict[str, Any]:
    """Return the answers to `questions`, each a request as a JSON object, by the same keys.

    They are answered one after the other, in the order they came: some ask a person.
    `context` makes a handler's context from key and `_meta`. Raises `ProtocolError` for a
    request that this client does not answer, and whatever the handler raises.
    """
    answers: dict[str, Any] = {}
    for key, question in questions.items():
        method = str(question["method"])
        fn = endpoint.find(codec.methods[method]) if endpoint is not None else None
        if fn is None:
            raise ProtocolError(f"the server asks for {method}, which this client does not answer")
        params = question.get("params")
        typed = codec.decode_params(method, {} if params is None else params)
        meta = params.get("_meta") if is_object(params) else None
        ctx = context(key, meta if is_object(meta) else {})
        result = await as_asynchronous(fn)(typed, ctx)
        answers[key] = codec.encode_result(method, result)
    return answers
