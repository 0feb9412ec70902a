"""Renders chat templates, which are untrusted programs, in a child process with limits on time, memory and length.

Jinja's sandbox keeps a template away from files and the network, but does not prevent endless loops or texts that fill
the memory.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime
import json
import os
import queue
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from parapluie_gui import children
from parapluie_gui.errors import TemplateError

if TYPE_CHECKING:
    import subprocess

#: Seconds allowed for rendering one conversation, and for starting the process.
SECONDS, _START_SECONDS = 5.0, 60.0
#: Maximum memory of the process in bytes (Linux), and maximum number of characters of a rendered conversation.
MEMORY, LONGEST = 2**30, 1_000_000
#: The date that templates see as today, fixed so that scores do not change overnight. It is Llama 3's own default.
TODAY = datetime.date(2024, 7, 26)

_SERVE = "parapluie_gui.pluie.chat_template:serve"


class ChatTemplateRefusal(Exception):
    """A chat template does not accept a conversation; the message is the template author's."""


class UnboundedTemplateError(TemplateError):
    """A chat template takes too much time or memory."""


def render_chat(template: str, messages: Sequence[Mapping[str, str]], variables: Mapping[str, object]) -> str:
    """Render a conversation with a model's chat template, as `apply_chat_template` of transformers does.

    Args:
        template: The chat template.
        messages: The turns, each with "role" and "content".
        variables: Further values that the template may use, such as `bos_token` and `add_generation_prompt`; JSON
            values.

    Raises:
        ChatTemplateRefusal: The template does not accept the conversation.
        UnboundedTemplateError: The template takes longer than `SECONDS`, needs more than `MEMORY`, or writes more than
            `LONGEST`.
    """
    return _renderer.render({"template": template, "messages": list(messages), "variables": dict(variables)})


class _TemplateRenderer:
    """The child process that renders, started for the first conversation and restarted after it was killed."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forget the process without ending it, because a forked copy must not share its pipes."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def render(self, order: dict[str, object]) -> str:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            try:
                answer = self._ask(order)
            except queue.Empty:
                self.end()
                raise UnboundedTemplateError(
                    f"This model's chat template takes longer than {SECONDS:.0f} seconds for one conversation. "
                    "Choose another model."
                ) from None
            except (OSError, ValueError):
                self.end()
                answer = {"unbounded": _too_much_memory()}
        if "unbounded" in answer:
            raise UnboundedTemplateError(answer["unbounded"])
        if "refusal" in answer:
            raise ChatTemplateRefusal(answer["refusal"])
        return answer["text"]

    def end(self) -> None:
        """Kill the process, if there is one."""
        if (process := self._process) is None:
            return
        self._process = None
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _start(self) -> None:
        self.end()
        process = children.start(_SERVE)
        assert process.stdout is not None
        self._process, self._answers = process, queue.SimpleQueue()
        forwarding = (process.stdout, self._answers)
        threading.Thread(target=_forward, args=forwarding, name="chat-templates", daemon=True).start()
        self._answers.get(timeout=_START_SECONDS)  # the child is ready

    def _ask(self, order: dict[str, object]) -> dict[str, str]:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, str] = json.loads(self._answers.get(timeout=SECONDS))
        return answer


_renderer = _TemplateRenderer()
atexit.register(_renderer.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renderer.forget)


def _forward(pipe: IO[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Put the lines of a pipe into a queue, and an empty line at the end of the pipe."""
    with contextlib.suppress(ValueError, OSError):
        for line in pipe:
            answers.put(line)
    answers.put(b"")


def serve() -> None:
    """Render the conversations that the parent sends, one line of JSON each, until the pipe is closed."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    environment = _environment()
    answers.write(b"ready\n")
    answers.flush()
    for line in sys.stdin.buffer:
        order = json.loads(line)
        answer: dict[str, str]
        try:
            text = environment.from_string(order["template"]).render(messages=order["messages"], **order["variables"])
            answer = {"text": text}
            if len(text) > LONGEST:
                words = f"This model's chat template writes {len(text):,} characters for one conversation."
                answer = {"unbounded": f"{words} Choose another model."}
        except MemoryError:
            answer = {"unbounded": _too_much_memory()}
        except Exception as error:  # chat templates can raise any error
            answer = {"refusal": (str(error).splitlines() or [type(error).__name__])[0][:200]}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _environment() -> Any:
    """Return the environment in which transformers renders (`_compile_jinja_template`), but with a fixed date."""
    import jinja2
    from jinja2 import nodes
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationBlock(Extension):
        """The block `{% generation %}`, which marks the assistant's text; its contents are rendered unchanged."""

        tags = {"generation"}

        def parse(self, parser: jinja2.parser.Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    class SafeNamespace(jinja2.utils.Namespace):
        """A namespace without attributes that begin with "_"."""

        def __init__(*args: Any, **values: Any) -> None:
            self, *rest = args
            values = dict(*rest, **values)
            for name in values:
                check(name)
            jinja2.utils.Namespace.__init__(self, values)

        def __setitem__(self, name: str, value: Any) -> None:
            check(name)
            jinja2.utils.Namespace.__setitem__(self, name, value)

    def check(name: object) -> None:
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(f"The attribute {name!r} of a namespace is not allowed.")

    def raise_exception(message: str) -> None:
        raise jinja2.exceptions.TemplateError(message)

    def tojson(
        value: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlock, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = TODAY.strftime
    environment.globals["namespace"] = SafeNamespace
    return environment


def _too_much_memory() -> str:
    return (
        f"This model's chat template needs more than {MEMORY >> 30} GB of memory for one conversation. "
        "Choose another model."
    )
