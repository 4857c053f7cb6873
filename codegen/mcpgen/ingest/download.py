"""Downloads small files whole, or says why not: retries, time limits, a limit of size."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus

import httpx

from ..errors import SourceError
from .sources_common import MAX_SIZE

_MAX_REDIRECTS = 5
_OFFLINE = "check the network and the proxy settings, or read from a local checkout with --source"


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """How patient a download is; all times are in seconds.

    `timeout` limits connecting and each wait for more bytes. `backoff` is the wait before
    the second of the `attempts`; it doubles from there. `deadline` limits the whole of one
    file with its retries, so that a server which sends a byte now and then cannot hold us.
    """

    timeout: float = 15.0
    attempts: int = 3
    backoff: float = 0.5
    deadline: float = 90.0


@dataclass(frozen=True, slots=True)
class Address:
    """A URL, and the same without credentials for messages."""

    url: str
    shown: str


class _TransientError(SourceError):
    """A failure that may be gone at the next attempt."""


def download(addresses: Sequence[Address], options: HttpOptions) -> list[bytes | None]:
    """The contents of the addresses, in order; None where the server says there is no such file.

    Redirects are followed, proxies taken from the environment. Raises `SourceError` for
    everything else that keeps a file from arriving whole.
    """

    def run() -> list[bytes | None]:
        return asyncio.run(_download(addresses, options))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    # Called from a coroutine or a notebook: event loops do not nest, so use a thread's own.
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(run).result()


async def _download(addresses: Sequence[Address], options: HttpOptions) -> list[bytes | None]:
    async with _client(options) as client:
        return [await _within_deadline(client, address, options) for address in addresses]


def _client(options: HttpOptions) -> httpx.AsyncClient:
    try:
        return httpx.AsyncClient(
            timeout=options.timeout,
            follow_redirects=True,
            max_redirects=_MAX_REDIRECTS,
            # The length of a compressed body says nothing about the file's.
            headers={"Accept-Encoding": "identity"},
        )
    except (ValueError, OSError, ImportError, httpx.InvalidURL) as error:
        where = "network settings of the environment"
        remedy = "correct the variables for proxies and certificates"
        raise SourceError(where, str(error), remedy) from error


async def _within_deadline(
    client: httpx.AsyncClient, address: Address, options: HttpOptions
) -> bytes | None:
    try:
        async with asyncio.timeout(options.deadline):
            return await _with_retries(client, address, options)
    except TimeoutError as error:
        what = f"did not arrive whole within {options.deadline:g} seconds"
        raise SourceError(address.shown, what, _OFFLINE) from error


async def _with_retries(
    client: httpx.AsyncClient, address: Address, options: HttpOptions
) -> bytes | None:
    for attempt in range(1, options.attempts):
        try:
            return await _attempt(client, address, options)
        except _TransientError:
            await asyncio.sleep(options.backoff * 2 ** (attempt - 1))
    return await _attempt(client, address, options)


async def _attempt(
    client: httpx.AsyncClient, address: Address, options: HttpOptions
) -> bytes | None:
    try:
        async with client.stream("GET", address.url) as response:
            return await _content(response, address.shown)
    except httpx.TimeoutException as error:
        what = f"no answer, or no more of it, for {options.timeout:g} seconds"
        raise _TransientError(address.shown, what, _OFFLINE) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _explained(error, address.shown) from error


async def _content(response: httpx.Response, where: str) -> bytes | None:
    status = response.status_code
    if status == HTTPStatus.NOT_FOUND:
        return None
    if status != HTTPStatus.OK:
        passing = status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500
        problem = _TransientError if passing else SourceError
        what = f"the server answered {status} {response.reason_phrase}".rstrip()
        raise problem(where, what, "try again later" if passing else "check the address")
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_bytes():
        size += len(chunk)
        if size > MAX_SIZE:
            raise SourceError(where, f"is larger than {MAX_SIZE} bytes, more than any schema has")
        chunks.append(chunk)
    return b"".join(chunks)


def _explained(error: Exception, where: str) -> SourceError:
    if isinstance(error, httpx.TooManyRedirects):
        what = f"redirects in a loop, or more than {_MAX_REDIRECTS} times"
        return SourceError(where, what, "check the address")
    if _is_tls_failure(error):
        what = f"no secure connection: {error}"
        return SourceError(where, what, "check the address, the clock and the certificates")
    if isinstance(error, httpx.RemoteProtocolError):
        what = f"the answer broke off or is not HTTP: {error}"
        return _TransientError(where, what, "try again; if it persists, use another source")
    if isinstance(error, httpx.NetworkError):
        return _TransientError(where, f"cannot be reached: {error}".rstrip(": "), _OFFLINE)
    return SourceError(where, f"{type(error).__name__}: {error}", "check the address and the proxy")


def _is_tls_failure(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
