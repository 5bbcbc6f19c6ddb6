import { sqlFile } from "@sabika/database";
import { assertEquals } from "@std/assert";
import { at } from "../../../test/support/ledger/book.ts";
import {
  isOrder,
  onFunding,
  onOrder,
  onQuote,
  onWithdrawal,
} from "../../../test/support/ledger/conditions.ts";
import { assertFound, findDifferences } from "../../../test/support/ledger/find_differences.ts";
import { IDS, ORDERS, SECOND, SINCE } from "../../../test/support/ledger/names.ts";
import { openWrittenLedger } from "../../../test/support/ledger/written_ledger.ts";
import { after, test } from "node:test";

const { database, close } = await openWrittenLedger();
after(close);
const statement = await sqlFile("statements/ledger_differences.sql", import.meta.url)();

const COLUMNS = "partner_id, key_hash, fingerprint, resource_id, created_at, resource_kind";
/** Gives what has a key a second one. */
const addKey = (table: string, where: string) =>
  `insert into ${table} (${COLUMNS}${table === "trade_keys" ? ", generation" : ""})
    select ${COLUMNS.replace("key_hash", "substr(sha256(key_hash), 1, 16)")}
    ${table === "trade_keys" ? ", generation" : ""} from only ${table} where ${where} limit 1`;
const isKeyOfOrder = `resource_kind = 'order' and ${onOrder("first")}`;
const nonceOf = (ms: number) => `timestamp_seconds = ${ms / SECOND}`;
/** That of the order `first`. */
const slowNonce = `timestamp_seconds = ${SINCE / SECOND - 600}`;

test("what has no Idempotency-Key, too many, or one of another kind is found", () =>
  assertFound(database, statement, [
    ["lost keys of orders and quotes", [
      `delete from trade_keys where ${onOrder("lost")} or ${onOrder("taxed", 2)}
        or ${onQuote("keyed", 3)}`,
      `delete from trade_keys where resource_kind = 'quote' and ${onQuote("early")}`,
    ], [
      "keys 1 quote first 1 0; keys 2 order taxed 1 0; keys 3 quote keyed 1 0",
      "whole: keys 1 order lost 1 0",
    ]],
    ["lost keys of withdrawals and fundings", [
      `delete from idempotency_keys where ${onWithdrawal("pending")} or ${onFunding("keyed", 2)}
        or ${onWithdrawal("cancelled", 2)} or ${onWithdrawal("processing", 3)} or ${
        onFunding("new", 3)
      }`,
    ], [
      "keys 2 withdrawal cancelled 1 0; keys 3 funding new 1 0; keys 3 withdrawal processing 1 0",
      "whole: keys 1 withdrawal pending 1 0; keys 2 funding keyed 1 0",
    ]],
    ["one key more", [
      addKey("idempotency_keys", onWithdrawal("pending")),
      addKey("idempotency_keys", onWithdrawal("processing")),
      addKey("idempotency_keys", onWithdrawal("cancelled")),
      addKey("idempotency_keys", onFunding("new", 3)),
      addKey("trade_keys", onQuote("taxed", 2)),
    ], [
      "keys 1 withdrawal cancelled 1 3; keys 1 withdrawal processing 1 2; keys 2 quote taxed 1 2",
      "keys 3 funding new 1 2",
      "whole: keys 1 withdrawal pending 1 2",
    ]],
    ["another kind", [
      `update trade_keys set resource_kind = 'quote'
        where resource_kind = 'order' and ${onOrder("taxed")}`,
    ], ["keys 1 order taxed 1 0"]],
    ["a key in two generations", [
      `insert into trade_keys (${COLUMNS}, generation) select ${COLUMNS}, 1 from trade_keys
        where ${onOrder("taxed")} or ${onOrder("last", 2)}`,
    ], [
      "whole: keys 1 key 00000000000000000000000000000017 1 2; keys 1 order taxed 1 2",
      "whole: keys 2 key 00000000000000000000000000000009 1 2; keys 2 order last 1 2",
    ]],
    ["a key that is not in a generation", [
      `with k as (delete from trade_keys where ${isKeyOfOrder} returning *)
        insert into idempotency_keys select ${COLUMNS} from k`,
    ], []],
  ]));

test("a recount of new rows reads no keys from before, and no generations", () =>
  assertFound(database, statement, [
    ["the generation that a recount kept", [
      "update recounts set first_generation = 3 where partner_id = 1",
    ], ["new: keys 1 order first 1 0"]],
    ["a generation that began over ten minutes before", [
      `update trade_keys set created_at = created_at - interval '1 ms' where ${onQuote("late")}`,
      // It is still the generation's first row.
      `update trade_keys set generation = 3 where partner_id = 1 and generation = 3
        and not (${onQuote("late")})`,
    ], ["new: keys 1 order first 1 0"]],
    ["old keys", [
      `update trade_keys set created_at = '${at(SINCE - 1)}' where ${isKeyOfOrder}`,
      `update idempotency_keys set created_at = '${at(SINCE - 1)}' where ${
        onWithdrawal("processing")
      }`,
    ], ["new: keys 1 order first 1 0; keys 1 withdrawal processing 1 0"]],
    ["a recount that was kept long ago", [
      "update recounts set since = now() - interval '40 days' where partner_id = 1",
    ], [
      "new: fundings 1 keyed 1100 0; fundings 1 keyless 1000 0; orders 1 last 43385 0",
      "new: withdrawals 1 pending 500 0",
    ]],
  ]));

test("an order's lost nonce is found, as long as one transaction wrote both", () =>
  assertFound(database, statement, [
    ["one of two orders", [`delete from nonces where partner_id = 1 and ${slowNonce}`], [
      "nonces 1 orders of a transaction 2 1",
    ]],
    ["that of a transaction's only order", [
      `delete from nonces where partner_id = 1 and ${nonceOf(Date.parse(ORDERS.taxed.at))}`,
    ], ["nonces 1 orders of a transaction 1 0"]],
    ["all of one partner", ["delete from nonces where partner_id = 3"], [
      "nonces 3 orders of a transaction 3 0",
    ]],
    ["an order whose event is no order's", [
      `update orders set side = side where ${isOrder("untaxed")}`,
      `update events set type = 'withdrawal.completed' where ${onOrder("untaxed")}`,
      `delete from nonces where partner_id = 1 and ${nonceOf(Date.parse(ORDERS.untaxed.at))}`,
    ], ["whole: events 1 order.executed 8 7", "new: events 1 order.executed 3 2"]],
  ]));

test("nonces count that were signed at most ten minutes before the earliest recount that is kept", async () => {
  const both = "partner_id in (2, 3)";
  const [all, second] = await findDifferences(database, statement, [[null, true], [2, true]], [
    // In one transaction.
    `update orders set side = side where ${both} and order_id = '${IDS.orders.first}'`,
    `update events set type = type where ${both} and resource_id = '${IDS.orders.first}'`,
    `update nonces set timestamp_seconds = timestamp_seconds - 1 where ${both} and ${slowNonce}`,
  ]);
  assertEquals(all, ["unpriced 3 orders 0 2"]);
  assertEquals(second, ["nonces 2 orders of a transaction 1 0"]);
});
