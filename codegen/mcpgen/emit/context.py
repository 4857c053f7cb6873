"""The template context: every variable that the templates of a style see, and its version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypedDict

from ..model.model import Protocol
from .call_views import Calls
from .decoders import Decoders
from .encoding import Encoders
from .facts import Facts

CONTEXT_VERSION: Final = 1
"""Rises when templates that were written before may have to change."""


class PackageContext(TypedDict):
    """What a template under `[package]` of style.toml sees.

    `protocols` are the Models, oldest first, and `facts` the traits of each; `latest` is the
    newest released version and `latest_module` its module. `package` is the import name,
    `distribution` the name to install. Each file begins with the comment `header`, or with
    `header_line`, its text without the comment sign.
    """

    protocols: Sequence[Protocol]
    facts: Sequence[Facts]
    latest: str
    latest_module: str
    package: str
    distribution: str
    generator_version: str
    header: str
    header_line: str


class VersionContext(TypedDict):
    """What a template under `[version]` of style.toml sees, once for each version.

    `protocol` is the Model. `package` is the import name, and `header` the comment each file
    begins with. `protocol_version` is the version as it is sent, `spec_url` the address of
    its specification. `type_names` are the named types in order; `exported` is everything
    the module exports. `results` has the hint of the results of each request, `messages` the
    classes that a decoded message may have, and `param_classes` the classes that the params of
    each method may be. `decoders`, `encoders` and `calls` are the plans of the codec, the
    stubs and the handlers. `facts` are the traits that sessions know a version by.
    """

    protocol: Protocol
    package: str
    header: str
    protocol_version: str
    spec_url: str
    type_names: list[str]
    results: dict[str, str]
    messages: list[str]
    exported: list[str]
    decoders: Decoders
    encoders: Encoders
    calls: Calls
    param_classes: dict[str, tuple[str, ...]]
    facts: Facts
