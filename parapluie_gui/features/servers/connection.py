"""JSON over HTTP: requests are retried while a server is busy or unreachable; a failure is reported in one sentence.

Redirects are refused: sentences and key go only to the host that the user named. A server can neither fill the memory
nor block the program: an answer is limited in bytes, compressed and decompressed, and in time, and is read in a
separate thread, which is abandoned when the request is cancelled.
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
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from parapluie_gui.errors import ModelError, one_line
from parapluie_gui.features.servers.counter import RequestCounter
from parapluie_gui.features.servers.secret import SecretKey

if TYPE_CHECKING:
    import urllib3

#: Seconds to wait before each retry, unless the server names a time.
WAITS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
#: Maximum wait that a server may ask for, in seconds.
_LONGEST = 60.0
#: Seconds to wait for a complete answer: to a POST (a long prompt on a slow shared machine), and to a GET, which needs
#: no model.
ANSWERING, LOOKING = 300.0, 60.0
#: Seconds after which a message names the slow server.
SILENCE = 10.0
#: Maximum size of an answer in bytes, compressed or decompressed. The longest legitimate ones, lists of the models of a
#: hosted service and the tokens of a very long text, have a few MB.
_MOST = 8_000_000
#: Number of bytes read at a time.
_PIECE = 65_536
#: Maximum nesting depth of JSON; legitimate answers have fewer than ten.
_DEEPEST = 64
#: Maximum length of the message quoted from a library about a failed connection.
_LONGEST_CAUSE = 200
#: Seconds between checks for cancellation.
_TICK = 0.05
#: HTTP statuses of a server that is busy, or restarting behind a proxy.
_BUSY = (408, 425, 429, 500, 502, 503, 504)


class RefusedRequest(ModelError):
    """A request that the server understood and refused; `status` is the HTTP status, `words` the server's message."""

    def __init__(self, sentence: str, status: int, words: str) -> None:
        super().__init__(sentence)
        self.status, self.words = status, words


@dataclass
class _PendingAnswer:
    """An answer that another thread is reading; its status is 0 until it is complete."""

    status: int = 0
    retry_after: str | None = None
    data: bytes = b""
    error: Exception | None = None
    there: threading.Event = field(default_factory=threading.Event)
    open: urllib3.BaseHTTPResponse | None = None

    def leave(self) -> None:
        """Stop reading if the body has begun; a thread that waits for the first line ends with the program."""
        if self.open is not None:
            with contextlib.suppress(Exception):  # the reading thread may already have closed it
                self.open.shutdown()


class ServerConnection:
    """A server's address and the key for it; thread-safe.

    Args:
        base: "http://127.0.0.1:8080", without a path.
        key: The bearer token, or "".
        say: Called with sentences for the user.
        waits: Seconds before each retry (WAITS).

    Attributes:
        host: Host and port.
        secret: The key, which is removed from messages.
        say: Called with sentences for the user.
        counter: Totals of the answered requests.
        named: The model named in answers, by path.
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
        self.secret = SecretKey(key)
        # `_decompress` handles servers that compress anyway.
        self._headers = {"Accept-Encoding": "identity", **({"Authorization": f"Bearer {key}"} if key else {})}
        parts = urlsplit(self.base)
        self.host = parts.netloc
        self.counter = RequestCounter(self.host)
        proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
        new_pool = partial(urllib3.ProxyManager, proxy) if proxy else urllib3.PoolManager
        shared = nullcontext(new_pool(maxsize=16))
        # Each request opens a connection, so that a late or repeated answer is never taken for that of the next
        # request. Only encrypted connections, which are slow to open, are reused.
        self._pool: Callable[[], AbstractContextManager[urllib3.PoolManager]]
        self._pool = (lambda: shared) if parts.scheme == "https" else new_pool
        self._calls: set[threading.Event] = set()
        self._lock = threading.Lock()

    def get(self, path: str) -> Any:
        """Return the answer to a GET request; errors as in `post`."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer to a POST request.

        Raises:
            RefusedRequest: The server refuses.
            ModelError: The server cannot be reached, the answer is not JSON or is too long, or the model has changed.
        """
        answer = self._ask("POST", path, body)
        if not path.endswith(("tokenize", "/show")):
            self.counter.count(answer)
        self._note_name(path, answer)
        return answer

    @contextmanager
    def check_answer_form(self) -> Iterator[None]:
        """Raise a ModelError if the answer that is read in the block has an unexpected form."""
        try:
            yield
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelError(
                f"{self.host} sent an answer in an unexpected format. Update the server, or choose a different one."
            ) from error

    def drop(self) -> None:
        """Cancel the requests of all threads; each of them raises a ModelError at once."""
        with self._lock:
            for call in self._calls:
                call.set()

    def _note_name(self, path: str, answer: Any) -> None:
        name = answer.get("model") if isinstance(answer, dict) else None
        if isinstance(name, str) and name and (earlier := self.named.setdefault(path, name)) != name:
            raise ModelError(
                f"{self.host} now answers as {name[:80]} but earlier answered as {earlier[:80]}, so the scores of two "
                f"models would be mixed. Connect again (`parapluie models connect {self.base}`), or choose "
                "a different server."
            )

    @contextmanager
    def _register_call(self) -> Iterator[threading.Event]:
        """Yield an event that is set when the call is cancelled."""
        dropped = threading.Event()
        with self._lock:
            self._calls.add(dropped)
        try:
            yield dropped
        finally:
            with self._lock:
                self._calls.discard(dropped)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        try:
            return self._ask_until_answered(method, path, body)
        except ModelError as error:
            error.args = (self.secret.censor(str(error)),)
            raise

    def _ask_until_answered(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        import urllib3

        with self._register_call() as dropped:
            for wait in (*self._waits, None):
                try:
                    answer = self._exchange(dropped, method, path, body)
                except urllib3.exceptions.HTTPError as error:
                    if wait is None:
                        raise ModelError(
                            f"No answer from {self.host} ({_cause(error)}). Check the address and whether the server "
                            "is running; scores computed so far are kept, and scoring continues from there."
                        ) from error
                    self.say(f"No answer from {self.host}. Trying again …")
                else:
                    if answer.status not in _BUSY or wait is None:
                        return self._parse_answer(answer, path)
                    self.say(f"{self.host} is busy or restarting ({answer.status}). Trying again …")
                    wait = min(_seconds(answer.retry_after, wait), _LONGEST)
                if dropped.wait(wait):
                    raise self._dropped_error()
        raise AssertionError

    def _exchange(
        self, dropped: threading.Event, method: str, path: str, body: dict[str, Any] | None
    ) -> _PendingAnswer:
        """Send a request once and return the answer.

        Raises:
            urllib3.exceptions.HTTPError: There is no answer.
            ModelError: The answer is late or too long.
        """
        answer = _PendingAnswer()
        seconds = LOOKING if body is None else ANSWERING
        threading.Thread(
            target=self._fetch, args=(answer, method, path, body, seconds), name="answer", daemon=True
        ).start()
        started, is_reported = time.monotonic(), False
        try:
            while not answer.there.wait(_TICK):
                if dropped.is_set():
                    raise self._dropped_error()
                waited = time.monotonic() - started
                if waited > seconds:
                    raise ModelError(
                        f"{self.host} did not answer {path} within {seconds:,.0f} s. Check the server; scores computed "
                        "so far are kept, and scoring continues from there."
                    )
                if waited > SILENCE and not is_reported:
                    is_reported = True
                    self.say(f"Still waiting for {self.host} …")
        finally:
            if not answer.there.is_set():
                answer.leave()
        if answer.error is not None:
            raise answer.error
        return answer

    def _fetch(
        self, answer: _PendingAnswer, method: str, path: str, body: dict[str, Any] | None, seconds: float
    ) -> None:
        """Read an answer; runs in a separate thread."""
        import urllib3

        try:
            with self._pool() as pool:
                response = pool.request(
                    method,
                    self.base + path,
                    headers=self._headers,
                    timeout=urllib3.Timeout(connect=10.0, read=seconds),
                    retries=False,
                    redirect=False,
                    preload_content=False,
                    **({} if body is None else {"json": body}),
                )
                answer.open = response
                try:
                    data = self._bytes(response)
                except BaseException:
                    response.close()
                    raise
                response.release_conn()
            answer.retry_after, answer.data = response.headers.get("Retry-After"), data
            answer.status = response.status
        except Exception as error:  # raised again in the waiting thread
            answer.error = error
        finally:
            answer.there.set()

    def _bytes(self, response: urllib3.BaseHTTPResponse) -> bytes:
        """Return the decompressed body of an answer; raise a ModelError if it is too long or cannot be decompressed."""
        pieces = bytearray()
        length = response.headers.get("Content-Length") or ""
        if length.isdigit() and (len(length) > 15 or int(length) > _MOST):
            raise self._too_long()
        while piece := response.read(_PIECE, decode_content=False):
            pieces += piece
            if len(pieces) > _MOST:
                raise self._too_long()
        return self._decompress(bytes(pieces), (response.headers.get("Content-Encoding") or "").strip().lower())

    def _decompress(self, data: bytes, encoding: str) -> bytes:
        if encoding in ("", "identity"):
            return data
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise ModelError(
                f"{self.host} compresses its answers with {encoding[:40]}, which is not supported. Check the address."
            )
        decompressor = zlib.decompressobj(wbits=47)  # detects gzip and zlib
        try:
            body = decompressor.decompress(data, _MOST)
        except zlib.error as error:
            raise ModelError(f"The answer from {self.host} cannot be decompressed. Check the address.") from error
        if decompressor.unconsumed_tail:
            raise self._too_long()
        return body

    def _dropped_error(self) -> ModelError:
        return ModelError(f"The request to {self.host} was cancelled.")

    def _too_long(self) -> ModelError:
        return ModelError(
            f"{self.host} sent more than {_MOST // 1_000_000} MB. Check the address: it should be that of a "
            "language-model server."
        )

    def _parse_answer(self, answer: _PendingAnswer, path: str) -> Any:
        if answer.status in (401, 403):
            raise RefusedRequest(
                f"{self.host} requires a key, or does not accept this one. Type it under Key in Setup's dialog, or run "
                f"`parapluie models connect {self.base} --key`.",
                answer.status,
                "",
            )
        try:
            # Its texts end up in names of models, scores and error reports.
            content = self.secret.censor_values(_json(answer.data))
        except (ValueError, RecursionError) as error:
            if answer.status < 300:
                raise ModelError(
                    f"{self.host} did not answer {path} with JSON. Check the address: it should be that of a "
                    "language-model server."
                ) from error
            content = {}
        if answer.status >= 300:
            words = self.secret.censor(_error_message(content))
            reason = f"{answer.status}: {words}" if words else str(answer.status)
            raise RefusedRequest(
                f"{self.host} refuses the request {path} ({reason[:300]}). Check the address and the model's name.",
                answer.status,
                words,
            )
        return content


def dig(answer: Any, *steps: str | int) -> Any:
    """Return the value at a path of keys and indices in an answer, None if there is no such path."""
    for step in steps:
        try:
            answer = answer[step]
        except (KeyError, IndexError, TypeError):
            return None
    return answer


def dig_list(answer: Any, *steps: str | int) -> list[Any]:
    """Return the list at a path in an answer, [] if there is no list."""
    value = dig(answer, *steps)
    return value if isinstance(value, list) else []


def _json(data: bytes) -> Any:
    """Parse JSON; raise ValueError or RecursionError if it is invalid or too deeply nested."""
    content = json.loads(data)
    if b"\\ud" in data.lower():  # refuse lone surrogates, which cannot be encoded
        json.dumps(content, ensure_ascii=False).encode()
    if data.count(b"[") + data.count(b"{") > _DEEPEST:
        level = [content]
        for _ in range(_DEEPEST):
            level = [
                child
                for parent in level
                for child in (parent.values() if isinstance(parent, dict) else parent)
                if isinstance(child, (dict, list))
            ]
            if not level:
                return content
        raise ValueError("nested too deeply")
    return content


def _seconds(value: str | None, default: float) -> float:
    try:
        seconds = float(value or "")
    except ValueError:  # the header is absent, or a date
        return default
    return default if math.isnan(seconds) else max(seconds, 0.0)


def _cause(error: Exception) -> str:
    """Return the cause of a failed connection in a few words: messages of urllib3 begin with the repr of an object."""
    import urllib3

    cause = error.__cause__ or error
    # urllib3 wraps the real error: ("Connection aborted.", error).
    inner = next((part for part in cause.args if isinstance(part, Exception)), cause)
    malformed = (HTTPException, urllib3.exceptions.InvalidHeader)
    if isinstance(inner, malformed) and not isinstance(inner, OSError):
        return "the answer is cut off or damaged"
    text = one_line(str(inner)).strip()
    last = text.rpartition(": ")[2].strip("'\" ")
    # The text before the last colon is the repr of an object, unless the colon is inside brackets.
    text = last if _is_balanced(last) else text
    return text[:_LONGEST_CAUSE] if _is_balanced(text) and text else type(inner).__name__


def _is_balanced(text: str) -> bool:
    return all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "{}", "<>"))


def _error_message(answer: Any) -> str:
    """Return the message of an error from any of its usual places in an answer, "" if there is none."""
    for key in ("error", "message", "detail"):
        if isinstance(answer, dict) and key in answer:
            return _error_message(answer[key])
    return answer if isinstance(answer, str) else ""
