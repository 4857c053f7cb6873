"""The documentation in the Model, on an invented protocol: texts, addresses, deprecations."""

from __future__ import annotations

import pytest

from .invented import PROTOCOL, TYPES, Folder, method, obj


def test_fields_are_described_by_the_nearest_type_that_says_anything(folder: Folder) -> None:
    source = (
        f"{TYPES}export interface A {{ x: string; y: string; z: string }}\n"
        "export interface B extends A { z: string }\nexport interface C extends B {}\n"
    )
    protocol = folder.model(
        source, "", {"A.x": "A x.", "A.y": "A y.", "B.y": "B y.", "C.z": "C z.", "C": "A C.\n\nSo."}
    )
    c = obj(protocol, "C")
    assert [item.docs.text for item in c.fields] == ["A x.", "B y.", "C z."]
    assert [item.owner for item in c.fields] == ["A", "A", "A"]
    assert c.extends == ("B",)
    assert (c.docs.text, c.docs.summary) == ("A C.\n\nSo.", "A C.")


def test_our_words_come_before_the_specifications(folder: Folder) -> None:
    source = (
        f"{TYPES}/** Theirs. */\nexport interface T {{\n  /** Their a. */\n  a: string;\n"
        "  /** Their b. */\n  b: string;\n}\n"
    )
    protocol = folder.model(source, "", {"T.a": "Our a."}, keep=True)
    assert protocol.type("T").docs.text == "Theirs."
    assert [item.docs.text for item in obj(protocol, "T").fields] == ["Our a.", "Their b."]
    bare = folder.model(source)
    assert [item.docs.text for item in obj(bare, "T").fields] == ["", ""]


def test_frames_and_params_are_described_by_what_they_are(folder: Folder) -> None:
    protocol = folder.model(
        PROTOCOL,
        "",
        {
            "JSONRPCRequest.id": "The id.",
            "Request.method": "The method.",
            "RequestParams._meta": "The metadata.",
            "sheep/list": "Lists sheep.",
        },
    )
    request = obj(protocol, "ListSheepRequest")
    assert [item.docs.text for item in request.fields] == ["", "The id.", "The method.", ""]
    assert obj(protocol, "ListSheepRequestParams").fields[0].docs.text == "The metadata."
    assert method(protocol, "sheep/list").docs.text == "Lists sheep."


def test_params_of_what_is_no_message_are_not_described_as_such(folder: Folder) -> None:
    inner = "export interface NapRequest { params: { _meta?: string } }\n"
    texts = {"RequestParams._meta": "The metadata."}
    protocol = folder.model(PROTOCOL + inner, "", texts)
    (meta,) = obj(protocol, "NapRequestParams").fields
    assert (meta.docs.text, meta.owner) == ("", None)


def test_an_inline_intersection_is_described_by_its_parts(folder: Folder) -> None:
    source = (
        f"{TYPES}export interface A {{ x: string }}\nexport interface T {{ t: A & {{ y: 'y' }} }}"
    )
    found = obj(folder.model(source, "", {"A.x": "An x."}), "TT")
    assert [item.docs.text for item in found.fields] == ["An x.", ""]
    assert found.extends == ("A",)


@pytest.mark.parametrize(
    ("version", "name", "url"),
    [
        ("2025-11-25", "Sheep", "/2025-11-25/schema#sheep"),
        ("2025-11-25", "ListSheepRequestParams", "/2025-11-25/schema#listsheeprequest"),
        ("2025-03-26", "Sheep", "/2025-03-26"),
        ("draft", "Sheep", "/draft/schema#sheep"),
    ],
)
def test_addresses_in_the_specification(folder: Folder, version: str, name: str, url: str) -> None:
    found = folder.model(PROTOCOL, version=version).type(name).docs.spec_url
    assert found == f"https://modelcontextprotocol.io/specification{url}"


def test_deprecations_at_any_depth_and_by_inheritance(folder: Folder) -> None:
    mark = "/** @deprecated protocol version 2029-05-06 */"
    protocol = folder.model(
        f"{TYPES}/** @deprecated */\nexport interface T {{\n {mark}\n a: string;\n"
        f" b: {{ c: {{\n {mark}\n d: string; e: string }}[] }} }}\n"
        "export interface U extends T {}\n/** @deprecated */\nexport type V = string;\n"
    )
    since = "Deprecated since 2029-05-06."
    assert protocol.type("T").deprecated == "Deprecated."
    assert protocol.type("U").deprecated is None
    assert protocol.type("V").deprecated == "Deprecated."
    assert [item.deprecated for item in obj(protocol, "T").fields] == [since, None]
    assert [item.deprecated for item in obj(protocol, "U").fields] == [since, None]
    assert [item.deprecated for item in obj(protocol, "TBCItem").fields] == [since, None]


def test_a_deprecated_message_is_a_deprecated_method(folder: Folder) -> None:
    source = PROTOCOL.replace(
        "export interface ShearRequest", "/** @deprecated */\nexport interface ShearRequest"
    )
    protocol = folder.model(source)
    assert method(protocol, "sheep/shear").deprecated == "Deprecated."
    assert method(protocol, "sheep/list").deprecated is None
