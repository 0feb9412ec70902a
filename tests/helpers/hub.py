"""A small Hugging Face hub in the test process: facts about models, and their files, complete or from a byte on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from http_server import QuietHandler, listening

COMMIT, OLDER = "0123456789abcdef0123456789abcdef01234567", "f" * 40


@dataclass
class HubRepo:
    """A model on the hub.

    Attributes:
        files: Contents by name; safetensors and GGUF files are LFS files with a SHA-256.
        token: Access token needed to download it, "" for none.
        claims: Checksums sent instead of the true ones.
    """

    files: dict[str, bytes]
    card: dict[str, Any] | None = field(default_factory=lambda: {"license": "apache-2.0"})
    gated: Any = False
    token: str = ""
    commit: str = COMMIT
    parameters: int | None = None
    claims: dict[str, str] = field(default_factory=dict)

    def checksum(self, name: str) -> str:
        content = self.files[name]
        if name.endswith((".safetensors", ".gguf")):
            return self.claims.get(name, hashlib.sha256(content).hexdigest())
        return self.claims.get(name, hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest())

    def describe(self, hub_id: str) -> dict[str, Any]:
        siblings = []
        for name, content in self.files.items():
            file: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": self.checksum(name)}
            if len(file["blobId"]) == 64:
                file["lfs"] = {"sha256": file["blobId"], "size": len(content), "pointerSize": 130}
                file["blobId"] = "0" * 40
            siblings.append(file)
        facts = {"id": hub_id, "modelId": hub_id, "sha": self.commit, "gated": self.gated, "siblings": siblings}
        facts |= {"tags": [], "private": False, "downloads": 0, "likes": 0}
        if self.card is not None:
            facts["cardData"] = self.card
        if self.parameters is not None:
            facts["safetensors"] = {"parameters": {"BF16": self.parameters}, "total": self.parameters}
        return facts


@dataclass
class Hub:
    """The models of the server, and the requests it got: method, path and first byte."""

    address: str
    repos: Mapping[str, HubRepo]
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    #: Number of bytes after which the connection breaks once.
    breaks_after: int | None = None
    #: Status of every answer, if not 0.
    status: int = 0

    @property
    def fetched(self) -> list[tuple[str, int]]:
        """The downloaded files, each with the first byte sent."""
        return [
            (path.split("/resolve/")[1].partition("/")[2], at)
            for how, path, at in self.asked
            if how == "GET" and "/resolve/" in path
        ]


@contextmanager
def serving_hub(repos: Mapping[str, HubRepo]) -> Iterator[Hub]:
    """Yield a hub with these models by id."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").partition("-")[0])
            hub.asked.append((self.command, self.path, start))
            path = self.path.partition("?")[0].strip("/").split("/")
            about, file = path[:2] == ["api", "models"], path[2:3] == ["resolve"]
            repo = hub.repos.get("/".join(path[2:4] if about else path[:2]))
            revision = path[5] if about and path[4:5] == ["revision"] else path[3] if file else "main"
            key = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            if hub.status:
                self.say(hub.status, {})
            elif repo is None:
                self.say(401, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"})
            elif revision not in ("main", repo.commit):
                self.say(404, {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Revision Not Found"})
            elif about:
                self.say(
                    200, {"Content-Type": "application/json"}, json.dumps(repo.describe("/".join(path[2:4]))).encode()
                )
            elif repo.token and key != repo.token:
                self.say(403 if key else 401, {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted"})
            elif (name := "/".join(path[4:])) not in repo.files:
                self.say(404, {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"})
            else:
                self.send_file(repo, name, start)

        def send_file(self, repo: HubRepo, name: str, start: int) -> None:
            content = repo.files[name]
            more = {"X-Repo-Commit": repo.commit, "ETag": f'"{repo.checksum(name)}"', "Accept-Ranges": "bytes"}
            if len(repo.checksum(name)) == 64:
                more |= {"X-Linked-Etag": more["ETag"], "X-Linked-Size": str(len(content))}
            if start:
                more["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self.say(206 if start else 200, more, content[start:])

        def say(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
            self.send_response(status)
            for header, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(header, value)
            self.end_headers()
            if self.command == "HEAD":
                return
            if hub.breaks_after is not None and hub.breaks_after < len(body):
                body, hub.breaks_after, self.close_connection = body[: hub.breaks_after], None, True
            with suppress(ConnectionError):  # the client closed the connection
                self.wfile.write(body)

        do_GET = do_HEAD = answer

    with listening(Handler) as address:
        hub = Hub(address, repos)
        yield hub
