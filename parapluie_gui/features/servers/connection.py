"""Asking a server: JSON over HTTP, tried again while it is busy or away, and an error in one sentence when it fails.

Answers that were redirected are refused: the sentences and the key go to the host that the user named, and no other. A
server can neither fill the memory nor hold the program: an answer has a bound in bytes, also unpacked, and one in time,
and is read in a thread of its own, which is left behind when nobody waits for it any more.
"""

from __future__ import annotations

import contextlib
import json
import math
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.counter import Counter

if TYPE_CHECKING:
    import urllib3

#: Seconds to wait before each further try, where the server does not name another time.
WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
#: The longest wait that a server may ask for, in seconds.
_LONGEST = 60.0
#: Seconds for a whole answer: a long prompt on a slow machine that serves others too; a page that only has to be sent.
ANSWERING, LOOKING = 300.0, 60.0
#: Seconds after which the user hears what is waited for.
SILENCE = 10.0
#: Bytes of an answer, as sent and unpacked. The longest that are meant are lists of the models of a hosted service and
#: the tokens of a very long text, of at most some MB.
_MOST = 8_000_000
#: Bytes that are read at a time.
_PIECE = 65_536
#: Levels of JSON; no answer that is meant has ten.
_DEEPEST = 64
#: Seconds between two looks whether the work is to stop.
_TICK = 0.05
#: What a server answers when it is too busy, or restarting behind another one.
_BUSY = (408, 425, 429, 500, 502, 503, 504)


class Refused(ModelError):
    """The server understood, and says no; `status` is HTTP's, and `words` what the server says."""

    def __init__(self, sentence: str, status: int, words: str) -> None:
        super().__init__(sentence)
        self.status, self.words = status, words


@dataclass
class _Answer:
    """What a thread of its own reads of a server; without a status there is none yet."""

    status: int = 0
    retry_after: str | None = None
    data: bytes = b""
    error: Exception | None = None
    there: threading.Event = field(default_factory=threading.Event)
    open: urllib3.BaseHTTPResponse | None = None

    def leave(self) -> None:
        """End the reading where it has begun; a thread that still waits for the first line ends with the program."""
        if self.open is not None:
            with contextlib.suppress(Exception):  # closed in between
                self.open.shutdown()


class Connection:
    """A server's address and the key for it; may be used by several threads.

    Args:
        base: "http://127.0.0.1:8080", without a path.
        key: What it asks for as a bearer token, or "".
        say: Takes a sentence that the user should know.
        waits: Seconds before each further try (WAITS).

    Attributes:
        host: With its port.
        say: As in the arguments.
        counter: Counts what was answered.
        named: The model that answers name, by the page that was asked.
    """

    def __init__(
        self,
        base: str,
        key: str = "",
        say: Callable[[str], None] = lambda text: None,
        waits: tuple[float, ...] | None = None,
    ) -> None:
        import urllib3

        self.base = base.rstrip("/")
        self.say = say
        self.named: dict[str, str] = {}
        self._waits = WAITS if waits is None else waits
        # A server that packs all the same is understood; see `_unpacked`.
        self._key = key.encode()
        self._headers = {"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})}
        parts = urlsplit(self.base)
        self.host = parts.netloc
        self.counter = Counter(self.host)
        proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
        new_pool = partial(urllib3.ProxyManager, proxy) if proxy else urllib3.PoolManager
        kept = nullcontext(new_pool(maxsize=16))
        # A question has a connection of its own, so that no answer that comes late or twice is taken for that of the
        # next one. Only encrypted ones, which take long to make, serve for many.
        self._pool: Callable[[], AbstractContextManager[urllib3.PoolManager]]
        self._pool = (lambda: kept) if parts.scheme == "https" else new_pool
        self._calls: set[threading.Event] = set()
        self._lock = threading.Lock()

    def get(self, path: str) -> Any:
        """Return what the server answers; errors as `post`."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return what the server answers to a request.

        Raises:
            Refused: It says no.
            ModelError: It cannot be reached, what it answers is no JSON or too long, or another model answers.
        """
        answer = self._ask("POST", path, body)
        if not path.endswith(("tokenize", "/show")):
            self.counter.count(answer)
        self._note_name(path, answer)
        return answer

    @contextmanager
    def understood(self) -> Iterator[None]:
        """Raise a ModelError where what is read within, of an answer, has not the form that is expected."""
        try:
            yield
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelError(
                f"{self.host} answers in a form that is not known here. Update the server, or choose another one."
            ) from error

    def drop(self) -> None:
        """Let go of all that is under way in other threads: they end with an error at once."""
        with self._lock:
            for dropped in self._calls:
                dropped.set()

    def _note_name(self, path: str, answer: Any) -> None:
        name = answer.get("model") if isinstance(answer, dict) else None
        if isinstance(name, str) and name and (before := self.named.setdefault(path, name)) != name:
            raise ModelError(
                f"{self.host} answers as {name[:80]} now, and before as {before[:80]}: the scores of two models would "
                f"be mixed. Connect again (`parapluie models connect {self.base}`), or choose another server."
            )

    @contextmanager
    def _call(self) -> Iterator[threading.Event]:
        """Yield what is set when nobody waits for this call any more."""
        dropped = threading.Event()
        with self._lock:
            self._calls.add(dropped)
        try:
            yield dropped
        finally:
            with self._lock:
                self._calls.discard(dropped)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        import urllib3

        with self._call() as dropped:
            for wait in (*self._waits, None):
                try:
                    answer = self._exchange(dropped, method, path, body)
                except urllib3.exceptions.HTTPError as error:
                    if wait is None:
                        raise ModelError(
                            f"There is no answer from {self.host} ({_why(error)}). Check the address and that the "
                            "server runs; what was scored is kept, and scoring goes on from there."
                        ) from error
                    self.say(f"There is no answer from {self.host}; it is asked again.")
                else:
                    if answer.status not in _BUSY or wait is None:
                        return self._read(answer, path)
                    self.say(f"{self.host} is busy or restarting ({answer.status}); it is asked again.")
                    wait = min(_seconds(answer.retry_after, wait), _LONGEST)
                if dropped.wait(wait):
                    raise self._gone()
        raise AssertionError

    def _exchange(self, dropped: threading.Event, method: str, path: str, body: dict[str, Any] | None) -> _Answer:
        """Ask once and return the answer.

        Raises:
            HTTPError: Of urllib3: there is no answer.
            ModelError: It is not there in time, or too long.
        """
        answer = _Answer()
        seconds = LOOKING if body is None else ANSWERING
        threading.Thread(
            target=self._fetch, args=(answer, method, path, body, seconds), name="answer", daemon=True
        ).start()
        started, said = time.monotonic(), False
        try:
            while not answer.there.wait(_TICK):
                if dropped.is_set():
                    raise self._gone()
                waited = time.monotonic() - started
                if waited > seconds:
                    raise ModelError(
                        f"The answer of {self.host} to {path} was not there after {seconds:,.0f} s. Check the server; "
                        "what was scored is kept, and scoring goes on from there."
                    )
                if waited > SILENCE and not said:
                    said = True
                    self.say(f"Still waiting for {self.host} …")
        finally:
            if not answer.there.is_set():
                answer.leave()
        if answer.error is not None:
            raise answer.error
        return answer

    def _fetch(self, answer: _Answer, method: str, path: str, body: dict[str, Any] | None, seconds: float) -> None:
        """Read an answer, in a thread of its own."""
        import urllib3

        try:
            with self._pool() as pool:
                found = pool.request(
                    method,
                    self.base + path,
                    headers=self._headers,
                    timeout=urllib3.Timeout(connect=10.0, read=seconds),
                    retries=False,
                    redirect=False,
                    preload_content=False,
                    **({} if body is None else {"json": body}),
                )
                answer.open = found
                try:
                    data = self._bytes(found)
                except BaseException:
                    found.close()
                    raise
                found.release_conn()
            answer.retry_after, answer.data = found.headers.get("Retry-After"), data
            answer.status = found.status
        except Exception as error:  # raised where the answer is waited for
            answer.error = error
        finally:
            answer.there.set()

    def _bytes(self, found: urllib3.BaseHTTPResponse) -> bytes:
        """Return the body of an answer, unpacked; ModelError if it is too long or packed in a strange way."""
        pieces = bytearray()
        length = found.headers.get("Content-Length") or ""
        if length.isdigit() and (len(length) > 15 or int(length) > _MOST):
            raise self._too_long()
        while piece := found.read(_PIECE, decode_content=False):
            pieces += piece
            if len(pieces) > _MOST:
                raise self._too_long()
        return self._unpacked(bytes(pieces), (found.headers.get("Content-Encoding") or "").strip().lower())

    def _unpacked(self, data: bytes, packed: str) -> bytes:
        if packed in ("", "identity"):
            return data
        if packed not in ("gzip", "x-gzip", "deflate"):
            raise ModelError(f"{self.host} answers packed as {packed[:40]}. Check the address: that was not asked for.")
        unpacking = zlib.decompressobj(wbits=47)  # of gzip and zlib, whichever it is
        try:
            found = unpacking.decompress(data, _MOST)
        except zlib.error as error:
            raise ModelError(f"What {self.host} answers cannot be unpacked. Check the address.") from error
        if unpacking.unconsumed_tail:
            raise self._too_long()
        return found

    def _gone(self) -> ModelError:
        return ModelError(f"What {self.host} was asked is not waited for any more.")

    def _too_long(self) -> ModelError:
        return ModelError(
            f"{self.host} answers with more than {_MOST // 1_000_000} MB. Check the address: it should be that of a "
            "server of language models."
        )

    def _read(self, answer: _Answer, path: str) -> Any:
        if answer.status in (401, 403):
            raise Refused(
                f"{self.host} asks for a key, or for another one. Type it under Key in Setup's dialog, or run "
                f"`parapluie models connect {self.base} --key`.",
                answer.status,
                "",
            )
        # A server may say in its refusal which key it was sent; what is shown here ends in reports of errors.
        data = answer.data.replace(self._key, b"(key)") if self._key else answer.data
        try:
            found = _json(data)
        except (ValueError, RecursionError) as error:
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


def dig(found: Any, *steps: str | int) -> Any:
    """Return what is at a place in an answer, None where there is no such place."""
    for step in steps:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def dig_list(found: Any, *steps: str | int) -> list[Any]:
    """Return the list at a place in an answer, [] where there is none."""
    there = dig(found, *steps)
    return there if isinstance(there, list) else []


def _json(data: bytes) -> Any:
    """Read JSON; ValueError or RecursionError if it is none, or of more levels than anything here would follow."""
    found = json.loads(data)
    if b"\\ud" in data.lower():  # half a sign cannot be written anywhere
        json.dumps(found, ensure_ascii=False).encode()
    if data.count(b"[") + data.count(b"{") > _DEEPEST:
        level = [found]
        for _ in range(_DEEPEST):
            level = [
                each
                for one in level
                for each in (one.values() if isinstance(one, dict) else one)
                if isinstance(each, (dict, list))
            ]
            if not level:
                return found
        raise ValueError("too deep")
    return found


def _seconds(value: str | None, usual: float) -> float:
    try:
        found = float(value or "")
    except ValueError:  # absent, or a date
        return usual
    return usual if math.isnan(found) else max(found, 0.0)


def _why(error: Exception) -> str:
    """Return what went wrong with a connection in a few words: urllib3's own begin with objects."""
    cause = error.__cause__ or error
    inner = next((each for each in cause.args if isinstance(each, Exception)), cause)  # behind "Connection aborted."
    text = str(inner).rpartition(": ")[2].strip("()'\" ")
    return text or type(error).__name__


def _words(answer: Any) -> str:
    """Return what a server says of an error, in whichever of the usual places."""
    for key in ("error", "message", "detail"):
        if isinstance(answer, dict) and key in answer:
            return _words(answer[key])
    return answer if isinstance(answer, str) else ""
