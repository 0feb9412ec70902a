"""Servers in the test process with the documented answers of vLLM, SGLang, OpenAI, Ollama and LM Studio."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from http_server import QuietHandler, listening

#: Returns a route's answer to a body.
Answer = Callable[[dict[str, Any]], Any]


class ErrorAnswer(Exception):
    """An answer with a status other than 200."""

    def __init__(self, status: int, body: Any = None, headers: dict[str, str] | None = None) -> None:
        self.status, self.body, self.headers = status, body or {}, headers or {}


@contextmanager
def serving(routes: dict[str, Answer]) -> Iterator[tuple[str, list[tuple[str, dict[str, Any], str]]]]:
    """Yield the address of a server with these routes, and its requests: path, body, Authorization."""
    asked: list[tuple[str, dict[str, Any], str]] = []

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            asked.append((self.path, body, self.headers.get("Authorization") or ""))
            status, more, reply = 200, {}, None
            try:
                reply = routes[self.path](body) if self.path in routes else None
                status = 200 if self.path in routes else 404
            except ErrorAnswer as busy:
                status, reply, more = busy.status, busy.body, busy.headers
            text = json.dumps({"error": {"message": "not found"}} if reply is None else reply).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(text)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = answer

    with listening(Handler) as address:
        yield address, asked


def by_ids(judge: Any, root: str, owner: str) -> dict[str, Answer]:
    """Return the routes of vLLM ("vllm") or SGLang ("sglang"), answered by one of our models."""
    lock = threading.Lock()

    def logs(ids: list[int]) -> list[float]:
        with lock:
            return judge.answer_logits([ids])[0, 0].log_softmax(-1).tolist()

    def completed(body: dict[str, Any]) -> Any:
        # As in vLLM 0.32: only the requested tokens and the one drawn.
        log_probs = logs(body["prompt"])
        drawn = max(range(len(log_probs)), key=log_probs.__getitem__)
        returned = {f"token_id:{id}": log_probs[id] for id in {drawn, *body["logprob_token_ids"]}}
        choice = {"text": "x", "logprobs": {"top_logprobs": [returned]}}
        return {"choices": [choice], "usage": {"prompt_tokens": len(body["prompt"])}}

    def scored_one(body: dict[str, Any]) -> Any:
        [item] = body["items"]
        assert body["apply_softmax"] is False and body["add_special_tokens"] is False
        share = math.exp(logs(body["query"] + item)[body["label_token_ids"][0]])
        usage = {"prompt_tokens": len(body["query"] + item), "completion_tokens": 1}
        return {"object": "list", "data": [{"index": 0, "object": "score", "score": share}], "usage": usage}

    def scored(body: dict[str, Any]) -> Any:
        assert body["apply_softmax"] is False and body["item_first"] is False
        log_probs = [logs(body["query"] + item) for item in body["items"]]
        scores = [[math.exp(item_logs[id]) for id in body["label_token_ids"]] for item_logs in log_probs]
        return {"scores": scores, "usage": {"prompt_tokens": len(body["query"] + body["items"][0])}}

    entry = {"id": "tiny", "root": root, "owned_by": owner, "max_model_len": 1024}
    return {
        "/v1/models": lambda body: {"object": "list", "data": [entry]},
        "/tokenize": lambda body: {"tokens": judge.tokenizer(body["prompt"], add_special_tokens=False)["input_ids"]},
        **(
            {"/v1/completions": completed, "/generative_scoring": scored_one}
            if owner == "vllm"
            else {"/v1/score": scored}
        ),
    }


def chatting(tell: Callable[[str], dict[str, float]], **entry: object) -> dict[str, Answer]:
    """Return the routes of a chat server; `tell` returns the next tokens with probabilities for the last message."""

    def chat(body: dict[str, Any]) -> Any:
        text = body["messages"][-1]["content"]
        tokens = [{"token": token, "logprob": math.log(p)} for token, p in tell(text).items()][: body["top_logprobs"]]
        choice = {"message": {"content": tokens[0]["token"]}, "logprobs": {"content": [{"top_logprobs": tokens}]}}
        return {"choices": [choice], "usage": {"prompt_tokens": len(text.split()) + 5, "completion_tokens": 1}}

    return {
        "/v1/models": lambda body: {"data": [{"id": "llama3", "owned_by": "library", **entry}]},
        "/v1/chat/completions": chat,
    }


def ollama(tell: Callable[[str], dict[str, float]], file: str = "/nowhere", tokenizer: Any = None) -> dict[str, Answer]:
    """Return the routes of Ollama 0.12.11 or later, with a context of 4,096 tokens; see `chatting` for `tell`.

    Args:
        file: The model's file in the answer of `/api/show`.
        tokenizer: Counts the tokens of a text; None counts words.
    """

    def answered(text: str, body: dict[str, Any]) -> dict[str, Any]:
        read = len(text.split()) + 5 if tokenizer is None else len(tokenizer(text)["input_ids"])
        assert body["stream"] is False and body["shift"] is False
        if read > body["options"]["num_ctx"] and not body["truncate"]:
            raise ErrorAnswer(400, {"error": "the input length exceeds the context length"})
        tokens = [{"token": token, "logprob": math.log(p)} for token, p in tell(text).items()]
        logprobs = [{**tokens[0], "top_logprobs": tokens[: body["top_logprobs"]]}] if body.get("logprobs") else None
        return {"done": True, "logprobs": logprobs, "prompt_eval_count": read, "eval_count": 1, "response": "x"}

    def chat(body: dict[str, Any]) -> Any:
        assert body["think"] is False
        return answered(body["messages"][-1]["content"], body) | {"message": {"content": "x"}}

    def generate(body: dict[str, Any]) -> Any:
        assert body["raw"] is True
        return answered(body["prompt"], body)

    return {
        "/v1/models": lambda body: {"data": [{"id": "llama3:latest", "owned_by": "library"}]},
        "/api/version": lambda body: {"version": "0.12.11"},
        "/api/tags": lambda body: {"models": [{"name": "llama3:latest", "digest": "abc"}]},
        "/api/show": lambda body: {"modelfile": f"# made by ollama\nFROM {file}\nPARAMETER stop x"},
        "/api/chat": chat,
        "/api/generate": generate,
    }


def lm_studio(tell: Callable[[str], dict[str, float]], **more: Any) -> dict[str, Answer]:
    """Return the routes of LM Studio 0.4, whose `/v1/chat/completions` ignores requests for log-probabilities.

    `more` is output before the answer's message, as of a model that thinks.
    """

    def responded(body: dict[str, Any]) -> Any:
        assert body["include"] == ["message.output_text.logprobs"] and body["max_output_tokens"] >= 16
        text = body["input"][-1]["content"]
        tokens = [{"token": token, "logprob": math.log(p)} for token, p in tell(text).items()][: body["top_logprobs"]]
        content = [
            {"type": "output_text", "text": tokens[0]["token"], "logprobs": [{**tokens[0], "top_logprobs": tokens}]}
        ]
        output = [*([more] if more else []), {"type": "message", "content": content}]
        return {"output": output, "usage": {"input_tokens": len(text.split()) + 5, "output_tokens": 2}}

    listed = {"key": "gemma", "quantization": {"name": "Q4_0"}, "size_bytes": 7, "format": "gguf"}
    return {
        "/v1/models": lambda body: {"data": [{"id": "gemma", "owned_by": "organization_owner"}]},
        "/api/v1/models": lambda body: {"models": [listed | {"loaded_instances": [{"id": "gemma"}]}]},
        "/v1/chat/completions": lambda body: {"choices": [{"message": {"content": "Yes"}, "logprobs": None}]},
        "/v1/responses": responded,
    }
