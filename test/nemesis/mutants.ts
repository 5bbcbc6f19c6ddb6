import type { Sql } from "@sabika/database";
import { each } from "../support/each.ts";

/** A deliberate defect in a database's copy of the product's SQL. */
export interface Mutant {
  readonly name: string;
  /** The functions to change, by name, each with the texts to replace. */
  readonly functions: Readonly<Record<string, readonly (readonly [string | RegExp, string])[]>>;
  /** Constraints that would prevent the mutant's effect; they are dropped so that the checker must find it. */
  readonly without?: readonly (readonly [table: string, constraint: string])[];
}

const LOCK =
  /PERFORM 1 FROM accounts WHERE partner_id = ANY \(p_partner_ids\)\s+ORDER BY partner_id FOR NO KEY UPDATE;/;
const LOCK_OF_ONE =
  "PERFORM pg_sleep(0.02); PERFORM 1 FROM accounts a WHERE a.partner_id = v.partner_id FOR NO KEY UPDATE;";

const WRITES = each(
  "place_signed_orders make_priced_quotes place_withdrawals credit_fundings spend_nonces",
);

/** The mutants in SQL; the one in the server's source is in the test. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "a refused request does not spend its nonce",
    functions: {
      place_signed_orders: [["WHERE u.spend;", "WHERE u.spend AND r_result[u.at] = 'booked';"], [
        /FROM unnest\(r_partner, r_timestamp, r_nonce, r_spend\)\s+AS u \(partner_id, timestamp_seconds, nonce_hash, spend\)/,
        "FROM unnest(r_partner, r_timestamp, r_nonce, r_spend) WITH ORDINALITY AS u (partner_id, timestamp_seconds, nonce_hash, spend, at)",
      ]],
    },
  },
  {
    name: "keys of orders are ignored in batches of more than eight",
    functions: {
      place_signed_orders: [[
        "known_key(i.partner_id, i.key_hash) k ON true",
        "known_key(i.partner_id, i.key_hash) k ON cardinality(p_order_ids) <= 8",
      ]],
    },
  },
  {
    name: "an order's nonce is fresh again under another timestamp",
    functions: {
      place_signed_orders: [[
        "s.nonce_hash = i.nonce_hash",
        "s.nonce_hash = i.nonce_hash AND s.timestamp_seconds = i.timestamp_seconds",
      ]],
    },
  },
  {
    name: "the key is looked up before the lock",
    functions: {
      credit_fundings: [
        [LOCK, ""],
        [
          "UPDATE accounts a SET cash_halalas = a.cash_halalas + v.amount",
          `${LOCK_OF_ONE} UPDATE accounts a SET cash_halalas = a.cash_halalas + v.amount`,
        ],
        [
          "v.funding_id, v_now, 'funding');",
          "v.funding_id, v_now, 'funding') ON CONFLICT DO NOTHING;",
        ],
      ],
    },
  },
  {
    name: "the balance is checked outside of the transaction that takes it",
    functions: {
      place_withdrawals: [
        [LOCK, ""],
        [
          "UPDATE accounts a SET cash_halalas = a.cash_halalas - v.amount",
          `PERFORM 1 FROM accounts a WHERE a.partner_id = v.partner_id AND a.cash_halalas >= v.amount;
           IF FOUND THEN PERFORM pg_sleep(0.02); v_enough := v.amount; ELSE v_enough := NULL; END IF;
           UPDATE accounts a SET cash_halalas = a.cash_halalas - v.amount`,
        ],
        [
          "AND a.cash_halalas >= v.amount\n    RETURNING",
          "AND v_enough IS NOT NULL\n    RETURNING",
        ],
        ["v_now timestamptz;", "v_now timestamptz; v_enough bigint;"],
      ],
    },
    without: [["accounts", "accounts_cash_not_negative"]],
  },
  {
    name: "the answer goes out before the commit is on the disk",
    functions: Object.fromEntries(
      WRITES.map((
        name,
      ) => [name, [[LOCK, `PERFORM set_config('synchronous_commit', 'off', true); $&`]]]),
    ),
  },
  {
    name: "the event is written outside of the order's transaction",
    functions: {
      place_signed_orders: [[
        "FROM unnest(r_item, r_partner, r_result, r_event) AS u (item, partner_id, result, event)\n    WHERE u.result = 'booked';",
        "FROM unnest(r_item, r_partner, r_result, r_event) AS u (item, partner_id, result, event)\n    WHERE false;",
      ]],
    },
  },
  {
    name: "another partner's result under the same key is replayed",
    functions: {
      place_signed_orders: [
        [
          "known_key(i.partner_id, i.key_hash) k ON true",
          `(SELECT * FROM idempotency_keys f WHERE f.key_hash = i.key_hash
             ORDER BY f.partner_id = i.partner_id DESC LIMIT 1) k ON true`,
        ],
        ["quotes q ON q.partner_id = i.partner_id AND q.quote_id", "quotes q ON q.quote_id"],
        ["orders o ON o.partner_id = u.partner_id AND o.order_id", "orders o ON o.order_id"],
      ],
    },
  },
];

/**
 * Applies a mutant to a database.
 *
 * @returns a function that restores the original
 * @throws Error if a text does not occur exactly once, and so would not be replaced
 */
export async function mutate(sql: Sql, mutant: Mutant): Promise<() => Promise<void>> {
  const undo: string[] = [];
  for (const [name, changes] of Object.entries(mutant.functions)) {
    const [row] = await sql<{ source: string }[]>`
      select pg_get_functiondef(oid) as source from pg_proc where proname = ${name}`;
    const { source } = row!;
    let mutated = source;
    for (const [text, instead] of changes) {
      const parts = mutated.split(text);
      if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} of ${text}`);
      mutated = mutated.replace(text, instead);
    }
    undo.push(source);
    await sql.unsafe(mutated);
  }
  for (const [table, constraint] of mutant.without ?? []) {
    const [row] = await sql<{ source: string }[]>`
      select pg_get_constraintdef(oid) as source from pg_constraint where conname = ${constraint}`;
    // The mutant's rows remain, so the constraint is added for later rows only.
    undo.push(`alter table ${table} add constraint ${constraint} ${row!.source} not valid`);
    await sql.unsafe(`alter table ${table} drop constraint ${constraint}`);
  }
  return async () => {
    for (const statement of undo) await sql.unsafe(statement);
  };
}
