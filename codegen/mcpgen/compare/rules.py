"""The rules: every kind of change there is, whom it breaks, and why.

Severity follows from one question, asked twice: may the new version write what the old one
refuses to read (*breaks readers*), and may the old version write what the new one refuses to
read (*breaks writers*)? Three conventions of the protocol decide what is refused:

- Objects are open. A key that the reader does not know is kept and disturbs nothing, so an
  optional field may come and go.
- A request of an unknown method is answered by an error, an unknown notification is ignored,
  and capabilities say in advance what is understood, so a new method disturbs nobody.
- Names of types are not on the wire. A type that comes or goes matters where it is used, and
  is reported there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .changes import Change, Group, Severity

_NOBODY = Severity.COMPATIBLE
_READERS = Severity.READERS
_WRITERS = Severity.WRITERS
_BOTH = Severity.BOTH


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of change: its words, whom it breaks, and why.

    `group` is where it is reported. The rules for types also serve for the params of a
    method, and are then reported with the methods. `listed` changes are shown as one list of
    their paths, since each has nothing of its own to say. `covered` names one other place a
    change reaches, and `covered_many` several.
    """

    group: Group
    severity: Severity
    what: str
    why: str
    listed: bool = False
    covered: str = "type that extends it"
    covered_many: str = "types that extend it"


RULES: dict[str, Rule] = {
    # --- methods
    "method-removed": Rule(
        "methods",
        _WRITERS,
        "method removed",
        "what is sent is answered by an error or ignored",
        listed=True,
    ),
    "method-kind-changed": Rule(
        "methods", _BOTH, "kind of message changed", "it travels in another way"
    ),
    "method-sender-added": Rule(
        "methods", _READERS, "sender added", "the other side now receives it"
    ),
    "method-sender-removed": Rule(
        "methods", _WRITERS, "sender removed", "the other side no longer expects it"
    ),
    "params-now-required": Rule(
        "methods", _WRITERS, "params now required", "they used to be left out"
    ),
    "params-now-optional": Rule(
        "methods", _READERS, "params now optional", "they used to be there always"
    ),
    "params-added": Rule("methods", _NOBODY, "optional params added", "they may be left out"),
    "params-removed": Rule("methods", _NOBODY, "optional params removed", "nobody counts on them"),
    "required-params-removed": Rule(
        "methods", _READERS, "required params removed", "they used to be there always"
    ),
    "result-added": Rule(
        "methods", _READERS, "result added", "the caller may get a result it does not know"
    ),
    "result-removed": Rule(
        "methods", _WRITERS, "result removed", "the caller no longer takes that result"
    ),
    "capability-needed": Rule(
        "methods", _WRITERS, "capability now needed", "who did not need it may now be refused"
    ),
    "capability-changed": Rule(
        "methods", _WRITERS, "capability changed", "another one has to be advertised"
    ),
    "capability-dropped": Rule(
        "methods", _NOBODY, "capability no longer needed", "who checks it checks too much"
    ),
    "method-added": Rule(
        "methods", _NOBODY, "method added", "who does not know it says so or ignores it"
    ),
    # --- types as a whole
    "type-renamed": Rule("types", _NOBODY, "renamed", "the JSON is the same"),
    "type-added": Rule("types", _NOBODY, "type added", "reported where it is used"),
    "type-removed": Rule(
        "types", _NOBODY, "type removed", "reported where it was used", listed=True
    ),
    "type-declared": Rule(
        "types",
        _NOBODY,
        "was written inline, now a type of its own",
        "the JSON is the same",
        listed=True,
    ),
    "type-inlined": Rule(
        "types",
        _NOBODY,
        "was a type of its own, now written inline",
        "the JSON is the same",
        listed=True,
    ),
    "other-keys-named": Rule(
        "types", _NOBODY, "now says that other keys are allowed", "they always were", listed=True
    ),
    "other-keys-unnamed": Rule(
        "types",
        _NOBODY,
        "no longer says that other keys are allowed",
        "they still are",
        listed=True,
    ),
    # --- fields
    "required-field-added": Rule("types", _WRITERS, "required field added", "old messages lack it"),
    "assumed-field-added": Rule(
        "types",
        _NOBODY,
        "required field added, with a value assumed where it is absent",
        "old messages lack it and are read all the same",
    ),
    "optional-field-added": Rule(
        "types", _NOBODY, "optional field added", "who does not know it keeps it"
    ),
    "required-field-removed": Rule(
        "types", _READERS, "required field removed", "it used to be there always"
    ),
    "optional-field-removed": Rule(
        "types", _NOBODY, "optional field removed", "nobody counts on it"
    ),
    "field-opened": Rule(
        "types",
        _READERS,
        "optional field no longer described, any value is allowed",
        "it may hold what it could not before",
    ),
    "required-field-renamed": Rule(
        "types", _BOTH, "required field renamed", "each side misses the name it knows"
    ),
    "optional-field-renamed": Rule(
        "types", _NOBODY, "optional field renamed", "nobody counts on either name"
    ),
    "field-now-required": Rule("types", _WRITERS, "now required", "old messages may lack it"),
    "field-now-assumed": Rule(
        "types",
        _NOBODY,
        "now required, with a value assumed where it is absent",
        "old messages that lack it are read all the same",
    ),
    "field-now-optional": Rule("types", _READERS, "now optional", "it used to be there always"),
    "null-allowed": Rule("types", _READERS, "null now allowed", "it used to be refused"),
    "null-refused": Rule("types", _WRITERS, "null no longer allowed", "it used to be written"),
    # --- what a field, an item or a named type may hold
    "type-widened": Rule("types", _READERS, "type widened", "there is more to read than before"),
    "type-narrowed": Rule("types", _WRITERS, "type narrowed", "not all that was written fits"),
    "type-changed": Rule("types", _BOTH, "type changed", "neither fits the other"),
    "type-respelled": Rule(
        "types",
        _NOBODY,
        "written another way",
        "the JSON is the same",
        covered="other place",
        covered_many="other places",
    ),
    "keys-described": Rule(
        "types",
        _NOBODY,
        "keys of an open object now described",
        "the object was and is open",
    ),
    "keys-undescribed": Rule(
        "types",
        _NOBODY,
        "keys of an open object no longer described",
        "the object was and is open",
    ),
    "keys-redescribed": Rule(
        "types",
        _NOBODY,
        "optional keys described in another way",
        "the object was and is open",
    ),
    "member-added": Rule("types", _READERS, "union member added", "it is not known"),
    "member-removed": Rule("types", _WRITERS, "union member removed", "it is no longer taken"),
    "value-added": Rule("types", _READERS, "value added", "it is not known"),
    "value-removed": Rule("types", _WRITERS, "value removed", "it is no longer taken"),
    "known-value-added": Rule(
        "types", _NOBODY, "known value added to an open set", "any string was and is allowed"
    ),
    "known-value-removed": Rule(
        "types", _NOBODY, "known value removed from an open set", "any string was and is allowed"
    ),
    "limit-loosened": Rule("types", _READERS, "limit loosened", "values beyond it may come"),
    "limit-tightened": Rule("types", _WRITERS, "limit tightened", "values beyond it are refused"),
    "limit-changed": Rule("types", _BOTH, "limit changed", "neither set of values fits the other"),
    # --- constants
    "constant-changed": Rule(
        "constants", _BOTH, "value changed", "each side means another value by it"
    ),
    "constant-removed": Rule(
        "constants", _WRITERS, "constant removed", "its value has no meaning any more"
    ),
    "constant-added": Rule(
        "constants", _NOBODY, "constant added", "codes not known are taken as they are"
    ),
    "version-changed": Rule("constants", _NOBODY, "value changed", "it names the version itself"),
    # --- deprecations
    "deprecated": Rule("deprecations", _NOBODY, "deprecated", "it still works", listed=True),
    "deprecation-reworded": Rule(
        "deprecations", _NOBODY, "deprecation worded anew", "it still works"
    ),
    "no-longer-deprecated": Rule(
        "deprecations", _NOBODY, "no longer deprecated", "it always worked", listed=True
    ),
}


def make_change(
    kind: str,
    path: str,
    *,
    old: str | None = None,
    new: str | None = None,
    covers: Iterable[str] = (),
    group: Group | None = None,
) -> Change:
    """A change by its rule; `group` where it is not the one of the rule."""
    rule = RULES[kind]
    return Change(
        group or rule.group, kind, path, rule.what, rule.severity, old, new, tuple(covers)
    )
