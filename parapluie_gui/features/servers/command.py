"""`parapluie models connect`: makes a server's model known as a judge."""

# Each call describes one argument of the command.

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import dataclass

from parapluie_gui.commands.arguments import argument, number, option, switch
from parapluie_gui.commands.saying import say
from parapluie_gui.features.servers.connecting import connect, connect_server


@dataclass(frozen=True, kw_only=True)
class Options:
    """Connect to a server that runs a judge: find out what it is, and try it."""

    address: str = argument("http://host:port, and #MODEL where it has several")
    key: bool = switch("ask for its key and put it into the system's keyring")
    price: tuple[float, float] | None = option(
        "what a million tokens read and a million written cost",
        ("READ", "WRITTEN"),
        nargs=2,
        type=number(0, or_equal=True),
    )
    json: bool = switch("print what is done as JSON, one object per line; a key comes from standard input")


def run(options: Options) -> int:
    """Connect to a server; with --json, progress as `models get` has it."""
    key = ""
    if options.key:
        key = (getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not options.json:
        connect_server(options.address, say, key, options.price)
        return 0

    def report(text: str) -> None:
        print(json.dumps({"share": 0.5, "text": text}), flush=True)

    server = connect(options.address, key, report, options.price)
    print(json.dumps({"share": 1.0, "text": server.note}), flush=True)
    return 0
