import { openTestDatabase } from "../test_database.ts";
import { byForce } from "../by_force.ts";
import { at } from "./book.ts";
import { IDS, NOW, ORDERS, PRICES, SECOND, SINCE } from "./names.ts";
import { writePartner } from "./write_partner.ts";

/** Versions of pools, in the order of their ids: pool, number, when it was made. */
const VERSIONS = [
  ["main", 1, "2023-01-01T00:00:00Z"],
  // Ten minutes before the last order that names the version before, and after the first one that names this.
  ["main", 2, "2024-06-15T08:49:59Z"],
  ["main", 3, "2024-06-15T10:10:00Z"],
  ["second", 1, "2022-01-01T00:00:00Z"],
  ["second", 2, "2022-02-01T00:00:00Z"],
] as const;

/** What is there for all partners: prices, versions of pools, and a clock that stands still. */
const SHARED = `
  create function public.now() returns timestamptz language sql stable as $$
    select coalesce(nullif(current_setting('sabika.now', true), ''), '${at(NOW)}')::timestamptz $$;
  create table old_prices partition of prices for values from (minvalue) to (${NOW * 1_000});
  create table nonces_${SINCE / SECOND - 1_200} partition of nonces
    for values from (${SINCE / SECOND - 1_200}) to (${NOW / SECOND});
  create table nonces_${NOW / SECOND} partition of nonces for values from (${NOW / SECOND}) to (${
  NOW / SECOND + 1
});
  ${
  Object.values(PRICES).map(([number, mid]) => {
    const time = `to_timestamp(${Math.trunc(number / 1_000_000)})`;
    return `insert into prices values (${number}, ${mid}, ${time}, ${time}, 'feed');`;
  }).join("\n")
}
  update schema_steps set applied_at = '2024-02-01' where name = '0003_recorded_prices';
  insert into pools (pool_number, pool_id) values (2, 'second');
  insert into pool_versions (version_id, pool_id, number, previous_hash, kind, hash, fine_micrograms, made_at)
  overriding system value values ${
  VERSIONS.map(([pool, number, made], n) => {
    const hash = `'${String(n).padStart(64, "0")}'`;
    return `(${n + 1}, '${pool}', ${number}, ${
      number === 1 ? "null" : hash
    }, 'add', ${hash}, 1, '${made}')`;
  }).join()
};
  insert into partners (partner_id, client_id, name, settlement_iban) overriding system value
  select n, 'partner-' || n, 'Test', 'SA0380000000608010167519' from generate_series(1, 4) n;
  insert into accounts (partner_id) values (4)`;

/**
 * Opens a ledger without differences that is written row by row, so that everything has a known time, id and transaction:
 * three partners, and one that has nothing yet.
 */
export async function openWrittenLedger() {
  const { database, close } = await openTestDatabase({ maxConnections: 1 });
  await byForce(database, SHARED);
  await database.sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    for (const partnerId of [1, 2, 3]) {
      const { rows } = await writePartner(tx, partnerId);
      for (const [table, list] of Object.entries(rows)) {
        await tx.unsafe(
          `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`,
          [JSON.stringify(list)],
        );
      }
    }
  });
  // An order with its event and nonce in a transaction of its own, and one that was written anew and has no nonce.
  const { taxed, untaxed } = IDS.orders;
  const secondsOf = (name: "taxed" | "untaxed") => Date.parse(ORDERS[name].at) / SECOND;
  await byForce(
    database,
    `update orders set side = side where partner_id = 1 and order_id = '${taxed}';
    update events set type = type where partner_id = 1 and resource_id = '${taxed}';
    update nonces set partner_id = 1 where partner_id = 1 and timestamp_seconds = ${
      secondsOf("taxed")
    }`,
  );
  await byForce(
    database,
    `update orders set side = side where partner_id = 2 and order_id = '${untaxed}';
    delete from nonces where partner_id = 2 and timestamp_seconds = ${secondsOf("untaxed")}`,
  );
  return { database, close };
}
