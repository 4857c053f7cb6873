"""From spec documents to a package: the whole flow, in the order it happens."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from . import resources
from .emit.format import format_files
from .emit.package import MANIFEST, Emitted, PackageOptions, emit_shared, emit_version, manifest
from .emit.publish import Difference, compare, is_published, publish, published_count
from .emit.style import Style, load_style
from .errors import ConfigError
from .files import WriteReport
from .model.model import Protocol
from .specs import load_protocols


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """What to generate: None for `out` and `spec_dir` means `generated` and the shipped specs."""

    versions: tuple[str, ...] = ()
    style: str = "dataclass"
    templates: Path | None = None
    package: PackageOptions = field(default_factory=PackageOptions)
    out: Path = Path("generated")
    spec_dir: Path | None = None
    jobs: int | None = None


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
    if not options.package.package.isidentifier():
        raise ConfigError("--package", f"found {options.package.package!r}, expected an identifier")
    protocols = load_protocols(options.spec_dir or resources.spec_dir(), options.versions)
    if not protocols:
        raise ConfigError("specs", "found no version", "pull one first")
    return protocols, load_style(resources.templates_dir(), options.style, options.templates)


def _emit(
    protocols: Sequence[Protocol],
    style: Style,
    options: GenerateOptions,
    inputs: str,
    progress: Callable[[str], None] | None,
) -> tuple[dict[str, str], list[float]]:
    files: dict[str, str] = {}
    used: set[str] = set()
    timings: list[float] = []
    shared = emit_shared(protocols, style, options.package)
    jobs = min(options.jobs or os.cpu_count() or 1, len(protocols))
    pool = ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext(None)
    with pool as executor:
        for protocol, (emitted, seconds) in zip(
            protocols, _each(executor, protocols, style, options.package), strict=True
        ):
            if progress:
                progress(f"emitted {protocol.version}")
            files |= emitted.files
            used |= emitted.used
            timings.append(seconds)
        files |= shared.files
        files = format_files(files, options.package.formatter, executor)
    style.require_overlay_used(used | shared.used)
    files[MANIFEST] = manifest(files, inputs)
    return files, timings


def _each(
    executor: Executor | None,
    protocols: Sequence[Protocol],
    style: Style,
    options: PackageOptions,
) -> list[tuple[Emitted, float]]:
    if executor is None:
        return [_timed(protocol, style, options) for protocol in protocols]
    # The largest first, so that no processor waits for it at the end.
    order = sorted(protocols, key=lambda protocol: -len(protocol.types))
    futures = {item.version: executor.submit(_timed, item, style, options) for item in order}
    return [futures[protocol.version].result() for protocol in protocols]


def _timed(protocol: Protocol, style: Style, options: PackageOptions) -> tuple[Emitted, float]:
    started = time.perf_counter()
    emitted = emit_version(protocol, style, options)
    return emitted, time.perf_counter() - started


def _inputs_digest(protocols: Sequence[Protocol], style: Style, options: GenerateOptions) -> str:
    """A digest of everything the emitted files depend on, mcpgen's own code included."""
    digest = hashlib.sha256(repr((options.package, style.name, protocols)).encode())
    code = Path(__file__).parent
    sources = {
        path.relative_to(code).as_posix(): path
        for folder in (code, code / "model", code / "emit")
        for path in folder.glob("*.py")
    }
    for name, path in sorted({**sources, **style.files}.items()):
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _result(
    protocols: Sequence[Protocol],
    files: dict[str, str],
    timings: list[float],
    report: WriteReport,
    options: GenerateOptions,
    started: float,
) -> GenerateResult:
    package = options.package.package
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
