"""vLLM and SGLang, asked by token ids.

Sources of what is asked: vLLM's `logprob_token_ids` and `return_tokens_as_token_ids` of `/v1/completions`, which then
tells these tokens and the one that was drawn and no others; its `/generative_scoring`, which tells the first of the
tokens that are named, and SGLang's `/v1/score`. With `apply_softmax: false` both tell probabilities over the whole
vocabulary; of two tokens without it, vLLM's tells p(yes) / (p(yes) + p(no)), in which a score above 36 is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import Connection, Refused, dig
from parapluie_gui.features.servers.engine import Engine, Next
from parapluie_gui.pluie.evidence import SHOWN

#: Requests at a time.
AT_ONCE = 8
#: Below this a logarithm stands for "none": vLLM writes -9999 for a token that cannot come.
_NEVER = -9_000.0
#: The logarithm of the smallest number there is: what a probability that was rounded to 0 is below.
_SMALLEST = -745.0
#: Longest text of a server that does not say.
_ENDLESS = 1_000_000


def model_entry(connection: Connection, model: str) -> dict[str, Any]:
    """Return what a server says of a model, or of its only one where none is named.

    Raises:
        ModelError: It lists no such model, or several where none is named.
    """
    listed = connection.get("/v1/models")
    try:
        entries = {str(each["id"]): dict(each) for each in listed["data"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{connection.host} lists no models at /v1/models. Check the address: it should be that of a server of "
            "language models."
        ) from error
    if not model and len(entries) == 1:
        return next(iter(entries.values()))
    for name in (model, f"{model}:latest"):  # as Ollama names what has no other tag
        if name in entries:
            return entries[name]
    names = ", ".join(sorted(entries)[:8]) or "none"
    what = f"does not have the model {model}" if model else "has several models, or none"
    raise ModelError(f"{connection.host} {what}. Name one of these after #: {names}.")


class Vllm(Engine):
    """vLLM, asked for one token after the prompt with the log-probabilities of chosen ids.

    A server that does not know this request is asked for its scores of single tokens instead.
    """

    name = "vLLM"
    at_once = AT_ONCE

    def __init__(self, connection: Connection, entry: dict[str, Any], decode: Callable[[list[int]], str]) -> None:
        self._connection, self._decode = connection, decode
        self.model = str(entry["id"])
        self.most_tokens = _most_tokens(entry)
        self._by_score = False

    def next(self, ids: Sequence[int], wanted: Sequence[int]) -> Next:
        """Return what comes after a prompt; see `Engine.next`."""
        told = {} if self._by_score else self._told(ids, wanted)
        if not set(wanted) <= told.keys():
            logs = self._scores(ids, wanted)
            self._by_score = True
            return Next(logs, (), len(ids), _SMALLEST)
        logs = {id: log for id, log in told.items() if log > _NEVER}
        likeliest = sorted(logs, key=logs.__getitem__, reverse=True)[:SHOWN]
        if len(told) <= len(wanted) + 1:  # those that were asked for and the one drawn, which is the likeliest
            likeliest = likeliest[:1]
        top = tuple((self._decode([id]), math.exp(logs[id])) for id in likeliest)
        return Next(logs, top, len(ids), min(logs.values(), default=0.0))

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Let the model go on greedily; see `Engine.write`."""
        return str(dig(self._completed(ids, limit), "choices", 0, "text") or "").strip()

    def _told(self, ids: Sequence[int], wanted: Sequence[int]) -> dict[int, float]:
        more = {"logprobs": SHOWN, "logprob_token_ids": list(wanted), "return_tokens_as_token_ids": True}
        answer = self._completed(ids, 1, **more)
        try:
            told = answer["choices"][0]["logprobs"]["top_logprobs"][0]
            return {int(str(name).removeprefix("token_id:")): float(log) for name, log in told.items()}
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            return {}

    def _scores(self, ids: Sequence[int], wanted: Sequence[int]) -> dict[int, float]:
        """Return the tokens' log-probabilities by a request for each: it tells the first that is named."""
        shares = []
        for token in wanted:
            body = _scoring(self.model, ids, [token]) | {"add_special_tokens": False}
            try:
                answer = self._connection.post("/generative_scoring", body)
                shares.append(float(answer["data"][0]["score"]))
            except Refused as refusal:
                if refusal.status not in (404, 405):
                    raise
                shares = []
                break
            except (KeyError, IndexError, TypeError, ValueError):
                break
            check_whole(self._connection, answer, len(ids))
        if not _are_shares(shares, wanted):
            raise ModelError(
                f"{self._connection.host} does not tell the log-probabilities of chosen tokens. Update vLLM "
                "(logprob_token_ids), or connect again to ask by the conversation."
            )
        return _logs(wanted, shares)

    def _completed(self, ids: Sequence[int], limit: int, **more: object) -> Any:
        body = {"model": self.model, "prompt": list(ids), "max_tokens": limit, "temperature": 0, **more}
        answer = self._connection.post("/v1/completions", body)
        check_whole(self._connection, answer, len(ids))
        return answer


class Sglang(Engine):
    """SGLang, asked for the probabilities of chosen tokens after the prompt."""

    name = "SGLang"
    at_once = AT_ONCE

    def __init__(self, connection: Connection, entry: dict[str, Any], decode: Callable[[list[int]], str]) -> None:
        self._connection = connection
        self.model = str(entry["id"])
        self.most_tokens = _most_tokens(entry)

    def next(self, ids: Sequence[int], wanted: Sequence[int]) -> Next:
        """Return what comes after a prompt; see `Engine.next`. The likeliest tokens are not told."""
        answer = self._connection.post("/v1/score", _scoring(self.model, ids, wanted))
        try:
            shares = [float(share) for share in answer["scores"][0]]
        except (KeyError, IndexError, TypeError, ValueError):
            shares = []
        if not _are_shares(shares, wanted):
            raise ModelError(
                f"{self._connection.host} does not answer /v1/score with a probability for each token. Update SGLang."
            )
        check_whole(self._connection, answer, len(ids))
        return Next(_logs(wanted, shares), (), len(ids), _SMALLEST)

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Let the model go on greedily; see `Engine.write`."""
        body = {"input_ids": list(ids), "sampling_params": {"max_new_tokens": limit, "temperature": 0}}
        return str(dig(self._connection.post("/generate", body), "text") or "").strip()


def _most_tokens(entry: dict[str, Any]) -> int:
    """Return the longest text that a server says it reads."""
    most = entry.get("max_model_len")
    return most if isinstance(most, int) and most > 0 else _ENDLESS


def _scoring(model: str, ids: Sequence[int], wanted: Sequence[int]) -> dict[str, Any]:
    """Return a request for the probabilities of tokens, as SGLang and vLLM take it."""
    return {
        "model": model,
        "query": list(ids[:-1]),
        "items": [list(ids[-1:])],
        "label_token_ids": list(wanted),
        "apply_softmax": False,
        "item_first": False,
    }


def _are_shares(shares: Sequence[float], wanted: Sequence[int]) -> bool:
    """Return True if these can be the probabilities of the tokens; of a server that shares out 1 they cannot."""
    good = len(shares) == len(wanted) and all(share >= 0 for share in shares)
    return good and sum(shares) <= 1.0001 and (len(shares) > 1 or shares[0] < 1)


def _logs(wanted: Sequence[int], shares: Sequence[float]) -> dict[int, float]:
    return {id: math.log(share) for id, share in zip(wanted, shares, strict=True) if share > 0}


def check_whole(connection: Connection, answer: Any, sent: int) -> None:
    """Raise a ModelError if a server says that it read fewer tokens than it was sent."""
    read = dig(answer, "usage", "prompt_tokens")
    if isinstance(read, int) and read < sent:
        raise ModelError(
            f"{connection.host} read {read:,} of a prompt's {sent:,} tokens. Start the server with a longer context."
        )
