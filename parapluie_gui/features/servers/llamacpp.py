"""llama.cpp's server: token ids in, log-probabilities out, the beginning of the prompt before kept.

Its `/completion` tells the likeliest tokens and, whatever they are, the one that was drawn. A bias of the drawing does
not change what is told (`populate_token_probs` in llama.cpp's server.cpp): with a bias large enough the token in
question is the one drawn, and its log-probability is told exactly, however unlikely it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import Connection, dig
from parapluie_gui.features.servers.engine import Engine, Next
from parapluie_gui.pluie.evidence import SHOWN

#: How many of the likeliest tokens are told with one request: the other answer is nearly always among them.
_TOLD = 40
#: Added to a token's logit so that it is drawn; logits are below a hundred.
_BIAS = 10_000.0


def way_of_asking(exact: bool) -> str:
    """Return what scores of llama.cpp depend on in place of a floating-point type, for their signature."""
    return "llama.cpp+uncached" if exact else "llama.cpp"


class LlamaCpp(Engine):
    """A running server of llama.cpp.

    Raises:
        ModelError: It is none.
    """

    name = "llama.cpp"

    def __init__(self, connection: Connection) -> None:
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
            raise ModelError(f"{connection.host} is not a server of llama.cpp, or of another version.") from error
        self.file_type = str(properties.get("model_ftype") or "")
        self._keeps = True

    def in_exact_mode(self) -> Self:
        """Return this server, asked to compute every prompt from its first token on.

        What it keeps of the prompt before was computed in parts of other lengths; with a quantised file that moves
        scores.
        """
        exact = copy(self)
        exact._keeps = False
        return exact

    def tokens(self, text: str, *, special: bool, begin: bool = False) -> list[int]:
        """Return the ids of a text.

        `special`: control tokens written out in it act; `begin`: those that begin a text are added.
        """
        body = {"content": text, "parse_special": special, "add_special": begin}
        with self._connection.understood():
            return [int(each) for each in self._connection.post("/tokenize", body)["tokens"]]

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, control tokens written out."""
        with self._connection.understood():
            return str(self._connection.post("/detokenize", {"tokens": list(ids)})["content"])

    def next(self, ids: Sequence[int], wanted: Sequence[int]) -> Next:
        """Return what comes after a prompt; see `Engine.next`."""
        logs: dict[int, float] = {}
        top: tuple[tuple[str, float], ...] = ()
        fresh = 0
        # The last is the answer that is asked for second, "no": usually the rarer one where it matters.
        for token in reversed(wanted):
            if token in logs:
                continue
            told, computed = self._told(ids, token)
            fresh += computed
            with self._connection.understood():
                likeliest = told["top_logprobs"]
                for each in (*likeliest, told):
                    logs[int(each["id"])] = float(each["logprob"])
                top = top or tuple((str(each["token"]), math.exp(each["logprob"])) for each in likeliest[:SHOWN])
        return Next(logs, top, fresh)

    def _told(self, ids: Sequence[int], token: int) -> tuple[dict[str, Any], int]:
        answer = self._connection.post(
            "/completion",
            {
                "prompt": list(ids),
                "n_predict": 1,
                "n_probs": _TOLD,
                "temperature": 0,
                "samplers": [],
                "logit_bias": [[token, _BIAS]],
                "cache_prompt": self._keeps,
                "post_sampling_probs": False,
            },
        )
        try:
            told: dict[str, Any] = answer["completion_probabilities"][0]
            drawn, computed = int(told["id"]), int(answer["timings"]["prompt_n"])
            seen, cut = int(answer["tokens_evaluated"]), bool(answer["truncated"])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self._connection.host} tells no log-probabilities. Use a newer version of llama.cpp's server."
            ) from error
        if cut or seen != len(ids):
            raise ModelError(
                f"{self._connection.host} read {seen:,} of a prompt's {len(ids):,} tokens. "
                "Start the server with a larger context."
            )
        if drawn != token:
            raise ModelError(
                f"{self._connection.host} does not tell the probability of a chosen token. "
                "Use a newer version of llama.cpp's server."
            )
        return told, computed

    def write(self, ids: Sequence[int], limit: int) -> str:
        """Let the model go on greedily; see `Engine.write`."""
        answer = self._connection.post(
            "/completion",
            {
                "prompt": list(ids),
                "n_predict": limit,
                "temperature": 0,
                "samplers": [],
                "cache_prompt": self._keeps,
            },
        )
        return str(dig(answer, "content") or "").strip()
