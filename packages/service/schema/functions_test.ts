import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";

const { database, close } = await openTestDatabase();
after(close);

/**
 * What the running code of an earlier release may call. During a rolling upgrade both releases use
 * one database: give a function that changes its arguments, its result or their meaning a new name,
 * and keep the old one for a release.
 */
const PROMISED = [
  "audit_entry_hash(7) 0",
  "await_partner(4) 0",
  "book_act(2) 0",
  "cancel_withdrawals(4) 9",
  "check_balances(4) 5",
  "clear_after_move(2) 0",
  "close_days(1) 0",
  "create_quotes(13) 15",
  "credit_fundings(7) 7",
  "digest_keys(0) 0",
  "drop_nonce_partitions(1) 0",
  "enable_own_webhook(5) 4",
  "enable_webhook(2) 0",
  "ensure_attempt_partition(1) 0",
  "ensure_nonce_partition(1) 0",
  "enter_cell(3) 0",
  "finish_act(2) 0",
  "finish_leaving(1) 0",
  "first_event_at(2) 0",
  "first_transfer_at(2) 0",
  "fund_sandbox(6) 7",
  "grant_privileges(0) 0",
  "has_root_key(0) 0",
  "keep_recount(0) 0",
  "keep_recount_result(7) 0",
  "key_bucket(1) 0",
  "key_digest(1) 0",
  "key_generation(1) 0",
  "known_key(2) 4",
  "leave_cell(3) 0",
  "lock_accounts(1) 0",
  "maintain_attempt_partitions(1) 0",
  "maintain_nonce_partitions(1) 0",
  "make_nonce_partitions(1) 0",
  "make_quotes(14) 16",
  "note_price(1) 0",
  "note_warning(5) 0",
  "open_accounts(1) 0",
  "place_orders(10) 13",
  "place_withdrawals(8) 10",
  "post_transfer(7) 0",
  "recall_act(2) 0",
  "recall_move(3) 0",
  "receive_rows(3) 0",
  "record_attempts(7) 0",
  "redeliver_events(4) 0",
  "report_act(3) 0",
  "request_redelivery(6) 3",
  "revoke_token(3) 0",
  "short_hash(1) 0",
  "simulate_old_quote(5) 0",
  "simulate_withdrawal(7) 0",
  "spend_nonces(3) 2",
  "suspend_for_balances(2) 0",
  "take_balance_round(1) 0",
  "warn_expiring(7) 0",
  "write_cancellation(5) 0",
  "write_event(6) 0",
  "write_warning(4) 0",
];

test("the functions are those that the last release calls", async () => {
  const rows = await database.sql<{ signature: string }[]>`
    select format('%s(%s) %s', proname, pronargs, greatest(cardinality(proargmodes) - pronargs, 0))
      as signature
    from pg_proc where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
    order by 1`;
  assertEquals(rows.map((row) => row.signature), PROMISED);
});

test("housekeeping makes partitions ahead and drops whole ones that are past", async () => {
  const { sql } = database;
  const now = 1_800_000_000n;
  const one = async (statement: PromiseLike<{ n: number }[]>) => (await statement)[0]!.n;
  assertEquals(await one(sql`select make_nonce_partitions(${now}) as n`), 6);
  assertEquals(await one(sql`select make_nonce_partitions(${now}) as n`), 0);
  const start = now - now % 21_600n;
  assertEquals(await one(sql`select drop_nonce_partitions(${start}) as n`), 1);
  assertEquals(await one(sql`select drop_nonce_partitions(${start + 21_599n}) as n`), 0);
  assertEquals(await one(sql`select drop_nonce_partitions(${start + 21_600n}) as n`), 1);
});
