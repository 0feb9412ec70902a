"""The command `parapluie models connect`, which makes a server's model available as a judge."""

# Each call describes one argument of the command.

from __future__ import annotations

import getpass
import json
import sys
from dataclasses import dataclass

from parapluie_gui.commands.arguments import argument, number_reader, option, switch
from parapluie_gui.commands.saying import say
from parapluie_gui.features.servers.connecting import connect, connect_server
from parapluie_gui.features.servers.nearby import USUAL_PORTS, list_nearby_servers


@dataclass(frozen=True, kw_only=True)
class ConnectOptions:
    """Connect to a server that runs a judge: detect its protocol and test it."""

    address: str = argument(
        "http://host:port, followed by #MODEL if the server has several models; without an address, list the servers "
        "on this computer's usual ports",
        nargs="?",
        default="",
    )
    key: bool = switch("ask for its key and store it in the system's keyring")
    price: tuple[float, float] | None = option(
        "price per million tokens, read and written",
        ("READ", "WRITTEN"),
        nargs=2,
        type=number_reader(0, or_equal=True),
    )
    json: bool = switch("print progress as JSON, one object per line; a key is read from standard input")


def run(options: ConnectOptions) -> int:
    """Connect to a server; --json prints progress in the format of `models get`."""
    if not options.address:
        nearby = list_nearby_servers()
        for running in nearby:
            print(f"{running.address}\t{running.program}'s usual port")
        if not nearby:
            say(
                f"No program is listening on the usual ports ({', '.join(map(str, USUAL_PORTS.values()))}). Give the "
                "address."
            )
        return 0
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
