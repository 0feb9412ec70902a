"""The Analysis tab with a corpus; the folder of published files, each read once for the commands of a test file."""

from pathlib import Path

import pytest
from tab_fixtures import *  # noqa: F403

from parapluie_gui.features.papers import paraphrasus_command, replicate_command
from parapluie_gui.pairs import Corpus, read


@pytest.fixture(scope="module")
def published(shared_data: Path):
    corpora: dict[tuple[Path, str], Corpus] = {}

    def read_once(path: Path) -> Corpus:
        key = path.resolve(), path.name
        if shared_data.resolve() not in key[0].parents:
            return read(path)
        if key not in corpora:
            corpora[key] = read(path)
        return corpora[key]

    with pytest.MonkeyPatch.context() as patch:
        for module in (paraphrasus_command, replicate_command):
            patch.setattr(module, "read", read_once)
        yield shared_data
