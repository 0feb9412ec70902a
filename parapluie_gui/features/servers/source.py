"""Servers as a source of models, whose names are addresses."""

from __future__ import annotations

from collections.abc import Callable

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.record import ServerRecord, find_server, load_servers, parse_host
from parapluie_gui.models.sources import RemoteModel, RemoteModelSource


class ServerSource(RemoteModelSource):
    """The servers that the user has connected to."""

    def find(self, model: str) -> RemoteModel:
        """Return the model at an address; see `RemoteModelSource.find`."""
        server = find_server(model)
        if server is None:
            raise ModelError(
                f"You are not connected to the server {model} yet. Run `parapluie models connect {model}`, or choose "
                "Connect to a server… in Setup."
            )
        return _model(server)

    def list_used(self) -> list[RemoteModel]:
        """Return the models of the servers that the user has connected to, latest first."""
        return [_model(server) for server in load_servers()]

    def short_name(self, model: str) -> str:
        """Return the name that the model's scores have; for an unknown server, the model in the address or the host."""
        server = find_server(model)
        name = model.partition("#")[2] if server is None else server.name
        return name.rpartition("/")[2] or parse_host(model)

    def prepare(self, model: str, say: Callable[[str], None]) -> None:
        """Connect to a server that has no record yet; see `RemoteModelSource.prepare`."""
        if find_server(model) is None:
            from parapluie_gui.features.servers.connecting import connect_server

            connect_server(model, say)


def _model(server: ServerRecord) -> RemoteModel:
    return RemoteModel(
        address=server.address,
        name=server.name,
        title=f"{server.name}, on a server",
        host=parse_host(server.address),
        revision=server.revision,
        note=server.note,
        # If the model's files are unknown, scores of two servers must not be mixed.
        fields=(("server", server.base),) if server.probe else (),
        record=server,
    )
