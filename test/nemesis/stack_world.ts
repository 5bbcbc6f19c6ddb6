import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeServerCertificate, updatePartner } from "@sabika/core/partners";
import { type Database, openDatabase } from "@sabika/core/store";
import { writeInstances } from "@sabika/sidecar";
import { Caller } from "../faults/caller.ts";
import { admitWithGold } from "../support/service_partner.ts";
import { openTestStack, type TestStack } from "../support/stack/stack_for_tests.ts";
import { random } from "../support/test_admin.ts";
import { Bank } from "./bank.ts";
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
  /** Absent where this machine does not let us make one. */
  readonly disk: SmallDisk | undefined;
  readonly links: { readonly front: Link; readonly database: Link; readonly servers: Link[] };
  /** A URL of the database with the rights and the limits of a server, past the link. */
  readonly serverUrl: string;
  readonly instances: number;
  /** Puts the links between Envoy and the instances in place again, after the stack named them itself. */
  relink(): Promise<void>;
}

const GOLD_MICROGRAMS = 100_000_000_000n;
const LIMIT = { perSecond: 20_000, burst: 40_000 };

/** Opens all of it; `close` ends every process. */
export async function openStackWorld(
  history: History,
  { instances, banks: count, now }: { instances: number; banks: number; now: () => number },
): Promise<StackWorld> {
  const closers: (() => Promise<unknown> | void)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const disk = await openSmallDisk();
    closers.push(() => disk?.remove());
    const test = await openTestStack({
      ...{ instances, partners: 1 },
      ...(disk === undefined ? {} : { dataFolder: disk.folder }),
    });
    closers.push(() => test.close());
    const { stack, dataFolder } = test;

    const own = openDatabase(stack.databaseUrl, { maxConnections: 8, applicationName: "nemesis" });
    closers.push(() => own.close());

    const front = await openLink(() => ({ port: portOf(stack.baseUrl), host: "127.0.0.1" }));
    closers.push(() => front.close());
    const { postgresql } = stack;
    const database = await openLink(() => ({ port: postgresql.port, host: "127.0.0.1" }));
    closers.push(() => database.close());
    const serverUrl = await leadOver(join(dataFolder, "server.url"), database.port);
    const { servers, relink } = await linkInstances(test, instances);
    closers.push(() => Promise.all(servers.map((link) => link.close())));
    await stack.rollingRestart();
    await relink();

    const certificate = await makeServerCertificate({
      ...{ authorities: test.admin.authorities, hosts: ["localhost", "127.0.0.1"] },
      ...{ nowMs: now(), random },
    });
    const secrets = new Map<number, string>();
    const receiver = await openReceiver(certificate, (partner) => secrets.get(partner) ?? "whsec_");
    closers.push(() => receiver.close());
    const banks: Bank[] = [];
    closers.push(() => banks.forEach(({ caller }) => caller.close()));
    while (banks.length < count) {
      const caller = await admit(test, `bank-${banks.length + 1}`, receiver.port, front.port);
      secrets.set(caller.partnerId, caller.partner.kit.webhookSecret);
      banks.push(new Bank(caller, history, stack.baseUrl, now));
    }
    const world = {
      ...test,
      database: own,
      banks,
      receiver,
      disk,
      serverUrl,
      instances,
      relink,
      close,
    };
    return { ...world, links: { front, database, servers } };
  } catch (error) {
    await close();
    throw error;
  }
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
  await updatePartner(admin, clientId, {
    openQuotesLimit: 1_000_000,
    rateLimits: { token: LIMIT, read: LIMIT, write: LIMIT, signed: LIMIT, nonces: LIMIT },
  });
  await admin.database.sql`
    update partners set webhook_url = ${`https://127.0.0.1:${receiver}/${partnerId}`}
    where partner_id = ${partnerId}`;
  return new Caller(partner, [port]);
}
