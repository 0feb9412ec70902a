"""A page in Chromium, driven through the pipe of its debugging protocol, without a driver or library."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: Starts the browser with the pipe of the protocol at file descriptors 3 and 4.
_START = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""

#: True once a page shows its pairs.
_SHOWN = "typeof page !== 'undefined' && document.getElementById('old').hidden"

#: Seconds that an answer may take on a busy computer.
PATIENCE = 60.0


class Chromium:
    """One tab.

    Attributes:
        told: Messages of the page's console, of the browser's log, and requests to the network.
    """

    def __init__(self, process: subprocess.Popen[bytes], reads: int, writes: int) -> None:
        self.told: list[str] = []
        self._process, self._reads, self._writes = process, reads, writes
        self._number, self._rest, self._session = 0, b"", None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._reads, 1 << 16)
            assert more, "Chromium has ended"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        answer = json.loads(text)
        method, about = answer.get("method", ""), answer.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.told.append(str(about["args"]))
        elif method == "Runtime.exceptionThrown":
            self.told.append(str(about["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.told.append(about["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(
            ("file:", "data:", "blob:")
        ):
            self.told.append(f"asks for {about['request']['url']}")
        return answer

    def open(self, address: str, before: str = "", ready: str = _SHOWN) -> None:
        """Open a page, with a script that runs before the page's scripts, and wait until it shows its pairs."""
        self.ask("Page.navigate", url="about:blank")
        script = self.ask("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.ask("Page.navigate", url=address)
        self.wait(ready)
        self.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"{condition} never came true; told: {self.told}"
            time.sleep(0.02)

    def wait_for(self, path: Path) -> None:
        """Wait until a file is downloaded completely; until then it has a different name."""
        end = time.monotonic() + PATIENCE
        while not path.exists():
            assert time.monotonic() < end, f"{path.name} was never written"
            time.sleep(0.02)

    def text(self, id: str) -> str:
        """Return the text of an element of the page."""
        return self.run(f"document.getElementById('{id}').innerText")

    def type(self, id: str, text: str) -> None:
        """Replace the text of a field as if typed."""
        self.run(f"document.getElementById('{id}').focus(); document.getElementById('{id}').select()")
        self.ask("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press and release a key."""
        letter = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **letter)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at one point of the window and release it at another."""
        for kind, at in (("mousePressed", start), ("mouseMoved", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=1, clickCount=1)

    def look(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the size of the window and the system's colour scheme."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """Write a screenshot as PNG."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


@contextlib.contextmanager
def chromium(folder: Path) -> Iterator[Chromium]:
    """Start a headless browser with a profile in a folder; skip the test if none is installed."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None or os.name == "nt":
        pytest.skip("Chromium is not installed here: the page is not tried in a browser")
    (its_reads, writes), (reads, its_writes) = os.pipe(), os.pipe()
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags += ["--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}", "about:blank"]
    process = subprocess.Popen(
        [sys.executable, "-c", _START, str(its_reads), str(its_writes), program, *flags],
        pass_fds=(its_reads, its_writes),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(its_reads)
    os.close(its_writes)
    try:
        browser = Chromium(process, reads, writes)
        yield browser
        browser._session = None
        browser.ask("Browser.close")
    finally:
        process.terminate()
        process.wait()
        os.close(reads)
        os.close(writes)
