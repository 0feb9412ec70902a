"""Downloads a file with a known SHA-256 from a package index, without pip but with pip's configuration."""

from __future__ import annotations

import base64
import configparser
import contextlib
import hashlib
import http.client
import os
import re
import ssl
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

import platformdirs

from parapluie_gui.children import is_portable
from parapluie_gui.errors import NO_ROOM
from parapluie_gui.own_files import UNEXPECTED_VALUE, parse_json
from parapluie_gui.version import __version__

_PYPI = "https://pypi.org/simple"
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"
#: Maximum sizes in bytes of a project's page and of a file; the largest legitimate file has 100 MB.
_LONGEST_PAGE, _LARGEST = 2**26, 2**31
_PIECE = 2**17
#: The status of an answer to a request for bytes beyond the end of a file.
_BEYOND_END = 416
#: Seconds until a request times out, attempts at a download, and seconds before each retry.
_TIMEOUT, _TRIES, _PAUSE = 15.0, 10, 0.5
#: Certificate files of Linux systems; OpenSSL looks only where the system that it was built on keeps them.
_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_NO = frozenset({"", "0", "false", "no", "off", "n", "f"})

Progress = Callable[[int, int], None]


class DownloadError(Exception):
    """A failed download with its reason.

    Attributes:
        checksum: Whether the file does not have the expected checksum.
        missing: Whether the index answered, and does not have the file.
        full: Whether the disk is full.
    """

    def __init__(self, reason: str, *, checksum: bool = False, missing: bool = False, full: bool = False) -> None:
        super().__init__(reason)
        self.checksum, self.missing, self.full = checksum, missing, full


@dataclass(frozen=True)
class _PackageArchive:
    """The source archive or wheel of a package, with its SHA-256."""

    package: str
    version: str
    sha256: str
    source: bool

    def is_named(self, file: str) -> bool:
        """Return True if a file name belongs to this package, version and kind."""
        ending = ".tar.gz" if self.source else ".whl"
        parts = re.split(r"-(?=\d)", file.removesuffix(ending), maxsplit=1)
        # A decoded name may contain separators, which would place the file in a different folder.
        if (
            re.search(r"[/\\:\0]", file)
            or not file.endswith(ending)
            or len(parts) != 2
            or _project(parts[0]) != _project(self.package)
        ):
            return False
        return parts[1] == self.version or parts[1].startswith(f"{self.version}-")


def download(
    package: str, version: str, sha256: str, folder: Path, progress: Progress, *, source: bool = False
) -> Path:
    """Download a package's wheel or source archive; arguments and errors as for `pip_download.download`."""
    archive = _PackageArchive(package, version, sha256, source)
    settings = pip_settings()
    opener = _opener(settings)
    reasons = []
    for find in (*_folder_searches(settings), *_index_searches(settings)):
        try:
            for url in find(opener, archive):
                return _fetch(opener, url, archive, folder, progress)
            reasons.append(DownloadError(f"the package index has no {package} {version}", missing=True))
        except DownloadError as error:
            if error.checksum:
                raise
            reasons.append(error)
        except (OSError, *UNEXPECTED_VALUE, http.client.HTTPException) as error:
            reasons.append(_reason(error))
    # A file is missing only if every index has answered; an index that has not is the more useful reason.
    reasons.sort(key=lambda error: not error.missing)
    raise reasons[-1] if reasons else DownloadError("pip's configuration names no package index")


def continue_download(url: str, target: Path, size: int, progress: Progress) -> None:
    """Download the bytes of a file of this size that `target` lacks, with retries.

    The content is not compared.

    Raises:
        DownloadError: The connection broke, or the host's file has a different length (`checksum`).
    """
    opener = _opener(pip_settings())
    while (before := target.stat().st_size if target.is_file() else 0) < size:
        try:
            _download(opener, url, target, progress, size)
        except (OSError, http.client.HTTPException) as error:
            arrived = target.is_file() and target.stat().st_size > before
            # An interrupted answer is resumed; a host that sends nothing is not retried.
            if not arrived or getattr(error, "errno", None) in NO_ROOM:
                raise _reason(error) from error
            time.sleep(_PAUSE)


def _reason(error: Exception) -> DownloadError:
    words, number, status = (getattr(error, name, None) for name in ("reason", "errno", "code"))
    missing = status in (404, 410) or isinstance(words, FileNotFoundError)  # an index in a folder
    return DownloadError(f"{type(error).__name__}: {words or error}", missing=missing, full=number in NO_ROOM)


def pip_settings() -> dict[str, str]:
    """Return pip's settings from its files and the environment, by option name ("index-url")."""
    settings: dict[str, str] = {}
    for path in _files():
        parser = configparser.RawConfigParser()
        with contextlib.suppress(OSError, UnicodeDecodeError, configparser.Error):
            parser.read(path, encoding="utf-8")
        for section in ("global", "download"):
            if parser.has_section(section):
                settings |= {name.replace("_", "-"): value for name, value in parser.items(section)}
    for name, value in os.environ.items():
        if name.startswith("PIP_") and value:
            settings[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return settings


def _files() -> list[Path]:
    """Return the possible files of pip's configuration, in ascending priority."""
    custom = os.environ.get("PIP_CONFIG_FILE")
    if custom == os.devnull:
        return []
    everywhere = platformdirs.site_config_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    folders = [Path("/etc"), *map(Path, everywhere), Path("~/.pip"), Path("~/.config/pip")]
    folders.append(platformdirs.user_config_path("pip", appauthor=False, roaming=True))
    if not is_portable():
        folders.append(Path(sys.prefix))
    files = []
    for folder in folders:
        with contextlib.suppress(RuntimeError):  # raised if the user has no home folder
            files.append(folder.expanduser() / name)
    return [*files, *([Path(custom)] if custom else [])]


def _folder_searches(
    settings: Mapping[str, str],
) -> Iterator[Callable[[OpenerDirector, _PackageArchive], Iterator[str]]]:
    """Yield a search function for each folder of the option "find-links"."""
    for link in settings.get("find-links", "").split():
        place = Path(unquote(urlsplit(link).path) if link.startswith("file:") else link)
        if place.is_dir():

            def find(opener: OpenerDirector, archive: _PackageArchive, place: Path = place) -> Iterator[str]:
                yield from (file.as_uri() for file in place.resolve().iterdir() if archive.is_named(file.name))

            yield find


def _index_searches(
    settings: Mapping[str, str],
) -> Iterator[Callable[[OpenerDirector, _PackageArchive], Iterator[str]]]:
    """Yield a search function for each index."""
    if settings.get("no-index", "").lower() not in _NO:
        return
    for index in (settings.get("index-url", _PYPI), *settings.get("extra-index-url", "").split()):

        def find(opener: OpenerDirector, archive: _PackageArchive, index: str = index) -> Iterator[str]:
            return _page_links(opener, f"{index.rstrip('/')}/{_project(archive.package)}/", archive)

        yield find


def _page_links(opener: OpenerDirector, page: str, archive: _PackageArchive) -> Iterator[str]:
    """Yield the URLs of a file on a project's page (PEP 503, PEP 691)."""
    parts = urlsplit(page)
    if parts.scheme == "file" and Path(unquote(parts.path)).is_dir():
        page += "index.html"
    with opener.open(_request(page, Accept=_ACCEPT), timeout=_TIMEOUT) as answer:
        text = answer.read(_LONGEST_PAGE)
        kind, base = answer.headers.get_content_type(), answer.geturl()
    others = 0
    for address, known in _json_links(text) if kind.endswith("json") else _html_links(text):
        url, fragment = urldefrag(urljoin(base, address))
        known = known or fragment.partition("sha256=")[2]
        if not archive.is_named(unquote(url.rpartition("/")[2])):
            continue
        if known in ("", archive.sha256):
            yield _with_login(url, page)
        others += 1
    if others:
        raise DownloadError("the package index has different files with that name", checksum=True)


def _json_links(text: bytes) -> Iterator[tuple[str, str]]:
    page: Any = parse_json(text)
    for file in page["files"]:
        yield str(file["url"]), str(file.get("hashes", {}).get("sha256", ""))


def _html_links(text: bytes) -> Iterator[tuple[str, str]]:
    links: list[tuple[str, str]] = []

    class LinkParser(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            if tag == "a" and (address := dict(attributes).get("href")):
                links.append((address, ""))

    LinkParser().feed(text.decode("utf-8", "replace"))
    return iter(links)


def _fetch(opener: OpenerDirector, url: str, archive: _PackageArchive, folder: Path, progress: Progress) -> Path:
    """Download a file into the folder, with retries; raises a DownloadError if the checksum is wrong."""
    target = folder / unquote(urlsplit(url).path.rpartition("/")[2])
    if target.is_file():  # of a download that was stopped
        with target.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == archive.sha256:
                return target
    for attempt in range(_TRIES):
        try:
            _download(opener, url, target, progress)
            break
        except (OSError, http.client.HTTPException) as error:
            if attempt == _TRIES - 1 or not target.is_file():  # without any data, a retry is useless
                raise
            if getattr(error, "errno", None) in NO_ROOM:
                raise
            if getattr(error, "code", None) == _BEYOND_END:  # the partial file is longer than the file
                target.unlink()
            time.sleep(_PAUSE)
    with target.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != archive.sha256:
            target.unlink()
            raise DownloadError("the file has a different checksum", checksum=True)
    return target


def _download(opener: OpenerDirector, url: str, target: Path, progress: Progress, expected: int | None = None) -> None:
    size = target.stat().st_size if target.is_file() else 0
    with opener.open(_request(url, **({"Range": f"bytes={size}-"} if size else {})), timeout=_TIMEOUT) as answer:
        size = size if answer.status == 206 else 0
        total = size + int(answer.headers.get("Content-Length") or 0)
        if expected not in (None, total):
            raise DownloadError("the host's file has a different length", checksum=True)
        with target.open("ab" if size else "wb") as out:
            while piece := answer.read(_PIECE):
                size += len(piece)
                if size > (expected or _LARGEST):
                    raise DownloadError("the file is too large", checksum=True)
                out.write(piece)
                progress(size, max(total, size, 1))
        if size < total:
            raise URLError(f"the connection was lost after {size:,} of {total:,} bytes")


def _opener(settings: Mapping[str, str]) -> OpenerDirector:
    """Return an opener of URLs with the user's proxy and certificates."""
    cert = settings.get("cert") or os.environ.get("SSL_CERT_FILE")
    context = ssl.create_default_context(cafile=cert)
    if not cert and not context.cert_store_stats()["x509_ca"]:
        for file in filter(os.path.isfile, _CERTIFICATES):
            context.load_verify_locations(file)
            break
    proxy = settings.get("proxy", "")
    proxies = {"http": proxy, "https": proxy} if proxy else None
    return build_opener(ProxyHandler(proxies), HTTPSHandler(context=context))


def _request(url: str, **headers: str) -> Request:
    """Return a request for a URL; name and password become a header, which redirects do not get."""
    parts = urlsplit(url)
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    request = Request(bare, headers={"User-Agent": f"parapluie/{__version__}", **headers})
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(login).decode()}")
    return request


def _with_login(url: str, page: str) -> str:
    """Return a file's URL with the name and password of the index, if both are on one host."""
    file, index = urlsplit(url), urlsplit(page)
    login, at, host = index.netloc.rpartition("@")
    if not at or (file.scheme, file.netloc) != (index.scheme, host):
        return url
    return urlunsplit(file._replace(netloc=f"{login}@{host}"))


def _project(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
