from __future__ import annotations

from parapluie_gui.analysis.names import judge_title
from parapluie_gui.features.servers.record import VLLM, ServerRecord, store_server
from parapluie_gui.models.sources import receiving_host


def test_the_other_computer_that_receives_sentences_is_known_by_address_and_by_score():
    store_server(ServerRecord("http://127.0.0.1:8080#near", VLLM, "near", "1"))
    store_server(ServerRecord("https://example.org:8000#far", VLLM, "far", "1"))
    hosts = ["example.org:8000", "example.org:8000", "", "", "", "", ""]
    names = ["https://example.org:8000#far", "far (vLLM)", "near (vLLM)", "http://127.0.0.1:8080#near", "pocket", ""]
    assert list(map(receiving_host, [*names, "http://unknown.org#model"])) == hosts


def test_a_server_has_the_name_of_its_scores_wherever_it_is_shown():
    store_server(ServerRecord("http://localhost:8080", VLLM, "org/near", "1"))
    store_server(ServerRecord("http://localhost:8081#near", VLLM, "near", "1"))
    addresses = [
        "http://localhost:8080",
        "http://localhost:8081#near",
        "near (vLLM)",
        "http://new:1#far",
        "http://new:1",
    ]
    assert list(map(judge_title, addresses)) == ["near (vLLM)"] * 3 + ["far", "new:1"]
