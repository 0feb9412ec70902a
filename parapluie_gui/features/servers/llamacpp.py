"""The engine for llama.cpp's server: token ids in, log-probabilities out, with the previous prompt cached.

Its `/completion` lists the likeliest tokens and always the sampled one. A logit bias changes which token is sampled but
not the listed log-probabilities (`populate_token_probs` in llama.cpp's server.cpp), so a large bias on a token returns
its exact log-probability, however unlikely it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import ServerConnection, dig
from parapluie_gui.features.servers.engine import NextToken, TokenEngine
from parapluie_gui.pluie.evidence import SHOWN

#: Number of likeliest tokens in an answer; the second answer word is nearly always among them.
_LISTED = 40
#: The bias added to a token's logit so that it is sampled; logits are below a hundred.
_BIAS = 10_000.0


def llamacpp_mode(exact: bool) -> str:
    """Return the mode of llama.cpp as it is recorded in signatures, in place of a floating-point type."""
    return "llama.cpp+uncached" if exact else "llama.cpp"


class LlamaCppEngine(TokenEngine):
    """A running server of llama.cpp.

    Raises:
        ModelError: The server is not llama.cpp.
    """

    name = "llama.cpp"

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        properties = connection.get("/props")
        try:
            settings = properties["default_generation_settings"]
            self.most_tokens = int(settings["n_ctx"])
            self.chat_template = str(properties["chat_template"])
            self.bos, self.eos = str(properties["bos_token"]), str(properties["eos_token"])
            self.model = str(properties["model_path"]).replace("\\", "/").rpartition("/")[2]
            self.at_once = int(properties["total_slots"])
            self.facts = dict(connection.get("/v1/models")["data"][0].get("meta") or {})
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                f"{connection.host} is not a llama.cpp server, or its version is unknown. Check the address."
            ) from error
        self.file_type = str(properties.get("model_ftype") or "")
        self.build = str(properties.get("build_info") or "")
        self._uses_cache = True

    def in_exact_mode(self) -> Self:
        """Return this server with caching off, so that every prompt is computed from its first token.

        Cached tokens were computed in batches of different lengths, which changes scores of quantised files slightly.
        """
        exact = copy(self)
        exact._uses_cache = False
        return exact

    def tokens(self, text: str, *, special: bool, begin: bool = False) -> list[int]:
        """Return the ids of a text.

        Args:
            text: The text.
            special: Whether control tokens written out in the text take effect.
            begin: Whether the tokens that begin a text are added.
        """
        body = {"content": text, "parse_special": special, "add_special": begin}
        with self._connection.check_answer_form():
            return [int(id) for id in self._connection.post("/tokenize", body)["tokens"]]

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, with control tokens written out."""
        with self._connection.check_answer_form():
            return str(self._connection.post("/detokenize", {"tokens": list(ids)})["content"])

    def next_token(self, ids: Sequence[int], wanted: Sequence[int]) -> NextToken:
        """Return the distribution of the next token; see `TokenEngine.next_token`."""
        logs: dict[int, float] = {}
        top: tuple[tuple[str, float], ...] = ()
        fresh = 0
        # Begin with the last token, a "no": it is usually the rarer answer when the score matters.
        for token in reversed(wanted):
            if token in logs:
                continue
            sampled, computed = self._sample(ids, token)
            fresh += computed
            with self._connection.check_answer_form():
                likeliest = sampled["top_logprobs"]
                for entry in (*likeliest, sampled):
                    logs[int(entry["id"])] = float(entry["logprob"])
                top = top or tuple((str(entry["token"]), math.exp(entry["logprob"])) for entry in likeliest[:SHOWN])
        return NextToken(logs, top, fresh)

    def _sample(self, ids: Sequence[int], token: int) -> tuple[dict[str, Any], int]:
        """Return the entry of a token after a prompt with the likeliest tokens, and how many tokens were computed."""
        answer = self._connection.post(
            "/completion",
            {
                "prompt": list(ids),
                "n_predict": 1,
                "n_probs": _LISTED,
                "temperature": 0,
                "samplers": [],
                "logit_bias": [[token, _BIAS]],
                "cache_prompt": self._uses_cache,
                "post_sampling_probs": False,
            },
        )
        try:
            sampled: dict[str, Any] = answer["completion_probabilities"][0]
            sampled_id, computed = int(sampled["id"]), int(answer["timings"]["prompt_n"])
            read, is_truncated = int(answer["tokens_evaluated"]), bool(answer["truncated"])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self._connection.host} returns no log-probabilities. Use a newer version of llama.cpp's server."
            ) from error
        if is_truncated or read != len(ids):
            raise ModelError(
                f"{self._connection.host} read {read:,} of a prompt's {len(ids):,} tokens. "
                "Start the server with a larger context."
            )
        if sampled_id != token:
            raise ModelError(
                f"{self._connection.host} does not return the probability of a chosen token. "
                "Use a newer version of llama.cpp's server."
            )
        return sampled, computed

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Continue a prompt greedily; see `TokenEngine.write`."""
        answer = self._connection.post(
            "/completion",
            {
                "prompt": list(ids),
                "n_predict": limit,
                # Without a sampler llama.cpp draws at random, whatever the temperature.
                "samplers": ["top_k"],
                "top_k": 1,
                "cache_prompt": self._uses_cache,
            },
        )
        return str(dig(answer, "content") or "").strip()
