from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sabika_client import Kit, KitError, open_kit


def test_a_folder_without_a_kit_is_named(tmp_path: Path) -> None:
    with pytest.raises(KitError, match=r"partner\.json: it is missing"):
        open_kit(tmp_path)


def test_a_kit_does_not_show_its_secrets(kit: Kit) -> None:
    shown = repr(kit)
    assert kit.client_id in shown
    assert kit.client_secret not in shown
    assert kit.webhook_secret is not None
    assert kit.webhook_secret not in shown


def test_a_kit_with_a_wrong_file_is_refused_by_its_name(kit: Kit, tmp_path: Path) -> None:
    folder = tmp_path / "kit"
    shutil.copytree(kit.folder, folder)
    (folder / "client.key").write_text((folder / "signing.key").read_text())
    with pytest.raises(KitError, match=r"client\.key: it does not belong to client\.crt"):
        open_kit(folder)
    shutil.copytree(kit.folder, folder, dirs_exist_ok=True)
    (folder / "signing.key").write_text((folder / "client.key").read_text())
    with pytest.raises(KitError, match=r"signing\.key: it is not the key that is registered"):
        open_kit(folder)
    (folder / "signing.key").write_text("no key")
    with pytest.raises(KitError, match=r"signing\.key: "):
        open_kit(folder)
    shutil.copytree(kit.folder, folder, dirs_exist_ok=True)
    partner = json.loads((folder / "partner.json").read_text())
    del partner["client_secret"]
    (folder / "partner.json").write_text(json.dumps(partner))
    assert open_kit(folder).client_secret == "", "the certificate alone fetches tokens"
    del partner["client_id"]
    (folder / "partner.json").write_text(json.dumps(partner))
    with pytest.raises(KitError, match="client_id is missing"):
        open_kit(folder)
