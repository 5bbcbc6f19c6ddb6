import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MAIN_CELL } from "@sabika/service/cells";
import { DATA_VERSION } from "@sabika/service/deployment";
import { formatMicrograms } from "@sabika/protocol";
import { writeInstances } from "@sabika/sidecar";
import { Caller } from "../support/history/caller.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import type { History } from "../support/history/history.ts";
import { makeUnlimited } from "../support/history/unlimited.ts";
import { operatorOf } from "../support/run_operator.ts";
import { admitWithGold, type ServicePartner } from "../support/service_partner.ts";
import {
  openTestStack,
  stackEnvironment,
  type TestStack,
} from "../support/stack/stack_for_tests.ts";
import { makeServerTls } from "../support/test_admin.ts";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { addTestBar } from "../support/test_vault.ts";
import { testRecord } from "../secret_search/record.ts";
import { type Clocks, openClocks } from "./clocks.ts";
import { watchCluster, type WatchedCluster } from "./cluster.ts";
import { MEMBERS_GROUPS, openMembersDisks } from "../faults/cluster_strikes.ts";
import { type Link, openLink } from "../support/link.ts";
import type { RunOptions } from "./options.ts";
import { openPair, type Pair } from "./pairs.ts";
import { openPeople, type PeoplesEnvironments } from "./people.ts";
import { openPlaces, type Places } from "./places.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { openSystemCalls, type SystemCalls } from "./system_calls.ts";
import { openSmallDisk, type SmallDisk } from "../support/small_disk.ts";

/** The stack with the links between its parts, its partners and their receiver. */
export interface StackWorld extends TestStack, Places {
  readonly people: PeoplesEnvironments;
  /** Runs the operator's command on the stack's databases, as one of the people. */
  readonly operator: ReturnType<typeof operatorOf>;
  /** The home cell of each partner, by the partner's id. */
  readonly homes: Map<number, string>;
  /** Partners with plenty of money. */
  readonly rich: readonly Caller[];
  /** A partner with little money. */
  readonly poor: Caller;
  readonly receiver: Receiver;
  /** Undefined without `--ha`. */
  readonly cluster: WatchedCluster | undefined;
  /** Undefined if this machine does not allow mounting them. */
  readonly disks: Disks | undefined;
  /** Undefined without libfaketime. */
  readonly clocks: Clocks | undefined;
  /** The folder of the build that the servers run, which is the run's own; undefined if they run the source. */
  readonly build: string | undefined;
  /** Undefined if this machine does not allow tracing processes. */
  readonly systemCalls: SystemCalls | undefined;
  readonly links: {
    readonly front: Link;
    readonly receivers: Link;
    readonly servers: Link[];
  };
  readonly instances: number;
  /** The folder of the instances' sockets. */
  readonly sockets: string;
  /** Makes Envoy use the links again, after the stack has listed the instances' own sockets. */
  relink(): Promise<void>;
}

interface Disks {
  /** The stack's data folder. */
  readonly dataFolder: string;
  /** Undefined with a cluster, whose members have no disk in common. */
  readonly data: SmallDisk | undefined;
  readonly logs: SmallDisk;
  /** Those of a cluster's members. */
  readonly members: readonly SmallDisk[];
}

const GOLD_MICROGRAMS = 100_000_000_000n;
const INSTANCES = 2;
/** The least number of partners; with many cells there is one partner more than cells. */
const LEAST_PARTNERS = 5;

/** Opens the stack and its surroundings; `close` ends every process. */
export async function openStackWorld(
  history: History,
  { cells: cellCount, built, ha = false }: RunOptions,
): Promise<StackWorld> {
  const closers: (() => Promise<unknown> | void)[] = [];
  const close = async () => {
    for (const closeNext of closers.splice(0).reverse()) await closeNext();
  };
  try {
    const folder = temporaryFolder();
    const build = built === undefined ? undefined : join(folder, "built");
    if (build !== undefined) await cp(built!, build, { recursive: true });
    const disks = await openDisks(ha, closers);
    const names = Array.from({ length: INSTANCES }, (_, n) => `server-${n + 1}`);
    const clocks = await openClocks(folder, [...names, "delivery"]);
    const pairs = new Map<RunningPostgreSQL, Pair>();
    const test = await openTestStack({
      instances: INSTANCES,
      partners: 1,
      cells: cellCount,
      office: { port: 0 },
      dataFolder: disks?.dataFolder ?? temporaryFolder(),
      ...(ha && { ha: { groups: MEMBERS_GROUPS } }),
      ...(build === undefined ? {} : { built: build }),
      ...(clocks === undefined ? {} : { moreEnvironment: clocks.environment }),
      addStandby: cellCount === 0 ? undefined : async (primary, settings) => {
        const pair = await openPair(primary, settings);
        closers.push(() => pair.close());
        pairs.set(primary, pair);
        return pair.url;
      },
    });
    closers.push(() => test.close());
    closers.push(() => Promise.all(Array.from(pairs.values(), (pair) => pair.settle())));
    const { stack } = test;
    const cluster = stack.cluster && await watchCluster(stack.cluster, disks?.members ?? []);
    closers.push(() => cluster?.end());
    const places = await openPlaces(test, pairs, cluster, closers);
    const { links, relink, sockets } = await openLinks(test, closers);
    await stack.rollingRestart();
    await relink();

    const { certificatePem, keyPem } = await makeServerTls(test.admin);
    const secrets = new Map<number, string>();
    const receiver = await openReceiver(
      { certificatePem, privateKeyPem: keyPem },
      (partner) => secrets.get(partner) ?? "whsec_",
    );
    closers.push(() => receiver.close());
    const receivers = await openLink(() => ({ port: receiver.port, host: "127.0.0.1" }));
    closers.push(() => receivers.close());
    const operator = operatorOf(stackEnvironment(test));
    const homes = new Map<number, string>();
    const callers: Caller[] = [];
    closers.push(() => callers.forEach((caller) => caller.close()));
    while (callers.length < Math.max(LEAST_PARTNERS, cellCount + 1)) {
      const clientId = `bank-${callers.length + 1}`;
      const { name: cell } = places.cells[callers.length % cellCount] ?? places.control;
      const partner = await admit(test, operator, { clientId, cell, receiver: receivers.port });
      homes.set(partner.partnerId, cell);
      secrets.set(partner.partnerId, partner.kit.webhookSecret);
      const { baseUrl } = stack;
      callers.push(new Caller(partner, [links.front.port], { history, baseUrl }));
    }
    const people = await openPeople(test, folder);
    const asAmal = { SABIKA_OPERATOR_KEY_FILE: people[0]["SABIKA_OPERATOR_KEY_FILE"]! };
    return {
      ...test,
      ...places,
      people,
      operator: operatorOf({ ...stackEnvironment(test), ...asAmal }),
      homes,
      rich: callers.slice(0, -1),
      poor: callers.at(-1)!,
      receiver,
      cluster,
      disks,
      clocks,
      build,
      systemCalls: await openSystemCalls(),
      instances: INSTANCES,
      sockets,
      relink,
      close,
      links: { ...links, receivers },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Mounts a small disk for the data, unless a cluster has it, and one for the logs within it. */
async function openDisks(
  ha: boolean,
  closers: (() => Promise<unknown> | void)[],
): Promise<Disks | undefined> {
  const data = ha ? undefined : await openSmallDisk();
  if (data !== undefined) closers.push(() => data.remove());
  else if (!ha) return undefined;
  const logs = await openSmallDisk();
  if (logs === undefined) return undefined;
  closers.push(() => {
    testRecord.dataFolder(logs.folder);
    return logs.remove();
  });
  const dataFolder = data?.folder ?? temporaryFolder();
  // The stack accepts a folder that is not empty only if it has a file with its version.
  await writeFile(join(dataFolder, "version"), `${DATA_VERSION}\n`, { mode: 0o600 });
  await symlink(logs.folder, join(dataFolder, "logs"));
  const members = ha ? await openMembersDisks(dataFolder, MEMBERS_GROUPS.length) : [];
  closers.push(() => members.forEach((disk) => disk.remove()));
  return { dataFolder, data, logs, members };
}

/** Opens the links between Envoy and its neighbours. */
async function openLinks(test: TestStack, closers: (() => Promise<unknown> | void)[]) {
  const { port } = new URL(test.stack.baseUrl);
  const front = await openLink(() => ({ port: Number(port), host: "127.0.0.1" }));
  closers.push(() => front.close());
  const { servers, ...more } = await linkInstances(test);
  closers.push(() => Promise.all(servers.map((link) => link.close())));
  return { links: { front, servers }, ...more };
}

/** Opens a link in front of each instance's socket, which Envoy uses instead of the socket. */
async function linkInstances({ stack }: TestStack) {
  const listed = await readFile(join(stack.sidecarFolder, "eds", "service.yaml"), "utf8");
  const sockets = dirname(/path: (.*\.sock)/.exec(listed)![1]!);
  const servers: Link[] = [];
  const paths: string[] = [];
  for (let number = 1; number <= INSTANCES; number++) {
    const path = join(sockets, `link-${number}.sock`);
    const target = { path: join(sockets, `server-${number}.sock`) };
    servers.push(await openLink(() => target, { path }));
    paths.push(path);
  }
  const relink = async () => {
    const addresses = paths.map((path) => ({ address: `unix:${path}` }));
    await writeInstances(stack.sidecarFolder, addresses, crypto.randomUUID());
  };
  return { servers, sockets, relink };
}

/** Admits a partner to a cell, with gold to buy and the receiver as its webhook endpoint. */
async function admit(
  { admin }: TestStack,
  operator: ReturnType<typeof operatorOf>,
  { clientId, cell, receiver }: { clientId: string; cell: string; receiver: number },
): Promise<ServicePartner> {
  const isInControl = cell === MAIN_CELL;
  const gold = isInControl ? GOLD_MICROGRAMS : 0n;
  const partner = await admitWithGold(admin, clientId, gold, { cell });
  const { partnerId } = partner;
  if (!isInControl) {
    await admin.database.sql.begin((sql) => addTestBar(sql, `T${partnerId}`, GOLD_MICROGRAMS));
    await operator("vault", "allocate", clientId, formatMicrograms(GOLD_MICROGRAMS));
  }
  await makeUnlimited(admin, partner, `https://127.0.0.1:${receiver}/${partnerId}`);
  return partner;
}
