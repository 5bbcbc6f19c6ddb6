from __future__ import annotations

from typing import Any

import pytest
from vector_files import name_of, vectors

from sabika_client import verify_versions

FILE = vectors("versions.json")


@pytest.mark.parametrize("vector", FILE["chains"], ids=name_of)
def test_versions_are_judged_as_in_their_vector(vector: Any) -> None:
    texts = [FILE["texts"][name].encode() for name in vector["texts"]]
    hashes = {int(number): sha256 for number, sha256 in vector["hashes"].items()}
    verified = verify_versions(texts, hashes=hashes)
    assert (list(verified.faults), verified.at) == (vector["faults"], vector["at"])
    assert verified.ok is (vector["faults"] == [])
