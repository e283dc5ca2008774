"""What tools/image.py needs of docker, podman and buildah: which one works, what an image is, and a container to try.

docker and podman run the image as a container. Where there is only buildah, it runs in namespaces of its own on a mount
of the image that is read-only: the same image under the same limits, but not what an engine would do.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

ENGINES = ("docker", "podman", "buildah")
PORT, VOLUME = 8501, "/models"
STOP_SECONDS = 10.0

# Every sentence that tools/image.py and this module say, as in tools/setup.py.
TEXT = {
    "no_engine": "Neither docker nor podman nor buildah works here. Install one of them; where no engine can run, "
    "buildah is enough, for example: apt-get install buildah",
    "no_tool": "{tool} is needed for this and does not work here. On Debian or Ubuntu: apt-get install {tool}",
    "no_root": "Without docker or podman, an image can only be tried by root.",
    "no_playwright": "Playwright is not installed in this Python. Use: make image-check",
    "no_folders": "docker cannot show local folders to a build, and pip's configuration names some: {folders}",
    "base": "Making a stand-in for {base} from Debian's packages ...",
    "base_there": "Using the {base} that is here already.",
    "base_left": "The stand-in stays here under the name {base}. To use the real one again: buildah rmi {base}",
    "base_docker": "A stand-in base is made with buildah, whose images docker does not see; use podman or buildah.",
    "build": "Building {tag} with {engine} ...",
    "built": "Built {tag} in {seconds:.0f} s.",
    "size": "{tag}: {size:.2f} GB uncompressed, as {engine} reports it.",
    "failed": "{command} failed (exit code {code}). {output}",
    "start": "Starting it with {engine}: a read-only root, /tmp in memory, {volume} as a volume ...",
    "namespaces": "buildah has no read-only root, so it is started in namespaces of its own on a read-only mount, on "
    "this computer's network. What an engine adds (its network, its limits, its timer for the health check) is not "
    "tried here.",
    "ok": "  ok    {what}",
    "bad": "  FAIL  {what}: {why}",
    "health": "answers as healthy{after}",
    "seconds": " ({seconds:.1f} s)",
    "not_root": "runs as uid 1000, not as root",
    "read_only": "no part of the root can be written to",
    "volume": "the volume for the Hub's cache can be written to",
    "build_kind": "PyTorch is the build that was asked for: {torch}",
    "own_check": "the image's own health check passes inside, and fails where nothing answers",
    "models": "the toy and BERT run inside, the labs' texts are there, and nothing is fetched",
    "page": "Chromium shows a heatmap of {source}{after}",
    "stop": "stops by itself on SIGTERM, with a page open{after}",
    "killed": "still there after {seconds:.0f} s",
    "nothing": "nothing within {seconds:.0f} s; the end of its log:\n{log}",
    "all_ok": "Everything that was tried works.",
    "some_bad": "Not everything works; see the lines that say FAIL.",
    "stopped": "Stopped.",
}

#: $1 root, $2 folder for the volume, $3 user; then the command. What an engine mounts, in as few lines as it takes.
NAMESPACES = f"""set -e
root=$1 volume=$2 user=$3; shift 3
mount --bind "$root" "$root"
mount --bind "$volume" "$root{VOLUME}"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir -m 1777 "$root/dev/shm"
for device in null zero full random urandom; do
    touch "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"
"""


class ImageError(Exception):
    """A step failed; the message is a whole sentence for the person at the terminal."""


def failure(key: str, **values: object) -> ImageError:
    """Make an error that carries one of the sentences."""
    return ImageError(TEXT[key].format(**values))


def run(*command: str, shown: bool = False) -> str:
    """Run a command and return what it prints; `shown` lets it print to the terminal instead."""
    done = subprocess.run(command, capture_output=not shown, text=True)
    if done.returncode:
        output = "" if shown else (done.stdout + done.stderr).strip()
        raise failure("failed", command=" ".join(command)[:120], code=done.returncode, output=output)
    return "" if shown else done.stdout.strip()


def works(engine: str) -> bool:
    """Whether an engine is there and, where it needs one, its service answers."""
    question = ("version", "--format", "{{.Server.Version}}") if engine == "docker" else ("info",)
    with suppress(OSError, subprocess.TimeoutExpired):
        return not subprocess.run([engine, *question], capture_output=True, timeout=30).returncode
    return False


def choose_engine(wanted: str | None = None) -> str:
    """Return the engine that is asked for, or else the first one that works."""
    for engine in (wanted,) if wanted else ENGINES:
        if works(engine):
            return engine
    raise failure("no_tool", tool=wanted) if wanted else failure("no_engine")


def size_in_bytes(text: str) -> int:
    """Read a size as engines write it: `1469362039`, `1.47 GB`, `1.4GiB`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:([kmgt]?)(i?)b)?", text.strip().lower())
    if not found:
        raise ValueError(text)
    number, prefix, binary = found.groups()
    return round(float(number) * (1024 if binary else 1000) ** " kmgt".index(prefix or " "))


@dataclass(frozen=True)
class Image:
    """What an engine says of an image."""

    tag: str
    size: int
    user: str
    folder: str
    environment: tuple[str, ...]
    command: tuple[str, ...]
    health: tuple[str, ...]


def inspect(engine: str, tag: str) -> Image:
    """Ask an engine for an image."""
    if engine == "buildah":
        config = json.loads(run(engine, "inspect", "--type", "image", tag))["Docker"]["config"]
        size = size_in_bytes(run(engine, "images", "--format", "{{.Size}}", tag))
    else:
        (whole,) = json.loads(run(engine, "image", "inspect", tag))
        # podman writes the health check beside the configuration.
        config, size = {"Healthcheck": whole.get("Healthcheck"), **whole["Config"]}, size_in_bytes(str(whole["Size"]))
    health = (config["Healthcheck"] or {}).get("Test", [])
    return Image(
        tag, size, config["User"], config["WorkingDir"], tuple(config["Env"]), tuple(config["Cmd"]), tuple(health[1:])
    )


class Container(Protocol):
    """A running image."""

    url: str

    def inside(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it, as its own user."""

    def stop(self) -> float | None:
        """Send SIGTERM; return the seconds until it has ended, or None if it had to be killed."""

    def log(self) -> str:
        """Return what it has printed."""

    def remove(self) -> None:
        """Leave nothing of it."""


class EngineContainer:
    """A container of docker or podman."""

    def __init__(self, engine: str, image: Image) -> None:
        """Start it with a read-only root, on a free port of this computer only."""
        self.engine, self.name = engine, f"image-check-{uuid.uuid4().hex[:8]}"
        options = ["--detach", "--name", self.name, "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL"]
        options += ["--volume", f"{self.name}:{VOLUME}", "--publish", f"127.0.0.1::{PORT}"]
        try:
            run(engine, "run", *options, image.tag)
            self.url = "http://" + run(engine, "port", self.name, str(PORT)).splitlines()[0]
        except BaseException:
            self.remove()
            raise

    def inside(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it, as its own user."""
        return subprocess.run([self.engine, "exec", self.name, *command], capture_output=True, text=True)

    def stop(self) -> float | None:
        """Send SIGTERM; return the seconds until it has ended, or None if it had to be killed."""
        begin = time.monotonic()
        run(self.engine, "stop", "-t", str(round(STOP_SECONDS)), self.name)
        seconds = time.monotonic() - begin
        killed = run(self.engine, "inspect", "--format", "{{.State.ExitCode}}", self.name) == "137"
        return None if killed else seconds

    def log(self) -> str:
        """Return what it has printed."""
        done = subprocess.run([self.engine, "logs", self.name], capture_output=True, text=True)
        return done.stdout + done.stderr

    def remove(self) -> None:
        """Leave nothing of it, its volume included."""
        for command in (("rm", "--force"), ("volume", "rm", "--force")):
            subprocess.run([self.engine, *command, self.name], capture_output=True)


class NamespaceContainer:
    """An image that buildah has mounted, in namespaces for mounts and processes."""

    def __init__(self, image: Image) -> None:
        """Start it on a read-only mount of the image, and on a free port."""
        if os.geteuid():
            raise failure("no_root")
        self.image, self.work = image, Path(tempfile.mkdtemp())
        self.working = run("buildah", "from", "--pull=never", image.tag)
        root = run("buildah", "mount", self.working)
        volume = self.work / "volume"
        volume.mkdir()
        shutil.copystat(root + VOLUME, volume)
        owner = os.stat(root + VOLUME)
        os.chown(volume, owner.st_uid, owner.st_gid)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", NAMESPACES, "sh"]
        command += [root, str(volume), image.user, *self._env(), *image.command]
        with (self.work / "log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def _env(self) -> list[str]:
        port = f"STREAMLIT_SERVER_PORT={self.port}"
        return ["env", "-i", f"--chdir={self.image.folder}", *self.image.environment, port]

    def _first(self) -> str:
        """The process that is number 1 inside, by its number outside."""
        pid = self.process.pid
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]

    def inside(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it, as its own user."""
        user, _, group = self.image.user.partition(":")
        enter = [
            "nsenter",
            "--target",
            self._first(),
            "--mount",
            "--pid",
            "--root",
            "--setuid",
            user,
            "--setgid",
            group,
        ]
        return subprocess.run([*enter, *self._env(), *command], capture_output=True, text=True)

    def stop(self) -> float | None:
        """Send SIGTERM; return the seconds until it has ended, or None if it had to be killed."""
        begin = time.monotonic()
        os.kill(int(self._first()), 15)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(STOP_SECONDS)
            return time.monotonic() - begin
        return None

    def log(self) -> str:
        """Return what it has printed."""
        return (self.work / "log").read_text()

    def remove(self) -> None:
        """Leave nothing of it: the mounts end with its namespace."""
        self.process.kill()
        self.process.wait()
        subprocess.run(["buildah", "rm", self.working], capture_output=True)
        shutil.rmtree(self.work, ignore_errors=True)
