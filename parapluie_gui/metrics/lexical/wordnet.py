"""WordNet 3.0 as METEOR needs it: where it is on this computer, and the synonyms of a word."""

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

#: Name of what `parapluie models get` fetches.
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

#: How two words can be related, and the data files' signs for it.
Relation = Literal["antonym", "synonym", "derivation", "hypernym"]
_RELATIONS: tuple[Relation, ...] = get_args(Relation)
_POINTERS: dict[str, Relation] = {"!": "antonym", "+": "derivation", "@": "hypernym"}
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}

#: How an adjective may stand, behind its name in the data files: "galore(ip)".
_MARKER = re.compile(r"\([^)]*\)$")


class WordNet:
    """The words of WordNet and their synonyms, as nltk's reader finds them.

    All is read at once (0.3 s, 60 MB), and a word is looked up in microseconds; nltk's reader takes two seconds, and
    from version 3.10 on refuses a folder without a table that Debian's packages lack. The tests compare the two.

    Args:
        path: WordNet's folder of dictionary files, or nltk's zip file of it.

    Raises:
        MetricError: The files are not there, or not of WordNet 3.0.
    """

    def __init__(self, path: Path) -> None:
        self._offsets: dict[str, dict[str, tuple[str, ...]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        self._irregular: dict[str, dict[str, list[str]]] = {part: {} for part in _ENDINGS}
        self._names: dict[str, dict[str, str]] = {}
        try:
            with _opened(path) as read:
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
        """Return the names in all synsets of a word or its base forms, but for those of several words."""
        word = word.lower()
        names: set[str] = set()
        for part, offsets in self._offsets.items():
            for form in self._forms(word, part):
                for offset in offsets.get(form, ()):
                    names.update(self._lemmas(part, offset))
        return frozenset(name for name in names if "_" not in name)

    def has(self, word: str) -> bool:
        """Return whether there is such a word, or one of which it is a form."""
        return next(self._senses(word.lower()), None) is not None

    def is_name(self, word: str) -> bool:
        """Return whether a word is known, and known as a name only: with a capital letter wherever it is."""
        senses = list(self._senses(word.lower()))
        spelt = [name for each in senses for name in self._lemmas(*each) if name.lower() == word.lower()]
        return bool(senses) and bool(spelt) and not any(name.islower() for name in spelt)

    def base_forms(self, word: str) -> frozenset[str]:
        """Return the known words that a word can be a form of; the word itself if there are none."""
        word = word.lower()
        forms = {form for part, offsets in self._offsets.items() for form in self._forms(word, part) if form in offsets}
        return frozenset(forms or {word})

    def bases(self, word: str, part: str) -> frozenset[str]:
        """Return the words of a part of speech of which a word can be a form."""
        return frozenset(form for form in self._forms(word.lower(), part) if form in self._offsets[part])

    def irregular_forms(self, base: str, part: str) -> list[str]:
        """Return the forms of a word that no rule makes: "fell", "fallen"."""
        return self._irregular[part].get(base, [])

    def neighbours(self, word: str, relation: Relation, senses: int) -> Iterator[tuple[str, str, str]]:
        """Yield single words that are related to a word in its most usual senses, synonyms by being of one synset.

        Each with the word that `word` is a form of, and the part of speech.
        """
        for part, offsets in self._offsets.items():
            for base in sorted(self._forms(word.lower(), part)):
                for offset in offsets.get(base, ())[:senses]:
                    found = [(part, offset)]
                    if relation != "synonym":
                        pointers = self._pointers(part, offset)
                        found = [each[1:] for each in pointers if _POINTERS[each[0]] == relation]
                    names = (name for place in found for name in self._lemmas(*place))
                    yield from ((base, part, name) for name in names if "_" not in name and name.lower() != base)

    def relation(self, word: str, other: str) -> Relation | None:
        """Return how two words are related in any of their senses; the first that holds of antonym, synonym ..."""
        found = {relation for one, two in ((word, other), (other, word)) for relation in self._relations(one, two)}
        return next((relation for relation in _RELATIONS if relation in found), None)

    def _relations(self, word: str, other: str) -> Iterator[Relation]:
        word, other = word.lower(), other.lower()
        forms = {part: self._forms(other, part) for part in _ENDINGS}
        anywhere = set().union(*forms.values())
        for part, offset in self._senses(word):
            if forms[part] & {name.lower() for name in self._lemmas(part, offset)}:
                yield "synonym"
            for symbol, where, target in self._pointers(part, offset):
                names = {name.lower() for name in self._lemmas(where, target)}
                if symbol == "@":
                    # One step further up: a poodle is a dog, and a dog is a domestic animal.
                    above = [each for each in self._pointers(where, target) if each[0] == "@"]
                    names.update(name.lower() for _, part_, at in above for name in self._lemmas(part_, at))
                if names & (anywhere if symbol == "+" else forms[where]):
                    yield _POINTERS[symbol]

    def _senses(self, word: str) -> Iterator[tuple[str, str]]:
        for part, offsets in self._offsets.items():
            for form in self._forms(word, part):
                for offset in offsets.get(form, ()):
                    yield part, offset

    def _pointers(self, part: str, offset: str) -> Iterator[tuple[str, str, str]]:
        """Yield the pointers of a synset that `relation` looks at: symbol, part of speech and offset of the other."""
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
        # offset, file, part of speech, number of words (hexadecimal), then word and sense number by turns
        fields = self._names[part][offset].split(" ")
        for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            yield _MARKER.sub("", name)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a file but for its licence, which is indented."""
    return (line for line in text.splitlines() if not line.startswith(" "))


def _index(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in _lines(text):
        # lemma, part of speech, number of synsets, ..., that many offsets
        fields = line.split()
        yield fields[0], tuple(fields[-int(fields[2]) :])


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Callable[[str], str]]:
    """Open a folder or nltk's zip file of WordNet for reading files by name."""
    if path.suffix != ".zip":
        yield lambda name: (path / name).read_text(encoding="utf-8")
        return
    with zipfile.ZipFile(path) as archive:
        yield lambda name: archive.read(f"{path.stem}/{name}").decode("utf-8")


def fetched() -> Path:
    """Return the folder into which WordNet is fetched (it may not exist)."""
    return places.user_data() / "wordnet-3.0"


def find_wordnet() -> Path | None:
    """Return WordNet's folder (or nltk's zip file of it), or None; what was fetched comes first."""
    return next((path for path in _candidates() if path.is_file() or _whole(path)), None)


def _whole(folder: Path) -> bool:
    return all((folder / name).is_file() for name in FILES)


def _candidates() -> Iterator[Path]:
    yield fetched()
    if named := os.environ.get("WNSEARCHDIR"):  # WordNet's own variables
        yield Path(named)
    if home := os.environ.get("WNHOME"):
        yield Path(home) / "dict"
    # Debian's packages, then where WordNet's own installation and Homebrew put it
    for folder in ("/usr/share/wordnet", "/usr/local/WordNet-3.0/dict", "/opt/homebrew/opt/wordnet/dict"):
        yield Path(folder)
    # nltk's folders, in its order, without loading it
    roots = [root for root in os.environ.get("NLTK_DATA", "").split(os.pathsep) if root]
    roots += [str(Path.home() / "nltk_data")]
    roots += [str(Path(sys.prefix) / folder) for folder in ("nltk_data", "share/nltk_data", "lib/nltk_data")]
    roots += [str(Path(os.environ["APPDATA"]) / "nltk_data")] if "APPDATA" in os.environ else []
    roots += ["/usr/share/nltk_data", "/usr/local/share/nltk_data", "/usr/lib/nltk_data", "/usr/local/lib/nltk_data"]
    for root in roots:
        yield Path(root) / "corpora" / "wordnet"
        yield Path(root) / "corpora" / "wordnet.zip"


#: The WordNet of a folder, read once.
load = lru_cache(maxsize=1)(WordNet)
