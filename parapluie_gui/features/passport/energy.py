"""Energy used by the processor, where the system reports it: Linux's powercap counters of Intel and AMD (RAPL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: https://docs.kernel.org/power/powercap/powercap.html
POWERCAP = Path("/sys/class/powercap")


@dataclass(frozen=True)
class EnergyCounter:
    """The counter of one processor.

    Attributes:
        microjoules: Its reading, which returns to 0 after `range`.
        range: The largest reading.
    """

    microjoules: int
    range: int


def read_energy(folder: Path = POWERCAP) -> dict[str, EnergyCounter]:
    """Return the counters of all processors by name; {} if the system has none or does not let this user read them."""
    counters = {}
    for place in sorted(folder.glob("*-rapl:*")):
        if place.name.count(":") != 1:
            continue  # a part of a processor, which its processor's counter includes
        try:
            reading, largest = (int((place / name).read_text()) for name in ("energy_uj", "max_energy_range_uj"))
        except (OSError, ValueError):
            return {}
        counters[place.name] = EnergyCounter(reading, largest)
    return counters


def joules_between(before: Mapping[str, EnergyCounter], after: Mapping[str, EnergyCounter]) -> float | None:
    """Return the energy used between two readings in joules; None if a counter is missing."""
    if not before or before.keys() != after.keys():
        return None
    used = 0
    for name, counter in after.items():
        difference = counter.microjoules - before[name].microjoules
        used += difference if difference >= 0 else difference + counter.range
    return used / 1e6
