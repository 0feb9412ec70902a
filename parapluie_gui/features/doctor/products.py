"""Examination of NumPy's matrix products, which compute the pocket judge: the library, its kernels, and their speed."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from parapluie_gui import children
from parapluie_gui.features.doctor.findings import DoctorSection, run_program
from parapluie_gui.own_files import parse_json

#: The variable that makes OpenBLAS use the kernels of a different processor.
KERNELS = "OPENBLAS_CORETYPE"

#: Maximum time of the child process in seconds.
_SECONDS = 60.0

#: Ratio of speeds from which kernels chosen by the environment are a problem.
_SLOWER = 1.3

#: Number of rows and columns of the matrices, and number of repetitions; the fastest counts.
_SIZE, _TIMES = 512, 9


@dataclass(frozen=True)
class ProductFacts:
    """The library of NumPy's matrix products.

    Attributes:
        library: Its name and version.
        kernels: The processor for which its kernels were made ("Haswell"); "" if it does not say.
        threads: Number of threads.
        seconds: Time of one product of float32 matrices, the fastest of several.
    """

    library: str
    kernels: str
    threads: int
    seconds: float


def examine_products(section: DoctorSection) -> None:
    """Add the library and its kernels, and complain if the environment makes them slower."""
    facts = _measure({})
    if facts is None:
        return
    kernels = f", kernels for {facts.kernels}" if facts.kernels else ""
    section.add("matrix products", f"{facts.library}{kernels}, threads: {facts.threads}")
    if not (wanted := os.environ.get(KERNELS)):
        return
    own = _measure({KERNELS: ""})
    if own is not None and facts.seconds > _SLOWER * own.seconds:
        section.complain(
            f"{KERNELS}={wanted} makes matrix products {facts.seconds / own.seconds:.1f} times slower than this "
            f"processor's kernels ({own.kernels}).",
            f"Unset {KERNELS}.",
        )


def print_products() -> None:
    """Print the facts as JSON, in a separate process, because NumPy reads the environment when it is loaded."""
    import numpy as np
    from threadpoolctl import threadpool_info

    blas = next((library for library in threadpool_info() if library["user_api"] == "blas"), None)
    if blas is None:
        return
    matrix = np.ones((_SIZE, _SIZE), dtype=np.float32)
    times = []
    for _ in range(_TIMES):
        started = time.perf_counter()
        np.matmul(matrix, matrix)
        times.append(time.perf_counter() - started)
    library = f"{blas['internal_api']} {blas['version'] or ''}".strip()
    facts = ProductFacts(library, str(blas.get("architecture") or ""), int(blas["num_threads"]), min(times))
    sys.stdout.write(json.dumps(asdict(facts)) + "\n")


def _measure(environment: Mapping[str, str]) -> ProductFacts | None:
    result = run_program(children.call(f"{__name__}:print_products"), _SECONDS, environment)
    if result is None or result.returncode:
        return None
    try:
        return ProductFacts(**parse_json(result.stdout.splitlines()[-1]))
    except (IndexError, TypeError, ValueError):
        return None
