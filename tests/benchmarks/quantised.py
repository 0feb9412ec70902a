"""GGUF files in llama.cpp compared with our own float32 pass: CPU time, memory, and differences of scores.

    python tests/benchmarks/quantised.py FILE.gguf [...] [--pairs 16] [--template DIRECT] [--make FOLDER]

The pairs are the first of MRPC test in ../shared/data. The judge in float32 is smollm2-135m of the catalogue. `--make`
first writes F16 and Q8_0 files of the first FILE into a folder and tries them as well. Judges run one after another
in their own processes; memory is the peak of this process and llama.cpp's (VmHWM, on Linux), including libraries,
and CPU time is that of both.
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
#: GGUF's number of a file type, by the data type of its matrices.
KINDS = {"F16": 1, "Q8_0": 7}


def convert(source: Path, target: Path, kind: str) -> None:
    """Rewrite a GGUF file with its matrices in a different type."""
    import gguf  # imported here, so that it does not count for a judge's memory
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
    """Return the /proc folders of this process and its children, such as llama.cpp, on Linux."""
    children = Path("/proc/self/task").glob("*/children")
    pids = [pid for child in children for pid in child.read_text(encoding="ascii").split()]
    return [Path("/proc/self"), *(Path("/proc") / pid for pid in pids)]


def peak() -> float:
    """Return the peak memory of these processes in MB; getrusage would include the parent's."""
    texts = [(process / "status").read_text(encoding="ascii") for process in processes()]
    result = [re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE) for text in texts]
    return sum(int(each[1]) for each in result if each) * 1024 / 1e6


def processor_time() -> float:
    """Return the CPU seconds of these processes."""
    fields = [(process / "stat").read_text(encoding="ascii").rpartition(")")[2].split() for process in processes()]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def measure(model: str, pairs: int, template: str) -> dict[str, Any]:
    """Score the pairs with a judge in this process."""
    files, data = find_model(model), read(MRPC).take(range(pairs))
    sentences = list(data.source), list(data.hypothesis)
    precision = "auto" if files.gguf else "float32"
    started = time.perf_counter()
    judge = judge_class(files, "cpu", precision).load(files, "cpu", precision)
    loading = time.perf_counter() - started
    scorer = judge.scorer(find_templates([template], load_templates(None)[0])[0])
    list(scorer.score(*(sentence[:1] for sentence in sentences)))  # the shared prefix is computed now
    clock, processor = time.perf_counter(), processor_time()
    result = [one for batch in scorer.score(*sentences) for one in batch]
    return {
        "scores": [one.score for one in sorted(result, key=lambda one: one.row)],
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
        os._exit(0)  # do not wait for llama.cpp's threads
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
