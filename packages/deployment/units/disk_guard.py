"""Keeps a Patroni member without room on its disk from being the primary (Decision D115).

Runs beside Patroni 4.1 or later, as its user: python3 disk_guard.py FOLDER [MIB]

FOLDER has Patroni's settings, which Patroni too is started with; in it, room.yaml is the guard's. A member
with less than twice MIB mebibytes (1024) for its data or its log has the lower of two priorities there, so
that any other is the synchronous standby instead, which alone may be promoted. A primary with less than
MIB hands over to a synchronous standby of the higher priority. So disks that fill up alike change nothing.
"""

import json
import os
import sys
import time

from patroni.config import Config
from patroni.request import PatroniRequest

EVERY_SECONDS = 1
# A switchover is answered when it is over.
TIMEOUT_SECONDS = 30
LOW, ROOM = 1, 2


def free_bytes(data):
    """Returns how much the user may still write where the data lies and where the log does."""
    places = [place for place in (data, f"{data}/pg_wal") if os.path.exists(place)]
    free = [stat.f_bavail * stat.f_frsize for stat in map(os.statvfs, places)]
    return min(free, default=0)


def connect(config):
    """Returns a function that asks this member's Patroni, with the certificate and password of patronictl."""
    patroni = PatroniRequest(config)
    rest = config["restapi"]
    base = f"http{'s' if rest.get('certfile') else ''}://{rest['connect_address']}"

    def ask(method, path, body=None):
        answer = patroni.request(
            method, base + path, body, timeout=TIMEOUT_SECONDS, retries=False
        )
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {answer.data.decode()}")
        return answer.data

    return ask


def write_tag(folder, priority):
    """Writes the tag in place, which needs no room."""
    with open(os.path.join(folder, "room.yaml"), "r+") as file:
        file.write(f"tags: {{sync_priority: {priority}}}\n")
        file.truncate()


def hand_over(name, ask):
    """Makes a synchronous standby with room the primary, if this member is it and nobody paused Patroni."""
    cluster = json.loads(ask("GET", "/cluster"))
    leads = any(m["name"] == name and m["role"] == "leader" for m in cluster["members"])
    for member in cluster["members"]:
        has_room = member.get("tags", {}).get("sync_priority") == ROOM
        if leads and has_room and member["role"] == "sync_standby" and not cluster.get("pause"):
            print(f"handing over to {member['name']}", flush=True)
            ask("POST", "/switchover", {"leader": name, "candidate": member["name"]})
            return


def main(folder, mebibytes="1024"):
    config = Config(folder)
    ask = connect(config)
    told = None
    while True:
        try:
            free = free_bytes(config["postgresql"]["data_dir"])
            limit = int(mebibytes) * 2**20
            priority = ROOM if free >= 2 * limit else LOW
            if priority != told:
                print(f"{free >> 20} MiB free, sync_priority {priority}", flush=True)
                write_tag(folder, priority)
                ask("POST", "/reload", {})
                told = priority
            if free < limit:
                hand_over(config["name"], ask)
        except Exception as error:  # Patroni or its etcd is away; a disk too.
            print(repr(error), flush=True)
        time.sleep(EVERY_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
