import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { readFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { readDatabaseUrl } from "@sabika/database";
import {
  AGREED_SETTINGS,
  type ClusterPlan,
  clusterUrl,
  etcdArguments,
  patroniSettings,
} from "./patroni_settings.ts";

const PLAN: ClusterPlan = {
  members: [1, 2, 3].map((n) => ({ postgresql: n, rest: 10 + n, etcd: 20 + n, etcdPeer: 30 + n })),
  passwords: { superuser: "s", replication: "r", rest: "a" },
};

test("patroniSettings() renders a member with its own ports and every member's etcd", () => {
  const parts = { folder: "/data/2", binFolder: "/bin", settings: { max_connections: "200" } };
  const { name, restapi, etcd3, postgresql, bootstrap } = parse(
    stringify(patroniSettings(PLAN, 1, parts)),
  );
  assertEquals([name, restapi.listen, postgresql.listen], [
    "member-2",
    "127.0.0.1:12",
    "127.0.0.1:2",
  ]);
  assertEquals(etcd3.hosts, ["127.0.0.1:21", "127.0.0.1:22", "127.0.0.1:23"]);
  assertEquals(postgresql.data_dir, "/data/2/data");
  const { parameters } = bootstrap.dcs.postgresql;
  assertEquals([parameters.max_connections, parameters.synchronous_commit], ["200", "on"]);
  // The lock outlives two tries to renew it, so that a slow etcd alone promotes nobody (D115).
  const { ttl, loop_wait, retry_timeout } = bootstrap.dcs;
  assert(loop_wait + 2 * retry_timeout <= ttl);
});

test("etcdArguments() introduces each etcd to all, with its own ports", () => {
  const args = etcdArguments(PLAN, 0, "/data/1");
  assert(args.includes("--listen-client-urls=http://127.0.0.1:21"));
  const [all] = args.filter((word) => word.startsWith("--initial-cluster="));
  const peers = [31, 32, 33].map((port, n) => `member-${n + 1}=http://127.0.0.1:${port}`);
  assertEquals(all, `--initial-cluster=${peers.join()}`);
});

test("clusterUrl() leads to whichever member takes writes", () => {
  const { servers, followsPrimary } = readDatabaseUrl(clusterUrl(PLAN));
  assertEquals([servers.map(({ port }) => port), followsPrimary], [[1, 2, 3], true]);
});

test("the operator's page of failover has the stack's settings of Patroni", async () => {
  const page = new URL("../../../docs/operator/failover.md", import.meta.url);
  const [, block] = /```yaml\n([^]*?)```/.exec(await readFile(page, "utf8"))!;
  const { bootstrap } = parse(block!);
  const { postgresql: _, ...agreed } = bootstrap.dcs;
  assertEquals(agreed, AGREED_SETTINGS);
  const parts = { folder: "/data/1", binFolder: "/bin", settings: {} };
  assertEquals(bootstrap.initdb, patroniSettings(PLAN, 0, parts).bootstrap.initdb);
});
