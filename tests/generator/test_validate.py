"""`mcpgen validate`: forms of input, the pairing of responses, and what is printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcpgen
import pytest
from mcpgen import Fault, Note, Validation
from mcpgen.errors import ConfigError, LockError, McpgenError
from mcpgen.files import LARGEST_FILE

from .tiny import ROOT, Outcome, environment, run_mcpgen

Command = Callable[..., Outcome]
SPEC = ROOT / "spec"
EXAMPLES = ROOT.parent / "shared" / "upstream" / "2026-07-28" / "examples"
SAMPLES = sorted((ROOT / "tests" / "samples").glob("????-??-??/*.json"))
VERSION = "2025-11-25"

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add"}}
SAMPLE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "sampling/createMessage",
    "params": {"messages": [], "maxTokens": 9},
}
NO_TOOLS = "$.result.tools: expected an array, found nothing"
UNASKED = "answers no request before it, so its result was not judged"
NO_NAME = "$.params.name: expected a string, found nothing"


def answer(result: Any, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Validation]:
    """Judges one text, in a file called `f` in the current folder."""
    monkeypatch.chdir(tmp_path)

    def run(content: str | bytes, version: str = VERSION, **options: Any) -> Validation:
        Path("f").write_bytes(content if isinstance(content, bytes) else content.encode())
        return mcpgen.validate([Path("f")], version=version, spec_dir=SPEC, **options)

    return run


def said(found: Validation) -> list[str]:
    return [str(item).removeprefix("f:") for item in found.findings]


# --- forms of input -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "judged", "expected"),
    [
        (json.dumps(PING), 1, []),
        (json.dumps(PING, indent=2), 1, []),
        ("\n\n" + json.dumps({**CALL, "params": {}}, indent=2), 1, [f"3: {NO_NAME}"]),
        (b"\xef\xbb\xbf" + json.dumps(PING).encode(), 1, []),
        (b"\xef\xbb\xbf" + lines(PING, PING).encode(), 2, []),
        (lines(PING, PING).replace("\n", "\r\n\r\n"), 2, []),
        (lines(PING, {**CALL, "params": {}}, PING), 3, [f"2: {NO_NAME}"]),
        (lines(PING, 3), 2, ["2: $: expected a JSON-RPC message, found integer 3"]),
        ("nonsense\n" + lines(PING), 2, ["1: $: expected JSON text, found 'nonsense' at line 1, "]),
        (
            lines(PING) + '{"a":',
            2,
            [
                "2: $: expected JSON text, found the end of the text at line "
                "2, column 6 (Expecting value)"
            ],
        ),
        (
            lines(PING).encode() + b'"\xff"\n' + lines(PING).encode(),
            3,
            ["2: $: expected JSON text in UTF-8, found byte 0xff at offset 1"],
        ),
        (
            '{\n "a": 1\n "b"}',
            1,
            ["1: $: expected JSON text, found '\"b\"}' at line 3, column 2 ("],
        ),
        ("", 1, ["1: $: expected JSON text, found the end of the text at line 1, column 1 ("]),
    ],
)
def test_forms(
    judge: Callable[..., Validation], content: str | bytes, judged: int, expected: list[str]
) -> None:
    found = judge(content)
    assert found.judged == judged
    assert len(found.findings) == len(expected)
    for item, text in zip(said(found), expected, strict=True):
        assert item.startswith(text)


def test_a_batch(judge: Callable[..., Validation]) -> None:
    batch = [PING, {**CALL, "params": {}}, [], answer({}), answer({}, id=2)]
    found = judge(json.dumps(batch), "2025-03-26")
    assert found.judged == 5
    assert said(found) == [
        "1: $[1].params.name: expected a string, found nothing",
        "1: $[2]: expected a JSON-RPC message, found array of 0 items",
        f"1: note: the response 2 {UNASKED}",
    ]
    refused = judge(json.dumps(batch))
    assert said(refused) == ["1: $: expected a JSON-RPC message, found array of 5 items"]


# --- sessions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        pytest.param([LIST, answer({"tools": []})], [], id="paired"),
        pytest.param([LIST, answer({})], [f"2: {NO_TOOLS}"], id="judged by its request"),
        pytest.param(
            [LIST, answer({"tools": []}), answer({})],
            [f"3: note: the response 1 {UNASKED}"],
            id="answered twice",
        ),
        pytest.param(
            [LIST, answer({}, id="1")],
            [f"2: note: the response '1' {UNASKED}"],
            id="ids of two types",
        ),
        pytest.param(
            [answer(3)], ["1: $.result: expected an object, found integer 3"], id="no object"
        ),
        pytest.param(
            [{**CALL, "params": {}}, answer({})],
            [f"1: {NO_NAME}", "2: $.result.content: expected an array, found nothing"],
            id="a request that is not valid",
        ),
        pytest.param(
            [LIST, {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}, answer({})],
            [f"3: note: the response 1 {UNASKED}"],
            id="an error answers too",
        ),
        pytest.param(
            [LIST, SAMPLE, answer({"tools": []}), answer({"content": []})],
            ['4: $.result.role: expected one of "user", "assistant", found nothing'],
            id="one id on both sides, told apart by the result",
        ),
        pytest.param([SAMPLE, LIST, answer({"tools": []})], [], id="the other order"),
        pytest.param(
            [{"jsonrpc": "2.0", "id": 1, "method": "acme/x"}, answer({"any": 1})],
            ["1: note: the version has no request 'acme/x', so its params were not judged"],
            id="a vendor's method",
        ),
        pytest.param(
            [{"jsonrpc": "2.0", "method": "tools/call"}],
            [
                "1: note: the version has no notification 'tools/call', so its params were not "
                "judged"
            ],
            id="a request as a notification",
        ),
    ],
)
def test_sessions(
    judge: Callable[..., Validation], entries: list[Any], expected: list[str]
) -> None:
    assert said(judge(lines(*entries))) == expected


def test_entries_that_say_who_sent_them(judge: Callable[..., Validation]) -> None:
    entries = [
        {"from": "client", "at": "10:00", "message": LIST},
        {"from": "server", "message": SAMPLE},
        # By the result alone this would be an answer to the server.
        {"from": "server", "message": answer({"model": "m", "role": "user", "content": []})},
        {"from": "client", "message": answer({"tools": [], "content": []})},
        {"from": "both", "message": PING},
        {"from": "client", "message": {**CALL, "params": {}}},
    ]
    expected = [
        "$.message.result.tools: expected an array, found nothing",
        '$.message.result.role: expected one of "user", "assistant", found nothing',
        '$.from: expected one of "client", "server", found string \'both\'',
        "$.message.params.name: expected a string, found nothing",
    ]
    found = said(judge(lines(*entries)))
    assert found == [f"{n}: {text}" for n, text in zip((3, 4, 5, 6), expected, strict=True)]
    found = said(judge(json.dumps(entries)))
    assert found == [
        f"1: $[{n}]{text.removeprefix('$')}" for n, text in zip((2, 3, 4, 5), expected, strict=True)
    ]


def test_each_file_is_a_session_of_its_own(tmp_path: Path) -> None:
    for name, value in (("a", LIST), ("b", answer({}))):
        (tmp_path / name).write_text(json.dumps(value))
    files = [tmp_path / "a", tmp_path / "b"]
    found = mcpgen.validate(files, version=VERSION, spec_dir=SPEC)
    (note,) = found.findings
    assert isinstance(note, Note)
    assert (note.file, found.valid, found.judged) == (tmp_path / "b", True, 2)


# --- named types --------------------------------------------------------------------------------


def test_a_named_type(judge: Callable[..., Validation]) -> None:
    found = judge(lines({"type": "text", "text": ""}, {"type": "txt"}), type="ContentBlock")
    assert found.judged == 2
    (fault,) = found.findings
    assert isinstance(fault, Fault)
    assert (fault.line, fault.path, fault.found) == (2, "$.type", "string 'txt'")
    assert fault.expected.startswith('one of "text", "image"')


def test_an_array_as_a_named_type(judge: Callable[..., Validation]) -> None:
    entries = json.dumps([{"from": "client", "message": 1}])
    assert judge(entries, "2026-07-28", type="JSONArray").judged == 1


@pytest.mark.parametrize("version", sorted({path.parent.name for path in SAMPLES}))
def test_samples(version: str) -> None:
    by_type: dict[str, list[Path]] = {}
    for path in SAMPLES:
        if path.parent.name == version:
            by_type.setdefault(path.name.partition(".")[0], []).append(path)
    for name, files in by_type.items():
        kind = None if name == "Response" else name
        found = mcpgen.validate(files, version=version, type=kind, spec_dir=SPEC)
        assert (found.judged, found.faults) == (len(files), ())


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the official examples are not here")
def test_official_examples() -> None:
    folders = [path for path in sorted(EXAMPLES.iterdir()) if path.is_dir()]
    assert len(folders) > 80
    for folder in folders:
        files = sorted(folder.glob("*.json"))
        found = mcpgen.validate(files, version="2026-07-28", type=folder.name, spec_dir=SPEC)
        assert (found.judged, found.faults) == (len(files), ())


# --- refusals -----------------------------------------------------------------------------------


def test_refusals(judge: Callable[..., Validation], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--type: found 'tool', .*: did you mean Tool?"):
        judge("{}", type="tool")
    with pytest.raises(LockError, match=r"found no version '2000-01-01'"):
        judge("{}", "2000-01-01")
    with pytest.raises(McpgenError, match=r"^nowhere: cannot be read: no such file"):
        mcpgen.validate([Path("nowhere")], version=VERSION, spec_dir=SPEC)
    with pytest.raises(McpgenError, match=r": cannot be read: is a directory"):
        mcpgen.validate([tmp_path], version=VERSION, spec_dir=SPEC)


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def validate(mcpgen: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("good.json").write_text(json.dumps(PING))
    Path("bad.jsonl").write_text(lines(answer({}), {**CALL, "params": {}}, 3))

    def run(*arguments: object) -> Outcome:
        return mcpgen("validate", "--spec-dir", SPEC, "--version", VERSION, *arguments)

    return run


def test_valid(validate: Command) -> None:
    assert validate("good.json") == Outcome(0, "1 message, all valid\n", "")


def test_not_valid(validate: Command) -> None:
    note = f"the response 1 {UNASKED}"
    reports = [f"bad.jsonl:1: note: {note}", f"bad.jsonl:2: {NO_NAME}"]
    last = "bad.jsonl:3: $: expected a JSON-RPC message, found integer 3"
    done = validate("good.json", "bad.jsonl")
    assert done == Outcome(1, "\n".join([*reports, last, "4 messages, 2 not valid\n"]), "")
    done = validate("--fail-fast", "good.json", "bad.jsonl")
    assert done == Outcome(1, "\n".join([*reports, "3 messages, 1 not valid\n"]), "")


def test_as_json(validate: Command) -> None:
    done = validate("--json", "--fail-fast", "bad.jsonl")
    assert (done.code, done.err) == (1, "")
    fault = {"path": "$.params.name", "expected": "a string", "found": "nothing"}
    text = f"the response 1 {UNASKED}"
    assert json.loads(done.out) == {
        "valid": False,
        "judged": 2,
        "faults": [{"file": "bad.jsonl", "line": 2, **fault}],
        "notes": [{"file": "bad.jsonl", "line": 1, "text": text}],
    }


def test_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mcpgen", "validate", "--version", VERSION, "-"]
    content = "\ufeff" + lines(PING, 3)
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), input=content.encode(), capture_output=True
    )
    assert (done.returncode, done.stderr) == (1, b"")
    fault, summary = done.stdout.decode().splitlines()
    assert fault == "-:2: $: expected a JSON-RPC message, found integer 3"
    assert summary == "2 messages, 1 not valid"


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_closed_standard_input(tmp_path: Path) -> None:
    command = f"{sys.executable} -m mcpgen validate --version {VERSION} - <&-"
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), shell=True, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: -: cannot be read: bad file descriptor\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["good.json", "--type", "Nope"], "--type: found 'Nope', which version 2025-11-25"),
        ([], "Missing argument 'FILE"),
    ],
)
def test_usage(validate: Command, arguments: list[str], expected: str) -> None:
    assert validate(*arguments).problem(2).startswith(expected)


def test_the_example_of_the_readme(validate: Command) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command = re.escape(f"$ mcpgen validate --version {VERSION} session.jsonl\n")
    found = re.search(rf"\$ cat session\.jsonl\n(.*?){command}(.*?)\$ ", text, re.DOTALL)
    assert found is not None
    Path("session.jsonl").write_text(found[1], encoding="utf-8")
    assert validate("session.jsonl") == Outcome(1, found[2], "")


def test_an_unreadable_file(validate: Command) -> None:
    assert validate("nowhere.json").problem() == (
        "nowhere.json: cannot be read: no such file or directory"
    )


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no such devices")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_a_device(validate: Command, device: str) -> None:
    assert (
        validate(device).problem() == f"{device}: cannot be read: it is neither a file nor a pipe"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe(validate: Command) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(json.dumps(PING),))
    writer.start()
    assert validate("pipe") == Outcome(0, "1 message, all valid\n", "")
    writer.join()


def test_a_file_that_is_too_large(validate: Command) -> None:
    with Path("large").open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    expected = f"large: cannot be read: it is larger than {LARGEST_FILE} bytes, the limit"
    assert validate("large").problem() == expected


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_standard_input_without_end(tmp_path: Path) -> None:
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "mcpgen", "validate", "--version", VERSION, "-"],
            cwd=tmp_path,
            env=environment(),
            stdin=endless,
            capture_output=True,
            text=True,
        )
    assert done.stderr == "error: -: cannot be read: it is larger than 67108864 bytes, the limit\n"
    assert (done.returncode, done.stdout) == (1, "")


def test_it_imports_nothing_that_emits(tmp_path: Path) -> None:
    """Which is what makes it quick."""
    (tmp_path / "m.json").write_text(json.dumps(PING))
    arguments = ("validate", "--version", VERSION, "m.json")
    done = run_mcpgen(*arguments, cwd=tmp_path, PYTHONPROFILEIMPORTTIME="1")
    assert (done.code, done.out) == (0, "1 message, all valid\n")
    loaded = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert "mcpgen.validation.judge" in loaded
    assert not loaded & {"jinja2", "black", "httpx", "datamodel_code_generator", "tree_sitter"}


def test_specs_are_those_of_the_current_folder_like_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that holds a single version: no other can be asked for."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "spec"
    shutil.copytree(SPEC, own, ignore=shutil.ignore_patterns("*.toml"))
    lock = json.loads((own / "lock.json").read_text())
    lock["versions"] = {VERSION: lock["versions"][VERSION]}
    (own / "lock.json").write_text(json.dumps(lock))
    Path("f").write_text(json.dumps(PING))
    assert mcpgen.validate([Path("f")], version=VERSION).findings == ()
    with pytest.raises(McpgenError):
        mcpgen.load_models("2024-11-05")
    with pytest.raises(McpgenError):
        mcpgen.validate([Path("f")], version="2024-11-05")
