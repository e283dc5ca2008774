"""A small Hugging Face Hub: a real HTTP server that the real client talks to, with switches for what goes wrong.

    with HubServer({"org/tiny": folder}) as hub:
        ...  # hub.address, hub.faults, hub.requests

    python -m tests.models.hub_server FOLDER [--slow BYTES_PER_SECOND] [--port PORT] [--only FILE]

FOLDER holds models as FOLDER/OWNER/NAME/config.json or FOLDER/NAME/config.json. The address is printed; give it to the app as
HF_ENDPOINT.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import http.server
import json
import re
import socket
import threading
import time
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Bytes that are sent at one go.
CHUNK = 2_048
_API = re.compile(r"/api/models/(?P<id>[\w.\-]+(?:/[\w.\-]+)??)(?:/revision/(?P<revision>.+))?")
_FILE = re.compile(r"/(?P<id>[\w.\-]+(?:/[\w.\-]+)?)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")


@dataclass
class Faults:
    """What goes wrong. All may be changed while the server runs.

    Attributes:
        status: answered to everything: 401, 403, 404, 429, 500, ...
        file_status: answered to files of ``only`` alone, so that the model is found and then refused.
        gated: the model is listed, and its files are refused.
        disabled: the model was taken down.
        slow: bytes a second of a file's contents.
        break_after: contents of a file end after so many bytes of an answer, and the connection is closed.
        breaks: how many answers break off.
        hang_after: so many bytes of an answer are sent, and then nothing.
        hang_at_once: not even the first byte of an answer comes.
        wrong_bytes: one byte in the middle of a file is another.
        no_range: the whole file is sent, whatever part was asked for.
        garbage: a login page is answered to everything.
        only: these faults meet files of this ending alone.
        sizes: what is told of a file's size, instead of the truth.
    """

    status: int = 0
    file_status: int = 0
    gated: bool = False
    disabled: bool = False
    slow: float = 0
    break_after: int | None = None
    breaks: int = 1_000_000
    hang_after: int | None = None
    hang_at_once: bool = False
    wrong_bytes: bool = False
    no_range: bool = False
    garbage: bool = False
    only: str = ".safetensors"
    sizes: dict[str, int] = field(default_factory=dict)


@dataclass
class Request:
    """One request that the server saw, and how many bytes it has sent in answer up to now."""

    method: str
    path: str
    range: str | None
    sent: int = 0


class HubServer:
    """The server, running from ``with`` to its end.

    Args:
        models: id to folder.
        port: 0 for any free one.
        commits: versions that are given, instead of made from the files.
    """

    def __init__(self, models: Mapping[str, Path], port: int = 0, commits: Mapping[str, str] | None = None) -> None:
        self.models = dict(models)
        self.commits = dict(commits or {})
        self.faults = Faults()
        self.requests: list[Request] = []
        self.ended = threading.Event()
        hub = self

        class Handler(_Handler):
            server_hub = hub

        self._server = _Server(("127.0.0.1", port), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def mend(self) -> None:
        """Nothing goes wrong any more; what was seen is forgotten."""
        self.faults = Faults()
        self.requests.clear()

    def commit(self, name: str) -> str:
        """The one version of a model: changes with any file."""
        if name in self.commits:
            return self.commits[name]
        digest = hashlib.sha1(name.encode())
        for path in sorted(self.models[name].iterdir()):
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()

    def gets(self, file: str) -> list[Request]:
        """The requests for the contents of a file."""
        return [request for request in self.requests if request.method == "GET" and request.path.endswith(f"/{file}")]


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """A client that goes away in the middle is what is tested."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_hub: HubServer

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        hub, path = self.server_hub, urllib.parse.unquote(self.path.partition("?")[0])
        self.seen = Request(self.command, path, self.headers.get("Range"))
        hub.requests.append(self.seen)
        if hub.faults.hang_at_once:
            hub.ended.wait()
        elif hub.faults.status:
            self.refuse(hub.faults.status)
        elif hub.faults.garbage:
            self.send(200, b"<html>Welcome to the hotel</html>", {"Content-Type": "text/html"})
        elif match := _API.fullmatch(path):
            self.model(match["id"], match["revision"])
        elif match := _FILE.fullmatch(path):
            self.file(match["id"], match["revision"], match["file"])
        else:
            self.refuse(404, "EntryNotFound")

    def refuse(self, status: int, code: str = "") -> None:
        codes = {401: "RepoNotFound", 404: "RepoNotFound"}
        self.send(status, b"", {"X-Error-Code": code or codes.get(status, "")})

    def model(self, name: str, revision: str | None) -> None:
        hub = self.server_hub
        if name not in hub.models:
            return self.refuse(401)  # what the real one answers to a stranger, so that private names stay private
        commit = hub.commit(name)
        if revision not in (None, "main", commit):
            return self.refuse(404, "RevisionNotFound")
        files = [self.listed(path) for path in sorted(hub.models[name].iterdir()) if path.is_file()]
        told: dict[str, Any] = {"id": name, "sha": commit, "siblings": files, "private": False, "tags": []}
        told |= {"gated": "manual" if hub.faults.gated else False, "disabled": hub.faults.disabled}
        return self.send(200, json.dumps(told).encode(), {"Content-Type": "application/json"})

    def listed(self, path: Path) -> dict[str, Any]:
        size = self.server_hub.faults.sizes.get(path.name, path.stat().st_size)
        entry: dict[str, Any] = {"rfilename": path.name, "size": size, "blobId": git_digest(path)}
        if is_big(path):
            entry["lfs"] = {"size": size, "sha256": etag_of(path), "pointerSize": 130}
        return entry

    def file(self, name: str, revision: str, file: str) -> None:
        hub = self.server_hub
        if name not in hub.models:
            return self.refuse(401)
        commit, path = hub.commit(name), hub.models[name] / file
        if revision not in ("main", commit):
            return self.refuse(404, "RevisionNotFound")
        if hub.faults.gated:
            return self.refuse(403, "GatedRepo")
        if not path.is_file():
            return self.refuse(404, "EntryNotFound")
        if hub.faults.file_status and file.endswith(hub.faults.only):
            return self.refuse(hub.faults.file_status)
        return self.contents(path, commit)

    def contents(self, path: Path, commit: str) -> None:
        faults = self.server_hub.faults if path.name.endswith(self.server_hub.faults.only) else Faults()
        body, status = bytearray(path.read_bytes()), 200
        if faults.wrong_bytes:
            body[len(body) // 2] ^= 0xFF
        headers = {"X-Repo-Commit": commit, "ETag": f'"{etag_of(path)}"', "Accept-Ranges": "bytes"}
        if is_big(path):
            headers |= {"X-Linked-Etag": f'"{etag_of(path)}"', "X-Linked-Size": str(len(body))}
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if asked and not faults.no_range:
            begin, whole = int(asked[1]), len(body)
            if begin >= whole:
                return self.refuse(416)
            body, status = body[begin:], 206
            headers["Content-Range"] = f"bytes {begin}-{whole - 1}/{whole}"
        return self.send(status, bytes(body), headers, faults)

    def send(self, status: int, body: bytes, headers: Mapping[str, str], faults: Faults | None = None) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        faults = faults or Faults()
        for begin in range(0, len(body), CHUNK):
            chunk = body[begin : begin + CHUNK]
            if faults.hang_after is not None and self.seen.sent >= faults.hang_after:
                self.server_hub.ended.wait()
                return
            if faults.break_after is not None and self.seen.sent >= faults.break_after and faults.breaks > 0:
                faults.breaks -= 1
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.wfile.write(chunk)
            self.seen.sent += len(chunk)
            if faults.slow and self.server_hub.ended.wait(len(chunk) / faults.slow):
                return


def is_big(path: Path) -> bool:
    """Whether the Hub would keep a file outside of Git."""
    return path.suffix in (".safetensors", ".bin")


def git_digest(path: Path) -> str:
    """What Git calls a file of these contents."""
    body = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def etag_of(path: Path) -> str:
    """As the Hub's: SHA-256 of big files, Git's digest of small ones."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if is_big(path) else git_digest(path)


def models_in(folder: Path) -> dict[str, Path]:
    """The models of a folder: NAME or OWNER/NAME."""
    configs = [*folder.glob("*/config.json"), *folder.glob("*/*/config.json")]
    return {path.parent.relative_to(folder).as_posix(): path.parent for path in configs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    for fault in dataclasses.fields(Faults):
        if fault.name == "sizes":
            continue
        option = f"--{fault.name.replace('_', '-')}"
        if isinstance(fault.default, bool):
            parser.add_argument(option, action="store_true")
        else:
            kind = {"slow": float, "only": str}.get(fault.name, int)
            parser.add_argument(option, type=kind, default=fault.default)
    given = vars(parser.parse_args())
    with HubServer(models_in(given.pop("folder")), given.pop("port")) as hub:
        hub.faults = Faults(**given)
        print(hub.address, flush=True)
        while True:
            time.sleep(3_600)


if __name__ == "__main__":
    main()
