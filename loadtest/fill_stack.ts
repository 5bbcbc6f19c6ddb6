/**
 * Writes a long past for the first partner of a running stack, and a tenth of it for the other partners
 * together, so that k6 can measure a grown database. Only for a stack that is thrown away, because the money
 * and gold have no source.
 *
 *   npm run stack -- --partners 4 --data FOLDER
 *   node --import tsx loadtest/fill_stack.ts --data FOLDER --orders 10000000
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "@sabika/database";
import { fill } from "./bench/world/fill.ts";
import { givePlenty } from "./bench/world/give_plenty.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: ".stack" },
    orders: { type: "string", default: "10000000" },
  },
});
const orders = Number(values.orders);
if (!Number.isInteger(orders) || orders < 1000) throw new Error("--orders takes 1000 or more");

const database = openDatabase(await socketUrl(join(values.data, "postgresql")), {
  maxConnections: 2,
});
try {
  const partners = await database.sql<{ partnerId: number }[]>`
    select partner_id as "partnerId" from accounts order by partner_id`;
  await givePlenty(database);
  const others = Math.ceil(orders / 10 / Math.max(1, partners.length - 1));
  const pasts = partners.map(({ partnerId }, at) => ({
    partnerId,
    orders: at === 0 ? orders : others,
    perNonce: 30,
  }));
  let reported = 0;
  await fill(database.sql, pasts, Math.floor(Date.now() / 1000), (done) => {
    if (done - reported < 1_000_000) return;
    reported = done;
    console.log(`stored ${done}`);
  });
  const [{ stored }] = await database.sql<[{ stored: bigint }]>`
    select count(*) as stored from orders`;
  console.log(`${stored} orders, ${orders} of them of the first partner`);
} finally {
  await database.close();
}

/** Returns the superuser's URL of the PostgreSQL that runs in a folder; its lock file has socket and port. */
async function socketUrl(folder: string): Promise<string> {
  const lines = (await readFile(join(folder, "postmaster.pid"), "utf8")).split("\n");
  const [port, socketFolder] = [lines[3], lines[4]];
  return `postgres://sabika@/postgres?host=${encodeURIComponent(socketFolder!)}&port=${port}`;
}
