"""Servers as a source of models: the names of judges that are addresses."""

from __future__ import annotations

from collections.abc import Callable

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.record import Server, host_of, known_server, known_servers
from parapluie_gui.models.sources import RemoteModel, Source


class ServerSource(Source):
    """The servers that the user has connected to."""

    def find(self, model: str) -> RemoteModel:
        """Return the model of a server by its address; see `Source.find`."""
        server = known_server(model)
        if server is None:
            raise ModelError(
                f"Nothing is known of the server {model} yet. Run `parapluie models connect {model}`, or choose "
                "Connect to a server… in Setup."
            )
        return _model(server)

    def known(self) -> list[RemoteModel]:
        """Return the models of the servers that the user has connected to, the last one first."""
        return [_model(server) for server in known_servers()]

    def short_name(self, model: str) -> str:
        """Return the last part of the model's name in an address, the host where it names none."""
        return model.partition("#")[2].rpartition("/")[2] or host_of(model)

    def prepare(self, model: str, say: Callable[[str], None]) -> None:
        """Connect to a server that the user has not connected to yet; see `Source.prepare`."""
        if known_server(model) is None:
            from parapluie_gui.features.servers.connecting import connect_server

            connect_server(model, say)


def _model(server: Server) -> RemoteModel:
    return RemoteModel(
        address=server.address,
        name=server.name,
        title=f"{server.name}, on a server",
        host=host_of(server.address),
        revision=server.revision,
        note=server.note,
        # Without the model's files, scores of one server are not those of another.
        fields=(("server", server.base),) if server.probe else (),
        record=server,
    )
