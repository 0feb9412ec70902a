"""A fast reader of WordNet 3.0, and its location on this computer."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from parapluie_gui import places
from parapluie_gui.errors import MetricError

#: The name of WordNet in `parapluie models get`.
NAME = "wordnet"

VERSION = "3.0"

MISSING = (
    "WordNet 3.0 is not on this computer. Run `parapluie models get wordnet`, or install it (Debian, Ubuntu: "
    "wordnet-base; nltk: nltk.download('wordnet')), or choose METEOR (exact+stem)"
)

#: Parts of speech in nltk's order, and Morphy's rules of detachment (WordNet manual, morphy(7WN)).
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    part: tuple((old, new) for old, _, new in (rule.partition(">") for rule in rules.split()))
    for part, rules in {
        "noun": "s> ses>s ves>f xes>x zes>z ches>ch shes>sh men>man ies>y",
        "verb": "s> ies>y es>e es> ed>e ed> ing>e ing>",
        "adj": "er> est> er>e est>e",
        "adv": "",
    }.items()
}

FILES = tuple(f"{kind}.{part}" for part in _ENDINGS for kind in ("index", "data")) + tuple(
    f"{part}.exc" for part in _ENDINGS
)

#: Relations between two words, and their symbols in the data files.
Relation = Literal["antonym", "synonym", "derivation", "hypernym"]
_RELATIONS: tuple[Relation, ...] = get_args(Relation)
_POINTERS: dict[str, Relation] = {"!": "antonym", "+": "derivation", "@": "hypernym"}
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}

#: The syntactic marker after an adjective in the data files: "galore(ip)".
_MARKER = re.compile(r"\([^)]*\)$")


class WordNet:
    """The words of WordNet and their relations, with the same synonyms as nltk's reader.

    All files are read at once (0.3 s, 60 MB); looking up a word takes microseconds. nltk's reader takes two seconds,
    and since version 3.10 it has refused Debian's packages, which lack one of its tables. The tests compare the two
    readers.

    Args:
        path: WordNet's folder of dictionary files, or nltk's zip file of it.

    Raises:
        MetricError: The files are missing, or are not those of WordNet 3.0.
    """

    def __init__(self, path: Path) -> None:
        self._offsets: dict[str, dict[str, tuple[str, ...]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        self._irregular: dict[str, dict[str, list[str]]] = {part: {} for part in _ENDINGS}
        self._names: dict[str, dict[str, str]] = {}
        try:
            with _open_reader(path) as read:
                if f"WordNet {VERSION} Copyright" not in read("data.noun")[:4000]:
                    raise MetricError(f"{path} is not WordNet {VERSION}; {MISSING}.")
                for part in _ENDINGS:
                    self._offsets[part] = dict(_index(read(f"index.{part}")))
                    self._names[part] = {line[:8]: line.partition(" | ")[0] for line in _lines(read(f"data.{part}"))}
                    entries = (line.split() for line in read(f"{part}.exc").splitlines())
                    self._exceptions[part] = {words[0]: words[1:] for words in entries if words}
                    for form, bases in self._exceptions[part].items():
                        for base in bases:
                            self._irregular[part].setdefault(base, []).append(form)
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise MetricError(f"WordNet in {path} cannot be read ({error}); {MISSING}.") from error

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the single-word names in all synsets of a word and its base forms."""
        word = word.lower()
        names: set[str] = set()
        for part, offsets in self._offsets.items():
            for form in self._forms(word, part):
                for offset in offsets.get(form, ()):
                    names.update(self._lemmas(part, offset))
        return frozenset(name for name in names if "_" not in name)

    def has(self, word: str) -> bool:
        """Return whether WordNet contains the word or one of its base forms."""
        return next(self._senses(word.lower()), None) is not None

    def is_name(self, word: str) -> bool:
        """Return whether WordNet contains the word only as a name, always with a capital letter."""
        senses = list(self._senses(word.lower()))
        spelt = [name for sense in senses for name in self._lemmas(*sense) if name.lower() == word.lower()]
        return bool(senses) and bool(spelt) and not any(name.islower() for name in spelt)

    def base_forms(self, word: str) -> frozenset[str]:
        """Return the base forms of a word in any part of speech; the word itself if WordNet has none."""
        word = word.lower()
        forms = {form for part, offsets in self._offsets.items() for form in self._forms(word, part) if form in offsets}
        return frozenset(forms or {word})

    def bases(self, word: str, part: str) -> frozenset[str]:
        """Return the base forms of a word in one part of speech."""
        return frozenset(form for form in self._forms(word.lower(), part) if form in self._offsets[part])

    def irregular_forms(self, base: str, part: str) -> list[str]:
        """Return the irregular forms of a word: "fell", "fallen"."""
        return self._irregular[part].get(base, [])

    def neighbours(self, word: str, relation: Relation, senses: int) -> Iterator[tuple[str, str, str]]:
        """Yield (base form of the word, part of speech, related word) for the most frequent senses of a word.

        Related words are single words; synonyms are words of the same synset.
        """
        for part, offsets in self._offsets.items():
            for base in sorted(self._forms(word.lower(), part)):
                for offset in offsets.get(base, ())[:senses]:
                    synsets = [(part, offset)]
                    if relation != "synonym":
                        pointers = self._pointers(part, offset)
                        synsets = [pointer[1:] for pointer in pointers if _POINTERS[pointer[0]] == relation]
                    names = (name for place in synsets for name in self._lemmas(*place))
                    yield from ((base, part, name) for name in names if "_" not in name and name.lower() != base)

    def relation(self, word: str, other: str) -> Relation | None:
        """Return the relation of two words in any of their senses, the first of `Relation` if several hold, or None."""
        relations = {relation for one, two in ((word, other), (other, word)) for relation in self._relations(one, two)}
        return next((relation for relation in _RELATIONS if relation in relations), None)

    def _relations(self, word: str, other: str) -> Iterator[Relation]:
        word, other = word.lower(), other.lower()
        forms = {part: self._forms(other, part) for part in _ENDINGS}
        anywhere = set().union(*forms.values())
        for part, offset in self._senses(word):
            if forms[part] & {name.lower() for name in self._lemmas(part, offset)}:
                yield "synonym"
            for symbol, target_part, target in self._pointers(part, offset):
                names = {name.lower() for name in self._lemmas(target_part, target)}
                if symbol == "@":
                    # Two levels up: a poodle is a dog, and a dog is a domestic animal.
                    above = [pointer for pointer in self._pointers(target_part, target) if pointer[0] == "@"]
                    names.update(name.lower() for _, part_, at in above for name in self._lemmas(part_, at))
                if names & (anywhere if symbol == "+" else forms[target_part]):
                    yield _POINTERS[symbol]

    def _senses(self, word: str) -> Iterator[tuple[str, str]]:
        for part, offsets in self._offsets.items():
            for form in self._forms(word, part):
                for offset in offsets.get(form, ()):
                    yield part, offset

    def _pointers(self, part: str, offset: str) -> Iterator[tuple[str, str, str]]:
        """Yield the pointers of a synset in `_POINTERS`: symbol, part of speech and offset of the target."""
        fields = self._names[part][offset].split(" ")
        at = 5 + 2 * int(fields[3], 16)
        for place in range(at, at + 4 * int(fields[at - 1]), 4):
            if fields[place] in _POINTERS:
                yield fields[place], _PARTS[fields[place + 2]], fields[place + 1]

    def _forms(self, word: str, part: str) -> set[str]:
        irregular = self._exceptions[part].get(word)
        if irregular is not None:
            return {word, *irregular}
        return {word} | {word[: -len(old)] + new for old, new in _ENDINGS[part] if word.endswith(old)}

    def _lemmas(self, part: str, offset: str) -> Iterator[str]:
        # offset, file, part of speech, number of words (hexadecimal), then alternately word and sense number
        fields = self._names[part][offset].split(" ")
        for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            yield _MARKER.sub("", name)


def _lines(text: str) -> Iterator[str]:
    """Return the lines of a file without its licence, which is indented."""
    return (line for line in text.splitlines() if not line.startswith(" "))


def _index(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in _lines(text):
        # lemma, part of speech, number of synsets, ..., one offset for each synset
        fields = line.split()
        yield fields[0], tuple(fields[-int(fields[2]) :])


@contextlib.contextmanager
def _open_reader(path: Path) -> Iterator[Callable[[str], str]]:
    """Open WordNet's folder or nltk's zip file; yields a function that reads a file by name."""
    if path.suffix != ".zip":
        yield lambda name: (path / name).read_text(encoding="utf-8")
        return
    with zipfile.ZipFile(path) as archive:
        yield lambda name: archive.read(f"{path.stem}/{name}").decode("utf-8")


def fetched_folder() -> Path:
    """Return the folder that `parapluie models get` puts WordNet in, which may not exist."""
    return places.user_data() / "wordnet-3.0"


def find_wordnet() -> Path | None:
    """Return WordNet's folder (or nltk's zip file of it), or None; the fetched one comes first."""
    for path in _candidates():
        if path.is_file() or all((path / name).is_file() for name in FILES):
            return path
    return None


def _candidates() -> Iterator[Path]:
    yield fetched_folder()
    if named := os.environ.get("WNSEARCHDIR"):  # WordNet's own variables
        yield Path(named)
    if home := os.environ.get("WNHOME"):
        yield Path(home) / "dict"
    # the folders used by Debian's packages, WordNet's own installer and Homebrew
    for folder in ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/opt/homebrew/opt/wordnet/dict"):
        yield Path(folder)
    # nltk's folders, in nltk's order
    roots = [root for root in os.environ.get("NLTK_DATA", "").split(os.pathsep) if root]
    roots += [str(Path.home() / "nltk_data")]
    roots += [str(Path(sys.prefix) / folder) for folder in ("nltk_data", "share/nltk_data", "lib/nltk_data")]
    roots += [str(Path(os.environ["APPDATA"]) / "nltk_data")] if "APPDATA" in os.environ else []
    roots += ["/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data", "/usr/local/lib/nltk_data"]
    for root in roots:
        yield Path(root) / "corpora" / "wordnet"
        yield Path(root) / "corpora" / "wordnet.zip"


load = lru_cache(maxsize=1)(WordNet)
