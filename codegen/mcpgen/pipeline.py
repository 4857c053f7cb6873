"""From spec documents to a package: the whole flow, in the order it happens."""

from __future__ import annotations

import gc
import hashlib
import os
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread

from . import resources
from .config import default_spec_dir
from .emit.format import Formatter, format_files, ruff_version
from .emit.manifest import MANIFEST, manifest_text
from .emit.package import (
    Emitted,
    check_package_name,
    emit_shared,
    emit_version,
    merged,
)
from .emit.publish import (
    Difference,
    compare,
    is_published,
    publish,
    published_count,
    tidy,
)
from .emit.style import Style, load_style, read_template
from .errors import McpgenError
from .files import WriteReport
from .interruption import leave_to_parent
from .model.model import Protocol
from .specs import load_protocols

# The libraries whose releases differ in what they emit.
_TOOLS = ("black", "datamodel-code-generator", "jinja2")


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """What to generate; the fields are the options of the command.

    No `versions` means all there are. None for `spec_dir` means the folder `spec` where it
    holds specs, else those that come with mcpgen.

    None for `style` means the one that `templates` says it lies over, else the default.

    `jobs` is how many processes to emit in. More than one are for programs without other
    threads, whose main module can be imported again, as `multiprocessing` asks.
    """

    versions: tuple[str, ...] = ()
    style: str | None = None
    templates: Path | None = None
    package: str = "mcp_wire"
    formatter: Formatter = "black"
    out: Path = Path("generated")
    spec_dir: Path | None = None
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """What was emitted for one version."""

    version: str
    types: int
    methods: int
    files: int
    written: int
    seconds: float


@dataclass(frozen=True, slots=True)
class GenerateResult:
    """What `generate` did; `up_to_date` when nothing had to be emitted at all."""

    versions: tuple[VersionSummary, ...]
    written: tuple[Path, ...]
    removed: tuple[Path, ...]
    unchanged: int
    seconds: float
    up_to_date: bool = False


def generate(
    options: GenerateOptions | None = None, progress: Callable[[str], None] | None = None
) -> GenerateResult:
    """Emits the package into `options.out`, the whole of it or nothing.

    Raises `McpgenError` and its kinds for specs, templates, settings and folders that will
    not do; the folder is then as it was.
    """
    started = time.perf_counter()
    options = options or GenerateOptions()
    protocols, style = _inputs(options)
    inputs = _inputs_digest(protocols, style, options)
    if is_published(options.out, inputs):
        tidy(options.out)
        summaries = tuple(_summary(protocol, (), 0, 0.0) for protocol in protocols)
        count = published_count(options.out)
        seconds = time.perf_counter() - started
        return GenerateResult(summaries, (), (), count, seconds, up_to_date=True)
    files, timings = _emit(protocols, style, options, inputs, progress)
    report = publish(files, options.out)
    return _result(protocols, files, timings, report, options, started)


def check(
    options: GenerateOptions | None = None, progress: Callable[[str], None] | None = None
) -> list[Difference]:
    """What in `options.out` is not as `generate` would leave it; empty when nothing is."""
    options = options or GenerateOptions()
    protocols, style = _inputs(options)
    inputs = _inputs_digest(protocols, style, options)
    files, _ = _emit(protocols, style, options, inputs, progress)
    return compare(files, options.out)


def _inputs(options: GenerateOptions) -> tuple[tuple[Protocol, ...], Style]:
    check_package_name(options.package, "package")
    protocols = load_protocols(options.spec_dir or default_spec_dir(), options.versions)
    return protocols, load_style(resources.templates_dir(), options.style, options.templates)


def _emit(
    protocols: Sequence[Protocol],
    style: Style,
    options: GenerateOptions,
    inputs: str,
    progress: Callable[[str], None] | None,
) -> tuple[dict[str, str], list[float]]:
    """All files of the package, formatted, and the seconds each version took to render."""
    say = progress or _say_nothing
    say(f"emitting {', '.join(protocol.version for protocol in protocols)}")
    shared = emit_shared(protocols, style, options.package)
    with _pool(options, len(protocols)) as executor:
        versions = _each(executor, protocols, style, options.package)
        emitted = [shared, *(version for version, _ in versions)]
        style.require_overlay_used({name for item in emitted for name in item.used})
        say(f"formatting with {options.formatter}")
        parts = merged(*(item.files for item in emitted))
        files = format_files(parts, options.formatter, executor)
        # What is copied is laid out already; it only has to be Python.
        files = merged(files, format_files(shared.copies, "none", executor))
    files = merged(files, {MANIFEST: manifest_text(files, inputs)})
    return files, [seconds for _, seconds in versions]


def _say_nothing(_: str) -> None:
    """The progress nobody asked for."""


@contextmanager
def _pool(options: GenerateOptions, tasks: int) -> Generator[Executor | None]:
    """The processes to emit in; None where one is enough, which is then this one."""
    jobs = min(options.jobs, tasks)
    if jobs < 2:
        yield None
        return
    with ProcessPoolExecutor(jobs, initializer=_begin_work) as executor:
        try:
            yield executor
        except BrokenProcessPool:
            what = "a process ended before its work was done"
            raise McpgenError("emitting", what, "try again with --jobs 1") from None
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _begin_work() -> None:
    """Settles a new process: only its parent is interrupted, and it does not outlive that."""
    # It lives for seconds, and looking for cycles would be a sixth of its work.
    gc.disable()
    leave_to_parent()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _each(
    executor: Executor | None,
    protocols: Sequence[Protocol],
    style: Style,
    package: str,
) -> list[tuple[Emitted, float]]:
    if executor is None:
        return [_timed(protocol, style, package) for protocol in protocols]
    # The largest first, so that no processor waits for it at the end.
    order = sorted(protocols, key=lambda protocol: -len(protocol.types))
    futures = {item.version: executor.submit(_timed, item, style, package) for item in order}
    return [futures[protocol.version].result() for protocol in protocols]


def _timed(protocol: Protocol, style: Style, package: str) -> tuple[Emitted, float]:
    started = time.perf_counter()
    emitted = emit_version(protocol, style, package)
    return emitted, time.perf_counter() - started


def _inputs_digest(protocols: Sequence[Protocol], style: Style, options: GenerateOptions) -> str:
    """A digest of everything the emitted files depend on, mcpgen's own code included."""
    tools = [(name, metadata.version(name)) for name in _TOOLS]
    digest = hashlib.sha256(repr((options.package, options.formatter, tools, protocols)).encode())
    if options.formatter == "ruff":
        digest.update(ruff_version().encode())
    code = Path(__file__).parent
    sources = [
        (path.relative_to(code).as_posix(), path)
        for pattern in ("version.py", "specs.py", "model/*.py", "emit/*.py")
        for path in sorted(code.glob(pattern))
    ]
    for name, path in [*sources, *sorted(style.files.items())]:
        digest.update(f"{name}\0{read_template(path)}\0".encode())
    return digest.hexdigest()


def _result(
    protocols: Sequence[Protocol],
    files: dict[str, str],
    timings: list[float],
    report: WriteReport,
    options: GenerateOptions,
    started: float,
) -> GenerateResult:
    package = options.package
    summaries: list[VersionSummary] = []
    for protocol, seconds in zip(protocols, timings, strict=True):
        prefix = f"{package}/{protocol.module}/"
        names = [name for name in files if name.startswith(prefix)]
        written = sum(options.out / name in report.written for name in names)
        summaries.append(_summary(protocol, names, written, seconds))
    return GenerateResult(
        tuple(summaries),
        tuple(report.written),
        tuple(report.removed),
        len(report.unchanged),
        time.perf_counter() - started,
    )


def _summary(
    protocol: Protocol, names: Sequence[str], written: int, seconds: float
) -> VersionSummary:
    types, methods = len(protocol.types), len(protocol.methods)
    return VersionSummary(protocol.version, types, methods, len(names), written, seconds)
