import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DATA_VERSION, makeServerCertificate, updatePartner } from "@sabika/core/partners";
import { type Database, openDatabase } from "@sabika/core/store";
import { writeInstances } from "@sabika/sidecar";
import { Caller } from "../faults/caller.ts";
import { admitWithGold } from "../support/service_partner.ts";
import { openTestStack, type TestStack } from "../support/stack/stack_for_tests.ts";
import { random } from "../support/test_admin.ts";
import { testRecord } from "../secret_search/record.ts";
import { Bank } from "./bank.ts";
import { type Clocks, openClocks } from "./clocks.ts";
import type { History } from "./history.ts";
import { type Link, openLink } from "./link.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { openSmallDisk, type SmallDisk } from "./small_disk.ts";

/** The stack with what stands between its parts, its partners and their receiver. */
export interface StackWorld extends TestStack {
  /** A way of our own to the database, past the link, with all rights. */
  readonly database: Database;
  readonly banks: readonly Bank[];
  readonly receiver: Receiver;
  /** Absent where this machine does not let us make them. */
  readonly disks: Disks | undefined;
  /** Absent where there is no libfaketime. */
  readonly clocks: Clocks | undefined;
  readonly links: {
    readonly front: Link;
    readonly database: Link;
    readonly receivers: Link;
    readonly servers: Link[];
  };
  /** A URL of the database with the rights and the limits of a server, past the link. */
  readonly serverUrl: string;
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
  /** How many partners. */
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
  { instances, banks: count, now, built, isSparing }: WorldChoices,
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
    const test = await openTestStack({
      ...{ instances, partners: 1, dataFolder: disks?.data.folder ?? join(folder, "stack") },
      ...(built === undefined ? {} : { built }),
      ...(clocks === undefined ? {} : { moreEnvironment: clocks.environment }),
    });
    closers.push(() => test.close());
    const { stack } = test;
    const database = openDatabase(stack.databaseUrl, {
      ...{ maxConnections: 8, applicationName: "nemesis" },
    });
    closers.push(() => database.close());
    const { links, serverUrl, relink } = await openLinks(test, instances, closers);
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
    while (banks.length < count) {
      const caller = await admit(
        test,
        `bank-${banks.length + 1}`,
        receivers.port,
        links.front.port,
      );
      secrets.set(caller.partnerId, caller.partner.kit.webhookSecret);
      banks.push(new Bank(caller, history, stack.baseUrl, now));
    }
    return {
      ...test,
      ...{ database, banks, receiver, disks, clocks, serverUrl, instances, relink, close },
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

/** The links of servers with their neighbours, in place once these are started again. */
async function openLinks(
  test: TestStack,
  instances: number,
  closers: (() => Promise<unknown> | void)[],
) {
  const { stack: { baseUrl, postgresql }, dataFolder } = test;
  const front = await openLink(() => ({ port: portOf(baseUrl), host: "127.0.0.1" }));
  closers.push(() => front.close());
  const database = await openLink(() => ({ port: postgresql.port, host: "127.0.0.1" }));
  closers.push(() => database.close());
  const serverUrl = await leadOver(join(dataFolder, "server.url"), database.port);
  const { servers, relink } = await linkInstances(test, instances);
  closers.push(() => Promise.all(servers.map((link) => link.close())));
  return { links: { front, database, servers }, serverUrl, relink };
}

const portOf = (url: string) => Number(new URL(url).port);

/** Makes servers that start from now on come over a port of the loopback; returns the way as it was. */
async function leadOver(file: string, port: number): Promise<string> {
  const url = (await readFile(file, "utf8")).trim();
  await writeFile(file, `${url.replace(/\?.*$/, "")}?host=127.0.0.1&port=${port}\n`);
  return url;
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

/** A partner that buys from a vault of its own, is called at the receiver, and calls through the link. */
async function admit({ admin }: TestStack, clientId: string, receiver: number, port: number) {
  const partner = await admitWithGold(admin, clientId, GOLD_MICROGRAMS);
  const { partnerId } = partner;
  const updated = await updatePartner(admin, clientId, {
    openQuotesLimit: 100_000,
    rateLimits: { token: LIMIT, read: LIMIT, write: LIMIT, signed: LIMIT, nonces: LIMIT },
  });
  if (!updated.ok) throw new Error(`${clientId}: ${updated.code} ${updated.detail}`);
  await admin.database.sql`
    update partners set webhook_url = ${`https://127.0.0.1:${receiver}/${partnerId}`}
    where partner_id = ${partnerId}`;
  return new Caller(partner, [port]);
}
