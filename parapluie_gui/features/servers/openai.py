"""Engines for vLLM and SGLang, which take token ids.

The requests: `/v1/completions` of vLLM with `logprob_token_ids` and `return_tokens_as_token_ids`, which lists these
tokens and the sampled one only; `/generative_scoring` of vLLM, which returns the first of the given tokens; `/v1/score`
of SGLang. With `apply_softmax: false` the last two return probabilities over the full vocabulary; without it, vLLM
returns p(yes) / (p(yes) + p(no)) for two tokens, which loses scores above 36.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import RefusedRequest, ServerConnection, dig
from parapluie_gui.features.servers.engine import NextToken, TokenEngine
from parapluie_gui.pluie.evidence import SHOWN

#: Maximum number of requests at a time.
AT_ONCE = 8
#: Logarithms below this mean probability 0: vLLM writes -9999.
_NEVER = -9_000.0
#: Logarithm of the smallest double: upper bound of a probability that was rounded to 0.
_SMALLEST = -745.0
#: Maximum length of a text in tokens, for servers that do not report it.
_ENDLESS = 1_000_000


def model_entry(connection: ServerConnection, model: str) -> dict[str, Any]:
    """Return the server's entry of a model, or of its only model if `model` is "".

    Raises:
        ModelError: It lists no such model, or several if `model` is "".
    """
    answer = connection.get("/v1/models")
    try:
        entries = {str(entry["id"]): dict(entry) for entry in answer["data"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{connection.host} lists no models at /v1/models. Check the address: it should be that of a "
            "language-model server."
        ) from error
    if not model and len(entries) == 1:
        return next(iter(entries.values()))
    for name in (model, f"{model}:latest"):  # the default tag of Ollama
        if name in entries:
            return entries[name]
    names = ", ".join(sorted(entries)[:8]) or "none"
    problem = f"does not have the model {model}" if model else "has several models, or none"
    raise ModelError(f"{connection.host} {problem}. Name one of these after #: {names}.")


class VllmEngine(TokenEngine):
    """The engine for vLLM: requests one token after the prompt, with the log-probabilities of chosen ids.

    A server that does not know this request is asked to score single tokens instead.
    """

    name = "vLLM"
    at_once = AT_ONCE

    def __init__(self, connection: ServerConnection, entry: dict[str, Any], decode: Callable[[list[int]], str]) -> None:
        self._connection, self._decode = connection, decode
        self.model = str(entry["id"])
        self.most_tokens = _most_tokens(entry)
        self._by_score = False

    def next_token(self, ids: Sequence[int], wanted: Sequence[int]) -> NextToken:
        """Return the distribution of the next token; see `TokenEngine.next_token`."""
        listed = {} if self._by_score else self._top_logprobs(ids, wanted)
        if not set(wanted) <= listed.keys():
            logs = self._scores(ids, wanted)
            self._by_score = True
            return NextToken(logs, (), len(ids), _SMALLEST)
        logs = {id: log for id, log in listed.items() if log > _NEVER}
        likeliest = sorted(logs, key=logs.__getitem__, reverse=True)[:SHOWN]
        if len(listed) <= len(wanted) + 1:  # only the wanted tokens and the sampled one, which is the likeliest
            likeliest = likeliest[:1]
        top = tuple((self._decode([id]), math.exp(logs[id])) for id in likeliest)
        return NextToken(logs, top, len(ids), min(logs.values(), default=0.0))

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Continue a prompt greedily; see `TokenEngine.write`."""
        return str(dig(self._complete(ids, limit), "choices", 0, "text") or "").strip()

    def _top_logprobs(self, ids: Sequence[int], wanted: Sequence[int]) -> dict[int, float]:
        options = {"logprobs": SHOWN, "logprob_token_ids": list(wanted), "return_tokens_as_token_ids": True}
        answer = self._complete(ids, 1, **options)
        try:
            listed = answer["choices"][0]["logprobs"]["top_logprobs"][0]
            return {int(str(name).removeprefix("token_id:")): float(log) for name, log in listed.items()}
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            return {}

    def _scores(self, ids: Sequence[int], wanted: Sequence[int]) -> dict[int, float]:
        """Return the tokens' log-probabilities by one request each, because answers contain only the first token's."""
        shares = []
        for token in wanted:
            body = _scoring_request(self.model, ids, [token]) | {"add_special_tokens": False}
            try:
                answer = self._connection.post("/generative_scoring", body)
                shares.append(float(answer["data"][0]["score"]))
            except RefusedRequest as refusal:
                if refusal.status not in (404, 405):
                    raise
                shares = []
                break
            except (KeyError, IndexError, TypeError, ValueError):
                break
            check_read_in_full(self._connection, answer, len(ids))
        if not _are_probabilities(shares, wanted):
            raise ModelError(
                f"{self._connection.host} does not return the log-probabilities of chosen tokens. Update vLLM "
                "(logprob_token_ids), or connect again to send conversations instead."
            )
        return _logs(wanted, shares)

    def _complete(self, ids: Sequence[int], limit: int, **options: object) -> Any:
        body = {"model": self.model, "prompt": list(ids), "max_tokens": limit, "temperature": 0, **options}
        answer = self._connection.post("/v1/completions", body)
        check_read_in_full(self._connection, answer, len(ids))
        return answer


class SglangEngine(TokenEngine):
    """The engine for SGLang: requests the probabilities of chosen tokens after the prompt."""

    name = "SGLang"
    at_once = AT_ONCE

    def __init__(self, connection: ServerConnection, entry: dict[str, Any], decode: Callable[[list[int]], str]) -> None:
        self._connection = connection
        self.model = str(entry["id"])
        self.most_tokens = _most_tokens(entry)

    def next_token(self, ids: Sequence[int], wanted: Sequence[int]) -> NextToken:
        """Return the probabilities of the `wanted` tokens, without the likeliest; see `TokenEngine.next_token`."""
        answer = self._connection.post("/v1/score", _scoring_request(self.model, ids, wanted))
        try:
            shares = [float(share) for share in answer["scores"][0]]
        except (KeyError, IndexError, TypeError, ValueError):
            shares = []
        if not _are_probabilities(shares, wanted):
            raise ModelError(
                f"{self._connection.host} does not answer /v1/score with a probability for each token. Update SGLang."
            )
        check_read_in_full(self._connection, answer, len(ids))
        return NextToken(_logs(wanted, shares), (), len(ids), _SMALLEST)

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Continue a prompt greedily; see `TokenEngine.write`."""
        body = {"input_ids": list(ids), "sampling_params": {"max_new_tokens": limit, "temperature": 0}}
        return str(dig(self._connection.post("/generate", body), "text") or "").strip()


def _most_tokens(entry: dict[str, Any]) -> int:
    """Return the length of the longest text that a server reads, in tokens."""
    most = entry.get("max_model_len")
    return most if isinstance(most, int) and most > 0 else _ENDLESS


def _scoring_request(model: str, ids: Sequence[int], wanted: Sequence[int]) -> dict[str, Any]:
    """Return the body of a request for probabilities of tokens, for SGLang and vLLM."""
    return {
        "model": model,
        "query": list(ids[:-1]),
        "items": [list(ids[-1:])],
        "label_token_ids": list(wanted),
        "apply_softmax": False,
        "item_first": False,
    }


def _are_probabilities(shares: Sequence[float], wanted: Sequence[int]) -> bool:
    """Return True if these can be probabilities over the full vocabulary, not normalised over the `wanted` tokens."""
    good = len(shares) == len(wanted) and all(share >= 0 for share in shares)
    return good and sum(shares) <= 1.0001 and (len(shares) > 1 or shares[0] < 1)


def _logs(wanted: Sequence[int], shares: Sequence[float]) -> dict[int, float]:
    return {id: math.log(share) for id, share in zip(wanted, shares, strict=True) if share > 0}


def check_read_in_full(connection: ServerConnection, answer: Any, sent: int) -> None:
    """Raise a ModelError if a server reports having read fewer tokens than were sent."""
    read = dig(answer, "usage", "prompt_tokens")
    if isinstance(read, int) and read < sent:
        raise ModelError(
            f"{connection.host} read {read:,} of a prompt's {sent:,} tokens. Start the server with a longer context."
        )
