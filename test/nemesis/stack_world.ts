import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeServerCertificate } from "@sabika/identity/certificates";
import { updatePartner } from "@sabika/office/partners";
import { MAIN_CELL } from "@sabika/service/cells";
import { DATA_VERSION } from "@sabika/service/deployment";
import { formatMicrograms } from "@sabika/protocol";
import { writeInstances } from "@sabika/sidecar";
import { Caller } from "../faults/caller.ts";
import { operatorOf } from "../support/run_operator.ts";
import { admitWithGold } from "../support/service_partner.ts";
import {
  openTestStack,
  stackEnvironment,
  type TestStack,
} from "../support/stack/stack_for_tests.ts";
import { random } from "../support/test_admin.ts";
import type { RunningPostgreSQL } from "../../tools/programs/run_postgresql.ts";
import { addTestBar } from "../support/test_partner.ts";
import { testRecord } from "../secret_search/record.ts";
import { Bank } from "./bank.ts";
import { type Clocks, openClocks } from "./clocks.ts";
import type { History } from "./history.ts";
import { type Link, openLink } from "./link.ts";
import { openPair, type Pair } from "./pairs.ts";
import { openPlaces, type Places } from "./places.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { openSmallDisk, type SmallDisk } from "./small_disk.ts";

/** The stack with what stands between its parts, its partners and their receiver. */
export interface StackWorld extends TestStack, Places {
  /** The operator's command on it. */
  readonly operator: ReturnType<typeof operatorOf>;
  /** The cell in which each bank lives, by their partners' ids. */
  readonly homes: Map<number, string>;
  readonly banks: readonly Bank[];
  readonly receiver: Receiver;
  /** Absent where this machine does not let us make them. */
  readonly disks: Disks | undefined;
  /** Absent where there is no libfaketime. */
  readonly clocks: Clocks | undefined;
  readonly links: {
    readonly front: Link;
    readonly receivers: Link;
    readonly servers: Link[];
  };
  readonly instances: number;
  /** The instance that nothing kills or restarts, so that its memory can be watched; undefined: none. */
  readonly spared: string | undefined;
  /** Puts the links between Envoy and the instances in place again, after the stack named them itself. */
  relink(): Promise<void>;
}

interface Disks {
  readonly data: SmallDisk;
  readonly logs: SmallDisk;
}

export interface WorldChoices {
  readonly instances: number;
  /** How many beside control. */
  readonly cells: number;
  /** How many partners; they are spread over the cells in turn. */
  readonly banks: number;
  readonly now: () => number;
  /** The folder of a build that the instances run; the source when left out. */
  readonly built: string | undefined;
  /** Whether the first instance is neither killed nor restarted. */
  readonly isSparing: boolean;
}

const GOLD_MICROGRAMS = 100_000_000_000n;
const LIMIT = { perSecond: 20_000, burst: 40_000 };

/** Opens all of it; `close` ends every process. */
export async function openStackWorld(
  history: History,
  { instances, cells: cellCount, banks: count, now, built, isSparing }: WorldChoices,
): Promise<StackWorld> {
  const closers: (() => Promise<unknown> | void)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), "sabika-nw-"));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const disks = await openDisks(closers);
    const names = Array.from({ length: instances }, (_, n) => `server-${n + 1}`);
    const clocks = await openClocks(folder, [...names, "delivery"]);
    const pairs = new Map<RunningPostgreSQL, Pair>();
    const test = await openTestStack({
      ...{ instances, partners: 1, cells: cellCount },
      dataFolder: disks?.data.folder ?? join(folder, "stack"),
      ...(built === undefined ? {} : { built }),
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
    const places = await openPlaces(test, pairs, closers);
    const { links, relink } = await openLinks(test, instances, closers);
    await stack.rollingRestart();
    await relink();

    const certificate = await makeServerCertificate({
      ...{ authorities: test.admin.authorities, hosts: ["localhost", "127.0.0.1"] },
      ...{ nowMs: now(), random },
    });
    const secrets = new Map<number, string>();
    const receiver = await openReceiver(certificate, (partner) => secrets.get(partner) ?? "whsec_");
    closers.push(() => receiver.close());
    const receivers = await openLink(() => ({ port: receiver.port, host: "127.0.0.1" }));
    closers.push(() => receivers.close());
    const banks: Bank[] = [];
    closers.push(() => banks.forEach(({ caller }) => caller.close()));
    const operator = operatorOf(stackEnvironment(test));
    const homes = new Map<number, string>();
    while (banks.length < count) {
      const clientId = `bank-${banks.length + 1}`;
      const { name: cell } = places.cells[banks.length % cellCount] ?? places.control;
      const partner = await admit(test, operator, { clientId, cell, receiver: receivers.port });
      const caller = new Caller(partner, [links.front.port]);
      homes.set(caller.partnerId, cell);
      secrets.set(caller.partnerId, caller.partner.kit.webhookSecret);
      banks.push(new Bank(caller, history, stack.baseUrl, now));
    }
    return {
      ...{ ...test, ...places },
      ...{ operator, homes, banks, receiver, disks, clocks, instances, relink, close },
      spared: isSparing ? names[0] : undefined,
      links: { ...links, receivers },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A small disk for the data, and one for the logs in it. */
async function openDisks(closers: (() => Promise<unknown> | void)[]): Promise<Disks | undefined> {
  const data = await openSmallDisk();
  if (data === undefined) return undefined;
  closers.push(() => data.remove());
  const logs = await openSmallDisk();
  if (logs === undefined) return undefined;
  closers.push(() => {
    testRecord.dataFolder(logs.folder);
    return logs.remove();
  });
  // A folder that is not empty is taken for a stack's when it says so.
  await writeFile(join(data.folder, "version"), `${DATA_VERSION}\n`, { mode: 0o600 });
  await symlink(logs.folder, join(data.folder, "logs"));
  return { data, logs };
}

/** The links of Envoy with its neighbours. */
async function openLinks(
  test: TestStack,
  instances: number,
  closers: (() => Promise<unknown> | void)[],
) {
  const { port } = new URL(test.stack.baseUrl);
  const front = await openLink(() => ({ port: Number(port), host: "127.0.0.1" }));
  closers.push(() => front.close());
  const { servers, relink } = await linkInstances(test, instances);
  closers.push(() => Promise.all(servers.map((link) => link.close())));
  return { links: { front, servers }, relink };
}

/** A link before each instance's socket, under names that Envoy is given in place of them. */
async function linkInstances({ stack }: TestStack, count: number) {
  const listed = await readFile(join(stack.sidecarFolder, "eds", "service.yaml"), "utf8");
  const folder = dirname(/path: (.*\.sock)/.exec(listed)![1]!);
  const servers: Link[] = [];
  const paths: string[] = [];
  for (let number = 1; number <= count; number++) {
    const path = join(folder, `link-${number}.sock`);
    servers.push(await openLink(() => ({ path: join(folder, `server-${number}.sock`) }), path));
    paths.push(path);
  }
  const relink = async () => {
    const addresses = paths.map((path) => ({ address: `unix:${path}` }));
    await writeInstances(stack.sidecarFolder, addresses, crypto.randomUUID());
  };
  return { servers, relink };
}

/** A partner that lives in a cell, buys from a vault of its own, and is called at the receiver. */
async function admit(
  { admin }: TestStack,
  operator: ReturnType<typeof operatorOf>,
  { clientId, cell, receiver }: { clientId: string; cell: string; receiver: number },
) {
  const isInControl = cell === MAIN_CELL;
  const partner = await admitWithGold(admin, clientId, isInControl ? GOLD_MICROGRAMS : 0n, {
    cell,
  });
  const { partnerId } = partner;
  if (!isInControl) {
    await admin.database.sql.begin((sql) => addTestBar(sql, `T${partnerId}`, GOLD_MICROGRAMS));
    await operator("vault", "allocate", clientId, formatMicrograms(GOLD_MICROGRAMS));
  }
  const updated = await updatePartner(admin, clientId, {
    openQuotesLimit: 100_000,
    rateLimits: { token: LIMIT, read: LIMIT, write: LIMIT, signed: LIMIT, nonces: LIMIT },
  });
  if (!updated.ok) throw new Error(`${clientId}: ${updated.code} ${updated.detail}`);
  await admin.database.sql`
    update partners set webhook_url = ${`https://127.0.0.1:${receiver}/${partnerId}`}
    where partner_id = ${partnerId}`;
  return partner;
}
