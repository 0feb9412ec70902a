"""Connecting to a server: which engine it is, and a probe that finds out whether its numbers can be trusted.

The probe sends sentences of its own. It asks the model to say yes, then no, the same once more, and once with the word
behind a long text: a server that ignores what is asked, cuts prompts or tells no log-probabilities is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import Connection, Refused, dig
from parapluie_gui.features.servers.conversation import TOLD, Conversation, TooLong
from parapluie_gui.features.servers.engine import Engine
from parapluie_gui.features.servers.fingerprint import (
    PROBE,
    SHORT,
    WORDS,
    Fingerprint,
    agree,
    answer,
    digest_of,
    fingerprint,
)
from parapluie_gui.features.servers.judge import Opened, answering_as, open_engine
from parapluie_gui.features.servers.openai import model_entry
from parapluie_gui.features.servers.record import (
    CHAT,
    LLAMACPP,
    LMSTUDIO,
    OLLAMA,
    OLLAMA_RAW,
    SGLANG,
    VLLM,
    Server,
    host_of,
    is_this_computer,
    known_server,
    known_servers,
    remember,
    store_key,
    stored_key,
    tidy,
)
from parapluie_gui.pluie.judge import Scorer

#: Longer than what servers cut prompts to without a word (Ollama: 2,048 or 4,096 tokens).
_LONG = "This is a test of a long text. " * 560
_LONG_WORDS = 560 * 8
#: How many tries a connection that was never there gets.
_WAITS = (0.5,)
#: A difference between two equal requests that is said.
_EQUAL = 1e-3
#: The least difference between being asked to say Yes and to say No that a model that follows has.
_CLEAR = 1.0
#: A probability that no model gives its second likeliest word.
_IMPOSSIBLE = 1e-30


def connect(
    address: str,
    key: str = "",
    say: Callable[[str], None] = lambda text: None,
    prices: tuple[float, float] | None = None,
) -> Server:
    """Find out what a server is, try it, and keep what was found out; a key goes to the system's keyring.

    Where no prices are given, those that were given before stay.

    Raises:
        ModelError: It cannot be reached, or its numbers cannot be used.
    """
    wanted = tidy(address)
    base, _, model = wanted.partition("#")
    given = key
    connection = Connection(base, key, waits=_WAITS, say=say)
    try:
        kind, notes = _kind(connection, model)
    except Refused as refusal:
        if refusal.status not in (401, 403) or key or not (key := _earlier_key(base)):
            raise
        connection = Connection(base, key, waits=_WAITS, say=say)
        kind, notes = _kind(connection, model)
    say(f"{connection.host} is asked as {kind}.")
    opened = open_engine(connection, kind, model)
    found = _probe(connection, opened)
    notes += found.notes
    if given:
        store_key(base, given)  # only one that the server takes
    if prices is None and (known := known_server(wanted)) is not None:
        prices = known.prices
    prices = prices if any(prices or ()) else None
    server = Server(wanted, kind, opened.engine.model, opened.facts, " ".join(notes), bool(key), prices)
    if not opened.told:
        server = _marked(server, found, answering_as(connection))
    remember(server)
    return server


def connect_server(
    address: str, say: Callable[[str], None], key: str = "", prices: tuple[float, float] | None = None
) -> None:
    """Connect to a server and say what it is; where sentences will be sent is said first.

    Raises:
        ModelError: It cannot be reached, or its numbers cannot be used.
    """
    if not is_this_computer(tidy(address)):
        say(f"Sentences that it scores are sent to {host_of(address)}, which is not this computer.")
    server = connect(address, key, say, prices)
    say(f"{server.name} on {host_of(address)} is ready.{' ' + server.note if server.note else ''}")


def _marked(server: Server, found: _ProbeResult, answers: str) -> Server:
    """Return the record of a server that does not say which files it runs, with what its model answers.

    Where that is what it answered before, the scores from before stay its own.
    """
    for each in known_servers():
        if (
            (each.base, each.engine, each.model) == (server.base, server.engine, server.model)
            and each.revision.partition("-")[0] == server.revision
            and each.probe
            and each.answers == answers
            and agree(found.fingerprint, each.probe, max(found.noise, each.noise))
        ):
            return replace(server, revision=each.revision, probe=each.probe, noise=each.noise, answers=answers)
    revision = f"{server.revision}-{digest_of(server.base, found.fingerprint, answers)}"
    return replace(server, revision=revision, probe=found.fingerprint, noise=found.noise, answers=answers)


def _earlier_key(base: str) -> str:
    """Return the key that was given before, "" if there is none or no keyring."""
    try:
        return stored_key(base)
    except ModelError:
        return ""


def _kind(connection: Connection, model: str) -> tuple[str, list[str]]:
    """Return how a server is to be asked, and what is to be said of that."""
    if dig(_page(connection, "/props"), "default_generation_settings") is not None:
        return LLAMACPP, []
    entry = model_entry(connection, model)
    kind = {"vllm": VLLM, "sglang": SGLANG}.get(str(entry.get("owned_by")))
    instead = CHAT
    if kind is None and dig(_page(connection, "/api/version"), "version") is not None:
        kind, instead = OLLAMA_RAW, OLLAMA
    elif kind is None and dig(_page(connection, "/api/v1/models"), "models") is not None:
        instead = LMSTUDIO
    note = "The server renders the prompt itself. A score is a bound where it does not tell an answer."
    if kind is None:
        return instead, [note]
    try:
        open_engine(connection, kind, model)
    except ModelError as error:
        return instead, [f"{note} {error}"]
    if kind == OLLAMA_RAW:
        return kind, ["A score is a bound where the server does not tell an answer."]
    return kind, []


def _page(connection: Connection, path: str) -> Any:
    """Return what a server answers, None where it has no such page; what cannot be reached is said later."""
    try:
        return connection.get(path)
    except Refused as refusal:
        if refusal.status in (401, 403):
            raise
    except ModelError:
        pass
    return None


@dataclass(frozen=True)
class _ProbeResult:
    """What a probe found: what is to be said, the model's fingerprint, and by how much the same question differed."""

    notes: list[str]
    fingerprint: Fingerprint
    noise: float


def _probe(connection: Connection, opened: Opened) -> _ProbeResult:
    """Try an engine.

    Raises:
        ModelError: What it answers does not depend on what it is asked, or on the end of it.
    """
    engine, scorer = opened.engine, opened.probe()
    yes, no, _ = asked = [answer(scorer, SHORT, word) for word in WORDS]
    again = answer(scorer, SHORT, WORDS[0])
    notes = []
    both = yes.score - no.score
    if math.isnan(both):
        notes.append("It does not tell Yes and No among its likeliest answers to a simple question.")
    elif yes.score == no.score:
        raise ModelError(
            f"{engine.model} answers the same whatever it is asked, so the server ignores a part of the request. "
            "Choose another server or model."
        )
    elif yes.score < -_CLEAR and no.score > _CLEAR:
        raise ModelError(
            f"{engine.model} says No when it is asked to say Yes, and Yes when it is asked to say No. The server mixes "
            "up the answers, or the model does not follow instructions. Choose another one."
        )
    elif both < _CLEAR:
        notes.append(
            f"Asked to say Yes its score is {yes.score:.1f}, asked to say No {no.score:.1f}: the model hardly follows."
        )
    if abs(yes.score - again.score) > _EQUAL:
        notes.append(f"The same question twice differs by {abs(yes.score - again.score):.3f}; so do scores.")
    if isinstance(engine, Conversation):
        notes += _few(engine)
    if isinstance(engine, Conversation) or not connection.counter.total.read:
        _check_long(engine, scorer)
    differed = abs(yes.score - again.score)
    return _ProbeResult(notes, fingerprint(asked), 0.0 if math.isnan(differed) else differed)


def _asked(text: str, word: str) -> list[dict[str, str]]:
    [turn] = PROBE.turns
    return [{"role": turn.role, "content": turn.text.format(source=text, hypothesis=word)}]


def _few(engine: Conversation) -> list[str]:
    """Say that a server tells few tokens, and refuse one that tells what it draws for how likely each is."""
    chances = list(engine.first(_asked(SHORT, "Yes")).chances.values())
    if chances[1] < _IMPOSSIBLE:
        raise ModelError(
            f"The server of {engine.model} tells which word it chooses, not how likely each word is. Switch its "
            "processed log-probabilities off (vLLM: --logprobs-mode raw_logprobs), or choose another server."
        )
    if len(chances) < TOLD:
        return [f"It tells the {len(chances)} likeliest answers, {TOLD} were asked for: more scores are bounds."]
    return []


def _check_long(engine: Engine | Conversation, scorer: Scorer) -> None:
    """Refuse a server that cuts long prompts without a word.

    Of one that takes ids and counts what it read, each answer is checked instead.
    """
    if isinstance(engine, Conversation):
        try:
            said = [engine.first(_asked(_LONG, word)) for word in ("Yes", "No")]
        except TooLong:
            return  # it says so
        cut = 0 < said[0].prompt < _LONG_WORDS or said[0].chances == said[1].chances
    else:
        both = [answer(scorer, _LONG, word) for word in ("Yes", "No")]
        cut = all(each.asked for each in both) and both[0].score == both[1].score
    if cut:
        raise ModelError(
            f"The server of {engine.model} cuts prompts of {_LONG_WORDS:,} words without a word, and a pair of long "
            "sentences would be judged without the question. Start it with a context of 8,192 tokens or more."
        )
