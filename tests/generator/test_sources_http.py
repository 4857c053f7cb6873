"""The specification over HTTP, against servers of our own that behave badly in every way.

Each failure goes through `pull` into a folder that already holds something, and has to end
in one clear error with that folder as it was.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from mcpgen.errors import ConfigError, McpgenError, SourceError
from mcpgen.ingest import document
from mcpgen.ingest.pull import pull
from mcpgen.ingest.reconcile import ReconcileReport
from mcpgen.ingest.sources import HttpOptions, SourceFiles, open_source

VERSION = "2025-11-25"
TYPESCRIPT = b"export interface Thing {}\n"
JSON = b'{"$defs": {}}\n'
PATIENT = HttpOptions(timeout=10.0, attempts=2, backoff=0.01)
HASTY = HttpOptions(timeout=0.3, attempts=2, backoff=0.01)

Behaviour = Callable[[BaseHTTPRequestHandler], None]


def sends(body: bytes, status: int = 200, **headers: str) -> Behaviour:
    """An ordinary answer."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    return answer


def redirects(to: str, status: int = 302) -> Behaviour:
    return sends(b"", status, Location=to)


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """One behaviour after the other, the last one for good."""
    left = list(behaviours)

    def answer(request: BaseHTTPRequestHandler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(request)

    return answer


def breaks_off(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    request.wfile.write(TYPESCRIPT)


def breaks_off_between_chunks(request: BaseHTTPRequestHandler) -> None:
    request.protocol_version = "HTTP/1.1"
    request.send_response(200)
    request.send_header("Transfer-Encoding", "chunked")
    request.end_headers()
    request.wfile.write(b"%x\r\n%b\r\n" % (len(TYPESCRIPT), TYPESCRIPT))
    request.close_connection = True


def speaks_something_else(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"220 mail.example.org ready\r\n")


class Server:
    """A server on this machine: one behaviour a path, 404 for all others."""

    def __init__(self) -> None:
        self.paths: dict[str, Behaviour] = {}
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests.append(self.path)
                server.headers.append({k.lower(): v for k, v in self.headers.items()})
                server.paths.get(self.path, sends(b"no such file", 404))(self)

            def log_message(self, *arguments: object) -> None:
                """Keeps the tests' output quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def port(self) -> int:
        return self._http.server_port

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def path(self, name: str) -> str:
        return f"/schema/{VERSION}/{name}"

    def serve(self, typescript: Behaviour, json: Behaviour | None = None) -> None:
        self.paths[self.path("schema.ts")] = typescript
        self.paths[self.path("schema.json")] = json or sends(JSON)

    def stalls(self, request: BaseHTTPRequestHandler) -> None:
        """Accepts the request and never answers."""
        self.closing.wait(30)

    def stalls_halfway(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(TYPESCRIPT)
        self.closing.wait(30)

    def dribbles_headers(self, request: BaseHTTPRequestHandler) -> None:
        self._dribble(request, b"HTTP/1.1 200 OK\r\nX-Long: ")

    def dribbles_body(self, request: BaseHTTPRequestHandler) -> None:
        self._dribble(request, b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")

    def _dribble(self, request: BaseHTTPRequestHandler, start: bytes) -> None:
        try:
            request.wfile.write(start)
            while not self.closing.wait(0.05):
                request.wfile.write(b"x")
        except OSError:
            request.close_connection = True

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def other() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def read(base: str, options: HttpOptions = PATIENT, ref: str | None = None) -> SourceFiles:
    return open_source(base, ref, options).read(VERSION)


@pytest.fixture(autouse=True)
def _small_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read here is no specification."""

    def derive(files: SourceFiles, *, descriptions: bool) -> document.Derived:
        return document.Derived({}, ReconcileReport(files.version, checked=False))

    monkeypatch.setattr(document, "derive", derive)


def refused(base: str, folder: Path, options: HttpOptions = PATIENT) -> McpgenError:
    """The error of a pull that must fail, after checking that it left no trace."""
    spec = folder / "spec"
    spec.mkdir()
    (spec / "overrides.toml").write_text("# ours\n")
    with pytest.raises(McpgenError) as caught:
        pull([VERSION], source=base, spec_dir=spec, http=options)
    assert [path.name for path in spec.iterdir()] == ["overrides.toml"]
    assert [path.name for path in folder.iterdir()] == ["spec"]
    return caught.value


# --- what works ---------------------------------------------------------------------------------


def test_reads_both_files(server: Server) -> None:
    server.serve(sends(TYPESCRIPT))
    files = read(server.address + "/")
    assert (files.typescript, files.json, files.version) == (TYPESCRIPT, JSON, VERSION)
    assert (files.repository, files.ref, files.commit) == (server.address, None, None)


def test_a_whole_commit_as_ref_is_the_commit(server: Server) -> None:
    server.serve(sends(TYPESCRIPT))
    assert read(server.address, ref="a" * 40).commit == "a" * 40
    named = read(server.address, ref="v1/x")
    assert (named.ref, named.commit) == ("v1/x", None)


def test_pulls_into_a_new_folder(server: Server, tmp_path: Path) -> None:
    server.serve(sends(TYPESCRIPT))
    spec = tmp_path / "new" / "spec"
    result = pull([VERSION], source=server.address, spec_dir=spec, http=PATIENT)
    assert result.written == (spec / f"{VERSION}.json", spec / "lock.json")


def test_a_missing_schema_ts_is_no_error(server: Server) -> None:
    server.serve(sends(b"<html>no such file</html>", 404))
    files = read(server.address)
    assert (files.typescript, files.json) == (None, JSON)


def test_a_missing_schema_json_is_no_error(server: Server) -> None:
    server.serve(sends(TYPESCRIPT), sends(b"<html>no such file</html>", 404))
    assert read(server.address).json is None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(server: Server, other: Server, status: int) -> None:
    other.serve(sends(TYPESCRIPT))
    away = other.address + other.path("schema.ts")
    server.serve(redirects("/moved", status))
    server.paths["/moved"] = redirects(away, status)
    assert read(server.address).typescript == TYPESCRIPT


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_passing_failure_is_tried_again(server: Server, status: int) -> None:
    server.serve(in_turn(sends(b"busy", status), sends(TYPESCRIPT)))
    assert read(server.address).typescript == TYPESCRIPT
    assert server.requests.count(server.path("schema.ts")) == 2


@pytest.mark.parametrize("first", [breaks_off, breaks_off_between_chunks, speaks_something_else])
def test_a_broken_answer_is_tried_again(server: Server, first: Behaviour) -> None:
    server.serve(in_turn(first, sends(TYPESCRIPT)))
    assert read(server.address).typescript == TYPESCRIPT


def test_a_stall_is_tried_again(server: Server) -> None:
    server.serve(in_turn(server.stalls_halfway, sends(TYPESCRIPT)))
    assert read(server.address, HASTY).typescript == TYPESCRIPT


def test_works_within_a_running_event_loop(server: Server) -> None:
    server.serve(sends(TYPESCRIPT))

    async def in_a_notebook() -> SourceFiles:
        return read(server.address)

    assert asyncio.run(in_a_notebook()).typescript == TYPESCRIPT


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_used(
    server: Server, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    base = "http://spec.invalid/raw"
    server.paths[f"{base}/schema/{VERSION}/schema.ts"] = sends(TYPESCRIPT)
    monkeypatch.setenv(variable, f"http://me:secret@127.0.0.1:{server.port}")
    assert read(base).typescript == TYPESCRIPT
    assert server.requests[0] == f"{base}/schema/{VERSION}/schema.ts"
    assert server.headers[0]["proxy-authorization"].startswith("Basic ")


def test_no_proxy_is_honoured(
    server: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.serve(sends(TYPESCRIPT))
    monkeypatch.setenv("HTTP_PROXY", other.address)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert read(server.address).typescript == TYPESCRIPT
    assert other.requests == []


def test_credentials_are_sent_but_never_recorded(server: Server) -> None:
    server.serve(sends(TYPESCRIPT))
    files = read(f"http://me:secret@127.0.0.1:{server.port}/")
    assert files.repository == server.address
    assert server.headers[0]["authorization"].startswith("Basic ")


# --- what does not ------------------------------------------------------------------------------


def test_credentials_are_not_shown(server: Server, tmp_path: Path) -> None:
    error = refused(f"http://me:secret@127.0.0.1:{server.port}", tmp_path)
    assert "secret" not in str(error)
    assert error.where == server.address + server.path("schema.ts")


def test_no_such_version(server: Server, tmp_path: Path) -> None:
    error = refused(server.address, tmp_path)
    assert error.where == server.address + server.path("schema.ts")
    assert error.what.startswith("is not there, nor a schema.json beside it")
    assert server.requests.count(server.path("schema.ts")) == 1


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (sends(b"", 403), "the server answered 403 Forbidden"),
        (sends(b"", 204), "the server answered 204 No Content"),
        (sends(b"", 503), "the server answered 503 Service Unavailable"),
        (breaks_off, "the answer broke off or is not HTTP"),
        (breaks_off_between_chunks, "the answer broke off or is not HTTP"),
        (speaks_something_else, "the answer broke off or is not HTTP"),
        (redirects("ftp://example.org/x"), "UnsupportedProtocol"),
        (redirects("http://example.org:port/"), "the answer broke off or is not HTTP"),
        (sends(b"<!DOCTYPE html><html></html>"), "is a web page or other markup"),
        (sends(b"\xef\xbb\xbf  <html></html>"), "is a web page or other markup"),
        (sends(b"ok \xff\xfe"), "byte 3 is not UTF-8"),
        (sends(b" \n"), "is empty, expected a schema"),
    ],
)
def test_a_bad_answer(server: Server, tmp_path: Path, behaviour: Behaviour, said: str) -> None:
    server.serve(behaviour)
    error = refused(server.address, tmp_path)
    assert isinstance(error, SourceError)
    assert error.where == server.address + server.path("schema.ts")
    assert said in error.what
    assert error.remedy


def test_a_bad_answer_for_the_second_file_only(server: Server, tmp_path: Path) -> None:
    server.serve(sends(TYPESCRIPT), breaks_off)
    assert refused(server.address, tmp_path).where.endswith("schema.json")


def test_one_bad_version_keeps_the_others_out(server: Server, tmp_path: Path) -> None:
    server.serve(sends(TYPESCRIPT))
    with pytest.raises(SourceError, match="2026-01-01"):
        pull(
            [VERSION, "2026-01-01"],
            source=server.address,
            spec_dir=tmp_path,
            http=PATIENT,
        )
    assert list(tmp_path.iterdir()) == []


def test_a_redirect_loop(server: Server, tmp_path: Path) -> None:
    server.serve(redirects("/a"))
    server.paths |= {"/a": redirects("/b"), "/b": redirects("/a")}
    error = refused(server.address, tmp_path)
    assert error.what == "redirects in a loop, or more than 5 times"
    assert len(server.requests) == 6


@pytest.mark.parametrize("kind", ["stalls", "stalls_halfway"])
def test_a_stall(server: Server, tmp_path: Path, kind: str) -> None:
    server.serve(getattr(server, kind))
    error = refused(server.address, tmp_path, HASTY)
    assert error.what == "no answer, or no more of it, for 0.3 seconds"
    assert server.requests == [server.path("schema.ts")] * 2


@pytest.mark.parametrize("kind", ["dribbles_headers", "dribbles_body"])
def test_a_server_that_dribbles(server: Server, tmp_path: Path, kind: str) -> None:
    server.serve(getattr(server, kind))
    options = HttpOptions(timeout=0.3, attempts=2, backoff=0.01, deadline=0.6)
    error = refused(server.address, tmp_path, options)
    assert error.what == "did not arrive whole within 0.6 seconds"


@pytest.mark.parametrize("declared", [True, False])
def test_a_file_of_absurd_size(server: Server, tmp_path: Path, declared: bool) -> None:
    piece = b"x" * (1024 * 1024)

    def floods(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if declared:
            request.send_header("Content-Length", str(len(piece) * 1000))
        request.end_headers()
        try:
            for _ in range(1000):
                request.wfile.write(piece)
        except OSError:
            request.close_connection = True

    server.serve(floods)
    assert "is larger than 10485760 bytes" in refused(server.address, tmp_path).what


def test_no_network(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{closed.getsockname()[1]}"
    error = refused(base, tmp_path)
    assert error.what.startswith("cannot be reached")
    assert "local checkout" in error.remedy


def test_a_host_without_address(tmp_path: Path) -> None:
    assert refused("http://spec.invalid", tmp_path).what.startswith("cannot be reached")


def test_a_proxy_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert refused("http://spec.invalid", tmp_path).what.startswith("cannot be reached")


def test_a_proxy_that_refuses(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", server.address)
    error = refused("https://spec.invalid", tmp_path)
    assert error.what.startswith("ProxyError: 501")


def test_a_malformed_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1:1")
    error = refused("http://spec.invalid", tmp_path)
    assert error.where == "network settings of the environment"


def test_no_tls_where_it_is_expected(server: Server, tmp_path: Path) -> None:
    error = refused(f"https://127.0.0.1:{server.port}", tmp_path)
    assert error.what.startswith("no secure connection")
    assert error.remedy.startswith("check the address, the clock")


# --- settings -----------------------------------------------------------------------------------


def test_versions_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name the versions"):
        open_source("https://me:secret@example.org/raw").versions()
    with pytest.raises(ConfigError, match="cannot be listed over HTTP"):
        pull(all_versions=True, spec_dir=tmp_path)


@pytest.mark.parametrize(
    "location",
    [
        "",
        "http://",
        "http:///schema",
        "https://example.org:port/",
        "https://example.org/?token=1",
        "https://example.org/#main",
        "https://[::1/",
        "file:///spec",
        "ssh://git@example.org/spec",
    ],
)
def test_an_address_that_is_none(location: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_source(location)
    assert caught.value.where


@pytest.mark.parametrize("ref", ["", "-x", "--upload-pack=x", "/x", "a b", "a\n", "a/../b", "a\\b"])
def test_a_ref_that_is_none(ref: str) -> None:
    with pytest.raises(ConfigError, match="is not a ref"):
        open_source(None, ref)


@pytest.mark.parametrize("version", ["", "..", "../x", "2025-11-25/..", "2025-11-25\n", "latest"])
def test_a_version_that_is_none(version: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a version"):
        open_source("http://127.0.0.1:1").read(version)
    with pytest.raises(ConfigError, match="is not a version"):
        pull([version], spec_dir=tmp_path)


@pytest.mark.parametrize(
    ("ref", "recorded", "folder", "commit"),
    [
        (None, "main", "main", None),
        ("v2/x#y", "v2/x#y", "v2/x%23y", None),
        ("b" * 40, "b" * 40, "b" * 40, "b" * 40),
    ],
)
def test_the_upstream_repository_is_the_default(
    monkeypatch: pytest.MonkeyPatch, ref: str | None, recorded: str, folder: str, commit: str | None
) -> None:
    asked: list[str] = []

    def download(addresses: list[object], options: HttpOptions) -> list[bytes]:
        asked.extend(address.url for address in addresses)
        return [TYPESCRIPT, JSON]

    monkeypatch.setattr("mcpgen.ingest.sources_http.download", download)
    files = open_source(None, ref).read(VERSION)
    upstream = "modelcontextprotocol/modelcontextprotocol"
    base = f"https://raw.githubusercontent.com/{upstream}/{folder}/schema/{VERSION}"
    assert asked == [f"{base}/schema.ts", f"{base}/schema.json"]
    assert files.repository == f"https://github.com/{upstream}"
    assert (files.ref, files.commit) == (recorded, commit)
