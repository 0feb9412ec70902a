"""GGUF files in llama.cpp beside our own pass in float32: processor time, memory, and how far the scores differ.

    python tests/benchmarks/quantised.py FILE.gguf [...] [--pairs 16] [--template DIRECT] [--make FOLDER]

The pairs are the first of MRPC test in ../shared/data. The judge in float32 is smollm2-135m of the catalogue. `--make`
first writes F16 and Q8_0 files of the first FILE into a folder and tries them as well. Each judge has a process of its
own, one after the other; its memory is the most that this process and llama.cpp's had (VmHWM, on Linux), libraries
included, and the processor's time is that of both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs import read
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.templates import find_templates, load_templates

MRPC = Path(__file__).parents[2].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"
#: GGUF's number of a file's type, by the name of its matrices' type.
KINDS = {"F16": 1, "Q8_0": 7}


def convert(source: Path, target: Path, kind: str) -> None:
    """Write a GGUF file anew with its matrices in another type."""
    import gguf  # here, so that no judge's memory has it
    from gguf import quants

    read, wanted = gguf.GGUFReader(source), gguf.GGMLQuantizationType[kind]
    writer = gguf.GGUFWriter(target, str(read.fields["general.architecture"].contents()))
    for field in read.fields.values():
        if not field.name.startswith("GGUF.") and field.name not in ("general.architecture", "general.file_type"):
            inner = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), field.types[0], inner)
    writer.add_file_type(KINDS[kind])
    for tensor in read.tensors:
        shape = tuple(int(size) for size in reversed(tensor.shape))
        plain = quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32).reshape(shape)
        if len(shape) == 1:
            writer.add_tensor(tensor.name, plain)
        else:
            writer.add_tensor(tensor.name, quants.quantize(plain, wanted), raw_dtype=wanted)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def processes() -> list[Path]:
    """Return the folders of this process and of those that it has started, as llama.cpp is, on Linux."""
    children = Path("/proc/self/task").glob("*/children")
    pids = [pid for each in children for pid in each.read_text(encoding="ascii").split()]
    return [Path("/proc/self"), *(Path("/proc") / pid for pid in pids)]


def peak() -> float:
    """Return the most memory that these processes had, in MB; getrusage counts what the parent had as well."""
    texts = [(each / "status").read_text(encoding="ascii") for each in processes()]
    found = [re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE) for text in texts]
    return sum(int(each[1]) for each in found if each) * 1024 / 1e6


def processor_time() -> float:
    """Return the seconds of processor time of these processes."""
    fields = [(each / "stat").read_text(encoding="ascii").rpartition(")")[2].split() for each in processes()]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def measure(model: str, pairs: int, template: str) -> dict[str, Any]:
    """Score the pairs with a judge in this process."""
    files, data = find_model(model), read(MRPC).take(range(pairs))
    sentences = list(data.source), list(data.hypothesis)
    precision = "auto" if files.gguf else "float32"
    started = time.perf_counter()
    judge = judge_class(files, "cpu", precision).load(files, "cpu", precision)
    loading = time.perf_counter() - started
    scorer = judge.scorer(find_templates([template], load_templates(None)[0])[0])
    list(scorer.score(*(each[:1] for each in sentences)))  # what all prompts share is computed now
    clock, processor = time.perf_counter(), processor_time()
    found = [one for batch in scorer.score(*sentences) for one in batch]
    return {
        "scores": [one.score for one in sorted(found, key=lambda one: one.row)],
        "processor": (processor_time() - processor) / len(data),
        "clock": (time.perf_counter() - clock) / len(data),
        "loading": loading,
        "peak": peak(),
        "described": judge.describe(),
    }


def main() -> None:
    """Measure all judges and print a line for each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", nargs="+")
    options.add_argument("--pairs", type=int, default=16)
    options.add_argument("--template", default="DIRECT")
    options.add_argument("--make", type=Path)
    options.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.alone:
        print(json.dumps(measure(given.file[0], given.pairs, given.template)), flush=True)
        os._exit(0)  # llama.cpp's threads are not waited for
    files = list(given.file)
    for kind in KINDS if given.make else ():
        files.append(str(given.make / f"{Path(files[0]).stem}.{kind}.gguf"))
        convert(Path(files[0]), Path(files[-1]), kind)
    plain = np.array([])
    print("judge\tprocessor s/pair\tclock s/pair\tloading s\tpeak MB\tr\tlargest difference\tsigns changed")
    for name in ("smollm2-135m", *files):
        command = [sys.executable, __file__, name, "--alone", "--pairs", str(given.pairs), "--template", given.template]
        done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        scores = np.array(done["scores"])
        plain = scores if not len(plain) else plain
        print(
            f"{Path(name).name}\t{done['processor']:.3f}\t{done['clock']:.3f}\t{done['loading']:.1f}\t{done['peak']:.0f}\t"
            f"{np.corrcoef(plain, scores)[0, 1]:.4f}\t{np.abs(plain - scores).max():.3f}\t"
            f"{int((np.sign(plain) != np.sign(scores)).sum())}",
            flush=True,
        )


if __name__ == "__main__":
    main()
