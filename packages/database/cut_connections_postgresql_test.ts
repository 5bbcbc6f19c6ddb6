/**
 * Connections that are cut behind every few bytes of a session's life, from its greeting to the end of
 * its last transaction: each statement is answered with the truth, and the next one works.
 */
import { test } from "node:test";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { assert, assertEquals } from "@std/assert";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { openDatabase } from "./database.ts";
import { type DatabaseTarget, readDatabaseUrl } from "./database_url.ts";
import { classifyFailure, type Failure } from "./failure.ts";
import type { AnySql, Sql } from "./sql.ts";

/** Where a connection is cut: after so much from the server, or to it. */
interface Cut {
  direction: "down" | "up";
  bytes: number;
}

/** Passes bytes on; the next connection is cut as `cut.next` says, the others are left alone. */
async function listen(target: DatabaseTarget, cut: { next: Cut | undefined }): Promise<Server> {
  const server = createServer((near) => {
    const [{ host, port }] = target.servers;
    const far = host.startsWith("/")
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host, port });
    const mine = cut.next;
    cut.next = undefined;
    const pass = (from: Socket, to: Socket, direction: Cut["direction"]) => {
      let left = mine?.direction === direction ? mine.bytes : Infinity;
      from.on("data", (chunk: Uint8Array) => {
        to.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) near.resetAndDestroy();
      });
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    };
    pass(far, near, "down");
    pass(near, far, "up");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** What each part of a session's life came to, and the rows that it is to leave when it was done. */
async function live(sql: Sql, id: number): Promise<(Failure | "done")[]> {
  const insert = (on: AnySql, part: number) => on`insert into parts values (${id}, ${part})`;
  const parts = [
    insert(sql, 0),
    sql.begin(async (tx) => {
      await insert(tx, 1);
      await Promise.all([insert(tx, 1), insert(tx, 1)]);
    }),
    sql<{ n: number }[]>`select n from generate_series(1, 20) n`.then((rows) =>
      assertEquals(rows.map(({ n }) => n), Array.from({ length: 20 }, (_, n) => n + 1))
    ),
    insert(sql, 2),
  ];
  return await Promise.all(parts.map((part) => part.then(() => "done" as const, classifyFailure)));
}

const ROWS = [1, 3, undefined, 1];

test("a connection that is cut at any byte leaves no half transaction and no stuck statement", async (t) => {
  const own = await openTestDatabase();
  const cut: { next: Cut | undefined } = { next: undefined };
  const target = readDatabaseUrl(own.url);
  const server = await listen(target, cut);
  const password = target.password === undefined ? "" : `:${target.password}`;
  const { port } = server.address() as AddressInfo;
  const url = `postgres://${target.user}${password}@127.0.0.1:${port}/${target.database}`;
  const count: Record<string, number> = {};
  try {
    await own.database.sql`create table parts (id integer, part integer)`;
    for (const direction of ["down", "up"] as const) {
      for (let bytes = 1, whole = false; !whole; bytes += 11) {
        const { sql, close } = openDatabase(url, { maxConnections: 1 });
        cut.next = { direction, bytes };
        const endings = await live(sql, bytes);
        const where = `${bytes} bytes ${direction}: ${endings.join(", ")}`;
        // The cut may come here; what follows has another session.
        const one = () => sql<{ one: number }[]>`select 1 as one`.then((rows) => rows[0]?.one);
        const first = await one().catch(classifyFailure);
        assert(first === 1 || first === "lost", `${where}; ${first}`);
        assertEquals(await one(), 1, where);
        await close();
        const rows = await own.database.sql<{ part: number; n: number }[]>`
          with gone as (delete from parts returning part)
          select part, count(*)::integer as n from gone group by part`;
        endings.forEach((ending, index) => {
          count[ending] = (count[ending] ?? 0) + 1;
          const expected = ROWS[index];
          if (expected === undefined) return;
          const n = rows.find(({ part }) => part === [0, 1, -1, 2][index])?.n ?? 0;
          const allowed = ending === "done" ? [expected] : ending === "lost" ? [0, expected] : [0];
          assert(allowed.includes(n), `${where}: ${n} rows of part ${index}`);
        });
        assert(!endings.includes("fatal"), where);
        whole = endings.every((ending) => ending === "done");
        assert(bytes < 20_000, where);
      }
    }
  } finally {
    server.close();
    await own.close();
  }
  t.diagnostic(JSON.stringify(count));
});
