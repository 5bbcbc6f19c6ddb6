import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestDatabase } from "../../../test/support/test_database.ts";

const { database: { sql }, close } = await openTestDatabase();
after(close);

/**
 * Every table, and every function with the number of its arguments and of its result's columns, and who may do
 * what with it besides its owner (Decision D48). One that is new belongs here and into `privileges.sql`: decide
 * which role needs it for what. During a rolling upgrade both releases use one database: a function that changes
 * its arguments, its result or their meaning gets a new name, and the old one stays for a release.
 */
const PRIVILEGES = [
  "accounts: app select; operator select; read select",
  "act_marks: operator select",
  "acts: operator insert,select; read select",
  "amount_of(1):",
  "approval_rules: operator delete,insert,select,update; read select",
  "approvals: operator insert,select,update(state decision_id decider_id decided_at reason); read select",
  "audit_entry_hash(7):",
  "audit_facts: operator select; read select",
  "audit_head: app select; operator select; read select",
  "audit_log: operator insert,select; read select",
  "audit_log_audit_id_seq: operator usage",
  "authorities: operator insert,select,update",
  "await_partner(4): operator execute",
  "balance_checkpoints: app select; operator select; read select",
  "balance_round: app select; operator select; read select",
  "balances_at(1) 6: app execute",
  "begin_people(0):",
  "bits_of_number(1):",
  "book_act(2): app execute; operator execute",
  "booked_acts: app select; operator select; read select",
  "cancel_withdrawals(4) 9: app execute",
  "cell_acts: app select; operator insert,select; read select",
  "cells: app select; operator insert,select,update(state); read select",
  "certificates: app select; operator insert,select,update; read select",
  "chain_audit_entry(0):",
  "changed_facts: operator select",
  "changed_rows: operator select",
  "changed_rows_number_seq:",
  "changes_fact(2):",
  "check_act(0):",
  "check_balances(4) 5: app execute",
  "check_decision(0):",
  "check_home(0):",
  "clear_after_move(2): operator execute",
  "client_secrets: app select; operator insert,select,update",
  "close_count(0):",
  "close_days(1): app execute",
  "close_evidence_day(1) 3: app execute",
  "closed_evidence: app select; operator select; read select",
  "condition_holds(6):",
  "credential_warnings: app select; operator select; read select",
  "credit_fundings(7) 7:",
  "day_closings: app select; operator select; read select",
  "decode_base64url(1):",
  "demand_act(0):",
  "demand_move(3):",
  "demand_person(0):",
  "deployment: app select; operator insert,select; read select",
  "digest_keys(0): app execute",
  "drop_evidence(1): app execute",
  "drop_nonce_partitions(1):",
  "drop_partitions(2):",
  "enable_own_webhook(5) 4: app execute",
  "enable_webhook(2):",
  "ensure_attempt_partition(1):",
  "ensure_evidence_partition(1):",
  "ensure_nonce_partition(1):",
  "ensure_partition(5):",
  "ensure_price_partition(1):",
  "enter_cell(3): operator execute",
  "event_deliveries: app insert,select,update(state attempts next_attempt_at leased_until last_attempt_at last_status last_error); operator select; read select",
  "events: app select; operator select; read select",
  "evidence: app select; operator select; read select",
  "evidence_days: app select; operator select; read select",
  "evidence_marks: operator select; read select",
  "evidence_since(0): app execute; operator execute; read execute",
  "fact_image(1):",
  "fact_key(2):",
  "fact_tables(0) 2:",
  "find_reserve_opening(2) 5: app execute",
  "find_rule(5): operator execute",
  "finish_act(2): app execute; operator execute",
  "finish_leaving(1): operator execute",
  "first_event_at(2): app execute; operator execute; read execute",
  "first_id_at(1): app execute; operator execute; read execute",
  "first_transfer_at(2): app execute; operator execute; read execute",
  "follow_version(0):",
  "fund_sandbox(6) 7: app execute",
  "fundings: app select; operator select; read select",
  "gold_for_money(8):",
  "grant_privileges(0):",
  "has_root_key(0): app execute; operator execute",
  "hash_evidence(2) 2: app execute; operator execute; read execute",
  "idempotency_keys: app select; operator select; read select",
  "inverse_modulo(2):",
  "is_act_signed(1): operator execute",
  "is_current_price(3):",
  "is_owner(0): app execute; operator execute",
  "is_plausible_price(2):",
  "keep_administrators(0):",
  "keep_evidence(8): app execute",
  "keep_evidence_mark(2): operator execute",
  "keep_price(5):",
  "keep_receipts(5): app execute",
  "keep_recount(0): operator execute",
  "keep_recount_result(7): operator execute",
  "keep_reserve(7): app execute",
  "keep_reserve_signature(2): app execute",
  "key_bucket(1): app execute; operator execute; read execute",
  "key_digest(1): app execute; operator execute; read execute",
  "key_digests: app select; operator select; read select",
  "key_generation(1): app execute; operator execute; read execute",
  "known_key(2) 4: app execute; operator execute; read execute",
  "knows_partition(2):",
  "leave_cell(3): operator execute",
  "lock_accounts(1): operator execute",
  "maintain_attempt_partitions(1): app execute",
  "maintain_nonce_partitions(1): app execute",
  "maintain_price_partitions(1): app execute",
  "make_evidence_partitions(0): app execute",
  "make_nonce_partitions(1):",
  "make_priced_quotes(11) 21: app execute",
  "make_quotes(14) 16: app execute",
  "margin_hours: operator select; read select",
  "margin_marks: app select; operator select; read select",
  "margin_of(7) 3: app execute; operator execute; read execute",
  "margins_by_hour(3): app execute; operator execute; read execute",
  "moment_of_id(1): app execute; operator execute; read execute",
  "month_at(1) 3: app execute; operator execute; read execute",
  "move_ends: app select(move_id side); operator select; read select",
  "moved_by(3):",
  "nonces: operator select",
  "note_all_rows(0):",
  "note_fact(0):",
  "note_in_history(2):",
  "note_listing(0):",
  "note_price(1): app execute",
  "note_row(0):",
  "note_warning(5): app execute",
  "notification_addresses: operator delete,insert,select,update(address language)",
  "notification_choices: operator insert,select,update(channel)",
  "notification_deliveries: operator insert,select,update(attempts next_attempt_at done_at given_up_at failure)",
  "notification_deliveries_delivery_id_seq:",
  "notifications: operator delete,insert,select,update(ended_at)",
  "notifications_notification_id_seq:",
  "number_of_bytes(1):",
  "office: operator select,update(approval_seconds least_administrators); read select",
  "open_accounts(1): operator execute",
  "open_accounts_of_copy(0):",
  "open_differences(1) 6: app execute; operator execute; read execute",
  "open_pool(0):",
  "operator_challenges: operator delete,insert,select",
  "operator_identities: operator insert,select,update(valid_until)",
  "operator_identities_identity_id_seq:",
  "operator_keys: operator insert,select,update(valid_until); read select",
  "operator_links: operator insert,select,update(used_at)",
  "operator_nonces: operator delete,insert,select",
  "operator_roles: operator delete,insert,select; read select",
  "operator_sessions: operator delete,insert,select,update(last_seen_at)",
  "operators: operator insert,select,update(enabled); read select",
  "operators_operator_id_seq:",
  "orders: app select; operator select; read select",
  "partner_contacts: operator delete,insert,select,update",
  "partner_documents: operator delete,insert,select,update; read select",
  "partner_moves: app select; operator insert,select,update(step ended_at); read select",
  "partners: app select; operator insert,select,update; read select",
  "partners_partner_id_seq:",
  "place_of_cell(0): app execute; operator execute; read execute",
  "place_orders(10) 13: app execute",
  "place_signed_orders(14) 20: app execute",
  "place_withdrawals(8) 10: app execute",
  "pool_version_bars: app select; operator select; read select",
  "pool_version_text(4): app execute; operator execute; read execute",
  "pool_versions: app select; operator insert,select; read select",
  "pool_versions_version_id_seq:",
  "pools: app select; operator insert,select; read select",
  "post_transfer(7):",
  "price_hours: app select; operator select; read select",
  "price_minutes: app select; operator select; read select",
  "price_settings: app select; operator select,update; read select",
  "price_terms(7) 5: app execute; operator execute; read execute",
  "prices: app select; operator select; read select",
  "quotes: app select; operator select; read select",
  "recall_act(2): operator execute",
  "recall_move(3): operator execute",
  "receipt_keys: app select; operator insert,select,update",
  "receipt_marks: app select; operator select; read select",
  "receipts: app select; operator select; read select",
  "receive_prices(1): operator execute",
  "receive_rows(3): operator execute",
  "record_attempts(7): app execute",
  "record_evidence_day(3): app execute",
  "record_price(4): app execute",
  "recount_results: operator select; read select",
  "recounts: operator select; read select",
  "redeliver_events(4):",
  "refuse_change(0):",
  "refuse_in_cell(0):",
  "refuse_late_line(0):",
  "refuse_price(5): app execute",
  "refused_prices: operator select; read select",
  "register_state: app select; operator select,update; read select",
  "report_act(3): app execute; operator execute",
  "request_redelivery(6) 3: app execute",
  "reserve_banks: app select; operator insert,select; read select",
  "reserve_commitment(5):",
  "reserve_openings: operator select",
  "reserve_signatures: app select; operator select; read select",
  "reserves: app select; operator select; read select",
  "revoke_token(3): app execute; operator execute",
  "revoked_tokens: app select; operator select",
  "schema public: app usage; operator usage; read usage",
  "schema_steps: app select; operator select; read select",
  "schema_versions: app select; operator select; read select",
  "sealed_keys: app select; operator delete,insert,select,update",
  "set_pool_of_accounts(0):",
  "short_hash(1): app execute; operator execute; read execute",
  "signature_of_der(1):",
  "signing_keys: app select; operator insert,select,update; read select",
  "simulate_giveaway(3): app execute",
  "simulate_old_quote(5): app execute",
  "simulate_withdrawal(7): app execute",
  "source_addresses: app select; operator delete,insert,select; read select",
  "spend_nonces(3) 2: app execute",
  "stop_allocation(0):",
  "sum_margins(1): app execute",
  "suspend_for_balances(2): app execute",
  "take_balance_round(1): app execute",
  "take_facts(2):",
  "tax_rate(4):",
  "token_keys: app select; operator insert,select,update",
  "trade_keys: app select; operator select; read select",
  "transfers: app select; operator select; read select",
  "vault: operator select,update; read select",
  "vault_bars: operator insert,select,update; read select",
  "vault_count_acceptances: app select; operator insert,select; read select",
  "vault_count_lines: app select; operator insert,select; read select",
  "vault_counts: app select; operator insert,select; read select",
  "verify_es256(4):",
  "webhook_attempts: app select; operator select; read select",
  "webhook_lanes: app select,update(next_sequence attempts next_attempt_at leased_until disabled_at disabled_reason leased_by); operator select,update(in_flight); read select",
  "webhook_secrets: app select; operator insert,select,update",
  "withdrawals: app select; operator select; read select",
  "write_cancellation(5): app execute",
  "write_event(6):",
  "write_warning(4): app execute",
];

test("every table and function belongs to sabika_owner, and has exactly the listed privileges", async () => {
  const rows = await sql<{ owner: string; line: string }[]>`
    with objects as (
      select oid, relname::text as name, relowner as owner, coalesce(relacl, acldefault('r', relowner))
        as acl from pg_class where relnamespace = 'public'::regnamespace
        and relkind not in ('i', 'I', 'S') and not relispartition
      union all select oid, relname, relowner, coalesce(relacl, acldefault('s', relowner)) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'S'
      union all select oid, format('%s(%s)', proname, pronargs) ||
          coalesce(' ' || nullif(cardinality(proargmodes) - pronargs, 0), ''), proowner,
          coalesce(proacl, acldefault('f', proowner))
        from pg_proc where pronamespace = 'public'::regnamespace
      union all select oid, 'schema ' || nspname, nspowner, nspacl from pg_namespace
        where nspname = 'public'
    ), granted as (
      select o.oid, a.grantee, a.privilege_type as privilege from objects o, aclexplode(o.acl) a
      union all
      select attrelid, a.grantee, a.privilege_type || '(' || string_agg(attname, ' ' order by attnum)
        || ')'
      from pg_attribute, aclexplode(attacl) a group by attrelid, a.grantee, a.privilege_type
    ), by_role as (
      select g.oid, g.grantee, case g.grantee when 0 then 'PUBLIC' else g.grantee::regrole::text end
        || ' ' || string_agg(lower(g.privilege), ',' order by g.privilege) as may
      from granted g join objects o using (oid) where g.grantee <> o.owner group by 1, 2
    )
    select o.owner::regrole::text as owner,
      o.name || ':' || coalesce(string_agg(' ' || replace(may, 'sabika_', ''), ';' order by may), '')
        as line
    from objects o left join by_role using (oid) group by o.oid, o.name, o.owner
    order by o.name`;
  assertEquals(rows.map(({ line }) => line), PRIVILEGES);
  assertEquals(rows.filter(({ owner }) => owner !== "sabika_owner"), []);
});

test("functions that a role may call run as the owner, and find only objects of the schema", async () => {
  const rows = await sql<{ name: string }[]>`
    select proname::text as name from pg_proc
    where pronamespace = 'public'::regnamespace and (prosecdef
        or exists (select from aclexplode(proacl) where grantee <> proowner))
      and not (prosecdef and 'search_path=public, pg_temp' = any (proconfig)) order by 1`;
  // These read what their caller may read, and are part of its statements.
  assertEquals(
    rows.map(({ name }) => name).join(" "),
    "first_event_at first_id_at first_transfer_at is_owner key_bucket key_digest key_generation known_key margin_of margins_by_hour moment_of_id month_at " +
      "open_differences place_of_cell pool_version_text price_terms short_hash",
  );
});
