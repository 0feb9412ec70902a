"""Asking a server: JSON over HTTP, tried again while it is busy or away, and an error in one sentence when it fails.

Answers that were redirected are refused: the sentences and the key go to the host that the user named, and no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from parapluie_gui.errors import ModelError
from parapluie_gui.pluie.spending import Counter

if TYPE_CHECKING:
    import urllib3

#: Seconds to wait before each further try, where the server does not name another time.
WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
#: The longest wait that a server may ask for, in seconds.
_LONGEST = 60.0
#: Seconds for an answer: a long prompt on a slow machine that serves others too.
_PATIENCE = 300.0
#: What a server answers when it is too busy, or restarting behind another one.
_BUSY = (408, 425, 429, 500, 502, 503, 504)


class Refused(ModelError):
    """The server understood, and says no; `status` is HTTP's, and `words` what the server says."""

    def __init__(self, sentence: str, status: int, words: str) -> None:
        super().__init__(sentence)
        self.status, self.words = status, words


class Connection:
    """A server's address and the key for it; may be used by several threads.

    Args:
        base: "http://127.0.0.1:8080", without a path.
        key: What it asks for as a bearer token, or "".
        pause: Waits for some seconds; may raise to end the waiting.
        say: Takes a sentence that the user should know.
        waits: Seconds before each further try (WAITS).

    Attributes:
        host: With its port.
        counter: Counts what was answered.
    """

    def __init__(
        self,
        base: str,
        key: str = "",
        pause: Callable[[float], None] = time.sleep,
        say: Callable[[str], None] = lambda text: None,
        waits: tuple[float, ...] | None = None,
    ) -> None:
        import urllib3

        self.base = base.rstrip("/")
        self.say = say
        self._pause, self._waits = pause, WAITS if waits is None else waits
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        parts = urlsplit(self.base)
        self.host = parts.netloc
        self.counter = Counter(self.host)
        proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
        self._pool = urllib3.ProxyManager(proxy, maxsize=16) if proxy else urllib3.PoolManager(maxsize=16)

    def get(self, path: str) -> Any:
        """Return what the server answers; errors as `post`."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return what the server answers to a request.

        Raises:
            Refused: It says no.
            ModelError: It cannot be reached, or what it answers is no JSON.
        """
        answer = self._ask("POST", path, body)
        if not path.endswith(("tokenize", "/show")):
            self.counter.count(answer)
        return answer

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        import urllib3

        for wait in (*self._waits, None):
            try:
                answer = self._pool.request(
                    method,
                    self.base + path,
                    headers=self._headers,
                    timeout=urllib3.Timeout(connect=10.0, read=_PATIENCE),
                    retries=False,
                    redirect=False,
                    **({} if body is None else {"json": body}),
                )
            except urllib3.exceptions.HTTPError as error:
                if wait is None:
                    raise ModelError(
                        f"There is no answer from {self.host} ({_why(error)}). Check the address and that the server "
                        "runs; what was scored is kept, and scoring goes on from there."
                    ) from error
                self.say(f"There is no answer from {self.host}; it is asked again.")
            else:
                if answer.status not in _BUSY or wait is None:
                    return self._read(answer, path)
                self.say(f"{self.host} is busy or restarting ({answer.status}); it is asked again.")
                wait = min(_seconds(answer.headers.get("Retry-After"), wait), _LONGEST)
            self._pause(wait)
        raise AssertionError

    def _read(self, answer: urllib3.BaseHTTPResponse, path: str) -> Any:
        if answer.status in (401, 403):
            raise Refused(
                f"{self.host} asks for a key, or for another one. Type it under Key in Setup's dialog, or run "
                f"`parapluie models connect {self.base} --key`.",
                answer.status,
                "",
            )
        try:
            found = answer.json()
        except ValueError as error:
            if answer.status < 300:
                raise ModelError(
                    f"{self.host} answers {path} with something other than JSON. Check the address: it should be that "
                    "of a server of language models."
                ) from error
            found = {}
        if answer.status >= 300:
            words = _words(found)
            said = f"{answer.status}: {words}" if words else str(answer.status)
            raise Refused(
                f"{self.host} refuses the request {path} ({said[:300]}). Check the address and the model's name.",
                answer.status,
                words,
            )
        return found


def _seconds(value: str | None, usual: float) -> float:
    try:
        return max(float(value or ""), 0.0)
    except ValueError:  # absent, or a date
        return usual


def _why(error: Exception) -> str:
    """Return what went wrong with a connection in a few words: urllib3's own begin with objects."""
    text = str(error.__cause__ or error).rpartition(": ")[2].strip("()'\" ")
    return text or type(error).__name__


def _words(answer: Any) -> str:
    """Return what a server says of an error, in whichever of the usual places."""
    for key in ("error", "message", "detail"):
        if isinstance(answer, dict) and key in answer:
            return _words(answer[key])
    return answer if isinstance(answer, str) else ""
