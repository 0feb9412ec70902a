"""Flips single bits of a part and merges: the table is unchanged, or an error names the part."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pandas
import pyarrow.parquet

from parapluie_gui.commands.main import main as parapluie
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.parts.merge import merge


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, result = random.Random(options.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder, corpus, output = Path(name) / "parts", Path(name) / "pairs.parquet", Path(name) / "out.parquet"
        rows = range(400)
        texts = {"source": [f"The cat {row} sat." for row in rows], "hypothesis": [f"Cat {row} sits." for row in rows]}
        pandas.DataFrame(texts).to_parquet(corpus)
        asked = ["--shard", "1/1", "-o", str(folder), "--metric", "edit_distance", "--metric", "bleu"]
        assert parapluie(["score", str(corpus), *asked]) == 0
        [part] = folder.glob("part-*")
        merge(folder, output)
        whole, table = part.read_bytes(), pyarrow.parquet.read_table(output)
        for trial in range(options.count):
            data = bytearray(whole)
            place, bit = chance.randrange(len(data)), chance.randrange(8)
            data[place] ^= 1 << bit
            part.write_bytes(bytes(data))
            try:
                merge(folder, output)
                what = "the same" if pyarrow.parquet.read_table(output).equals(table) else "SILENT"
            except ParapluieError:
                what = "told"
            except Exception as error:
                what = f"EXCEPTION {type(error).__name__}"
            result[what] += 1
            print(f"{trial}: byte {place}, bit {bit}: {what}")
    print(dict(result))
    return int(any(what.isupper() or what.startswith("EXCEPTION") for what in result))


if __name__ == "__main__":
    sys.exit(main())
