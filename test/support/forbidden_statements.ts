const id = () => `'${crypto.randomUUID()}'`;
const key = `'${JSON.stringify({ kty: "EC", crv: "P-256", x: "x", y: "y" })}'`;
const moveOf = (step = "copying") =>
  `insert into partner_moves values (${id()}, 1, 'main', 'b', '${step}', ${id()}, ${id()})`;
/** Divides by zero where no quote is made: a refusal is a result. */
const quoteAt = (side: string, gold: bigint, price: bigint, total: bigint) =>
  `select 1 / (result = 'created')::integer from make_quotes('{1}', array[${id()}::uuid], '{k}', '{x}', '{${side}}', '{${gold}}', '{${price}}',
    '{0}', '{0}', '{0}', '{${total}}', '{NULL}', '{${Date.now()}}', '{1000}')`;
const accounts = "(1,900000000000,0,0,-900000000000,0,0,0,0,0,0,0,0)";
const cellAct = (name: string) =>
  `insert into cell_acts (act_id, cell_id, partner_id, name, subject_id, amount)
    values (${id()}, 'main', 1, '${name}', ${id()}, 9000000)`;

/**
 * Statements that would each change a fact or make a balance, with a role that was stolen: the operator's or a
 * server's (Decision D89). They suppose the partner 1 and the people `idle` and `mallory`.
 */
export const FORBIDDEN: readonly string[] = [
  "update partners set settlement_iban = 'SA4420000001234567891234'",
  "update partners set spread_ppm = 0",
  "update partners set fee_ppm = 0, vat_ppm = 0",
  "update partners set status = 'suspended'",
  "update partners set webhook_url = 'https://mallory.example/'",
  "update partners set open_quotes_limit = 1000000",
  "insert into partners (client_id, name, settlement_iban) values ('mallory', 'M', 'SA0380000000608010167519')",
  "delete from partners",
  "insert into source_addresses values (1, '0.0.0.0/0')",
  "delete from source_addresses",
  "update certificates set revoked_at = now()",
  "update certificates set scope = 'read trade withdraw', token_auth = 'tls_client_auth'",
  "insert into certificates select partner_id, sha256('x'), serial, subject, pem, valid_from, valid_until from certificates",
  "update signing_keys set valid_until = null",
  `insert into signing_keys values (1, 'mallory', ${key}, now())`,
  `insert into client_secrets values (1, ${id()}, sha256('x'), now())`,
  `insert into webhook_secrets values (1, ${id()}, 'x', now())`,
  "update webhook_secrets set sealed_secret = 'x'",
  "update token_keys set valid_until = now()",
  "delete from approval_rules where act = 'withdrawal.completed'",
  `update approval_rules set conditions = '["amount_sar above 1000000"]' where act = 'funding.credit'`,
  `insert into approval_rules values ('vault.allocate', '[]', '["vault"]')`,
  "update office set approval_seconds = 60",
  "update operators set enabled = not enabled",
  "insert into operators (name) values ('eve')",
  "insert into operator_roles select operator_id, 'treasury' from operators",
  "delete from operator_roles",
  `insert into operator_keys (key_id, operator_id, public_jwk, valid_from)
    select 'k', operator_id, ${key}, now() from operators where name = 'mallory'`,
  "update operator_keys set valid_until = now()",
  `insert into operator_identities (operator_id, issuer, subject)
    select operator_id, 'https://login.example', 's' from operators where name = 'mallory'`,
  `insert into operator_links select sha256('token'), operator_id, now() + interval '1 hour'
    from operators where name = 'mallory'`,
  "update price_settings set paused = not paused",
  `update price_settings set source = 'fixed', configuration = '{"mid":"1"}'`,
  "insert into vault_bars values ('B-2', 'R', 9999, 1000000000000)",
  "update vault_bars set removed_at = now()",
  "update vault set bars_micrograms = bars_micrograms + 1000000000000",
  cellAct("funding.credit"),
  cellAct("withdrawal.completed"),
  cellAct("vault.allocate"),
  cellAct("webhook.set"),
  "insert into cells (cell_id) values ('mine')",
  "update cells set state = state",
  `insert into approvals (request_id, requester_id, requested_from, requested_at, expires_at, facts)
    values (${id()}, 1, 'x', now(), now(), '')`,
  "update approvals set state = 'done'",
  "update withdrawals set status = 'completed'",
  "update accounts set cash_halalas = cash_halalas + 1, bank_halalas = bank_halalas - 1",
  "insert into transfers select * from transfers",
  `select credit_fundings('{1}', array[${id()}::uuid], array[${id()}::uuid], '{NULL}', '{NULL}', '{100}', '{NULL}')`,
  `select post_transfer(1, 'SAR', 'bank', 'cash', 1, 'gift', ${id()}::uuid)`,
  `select write_event(1, ${id()}::uuid, 'ping', null, now(), '{}')`,
  "select enable_webhook(1, now())",
  // Moves, by which balances come and go.
  moveOf(),
  moveOf("switched"),
  "update partners set cell_id = 'b'",
  cellAct("partner.leave"),
  cellAct("partner.enter"),
  `select leave_cell(${id()}::uuid, 1, null)`,
  `select await_partner(${id()}::uuid, 1, '${accounts}', (select w::text from webhook_lanes w limit 1))`,
  `select enter_cell(${id()}::uuid, 1, null)`,
  `select recall_move(${id()}::uuid, 2, 'left')`,
  `select clear_after_move(${id()}::uuid, 1)`,
  `select receive_rows(2, 'fundings', '{}')`,
  `select receive_prices('{"(9999999999999000,1,now,now,feed)"}')`,
  "select open_accounts(2)",
  // The books, and what is recorded of them.
  "insert into orders select * from orders",
  "insert into quotes select * from quotes",
  "update quotes set total_halalas = 1",
  "delete from orders",
  "insert into fundings select * from fundings",
  "insert into evidence select * from evidence",
  "update evidence set body = 'x'",
  "insert into prices values (1, 1, now(), now(), 'fixed')",
  "delete from nonces",
  "update balance_checkpoints set cash_halalas = 1",
  "truncate accounts, transfers, orders cascade",
  "copy transfers from stdin",
  "copy partners to program 'cat'",
  quoteAt("buy", 5_000_000n, 4_020_000n, 1n),
  quoteAt("sell", 10_000n, 4_020_000n, 999_999_999_999n),
  "select keep_price('fixed', 1, now(), false)",
  // The log, acts and keys.
  "update audit_log set actor = 'badr'",
  "delete from audit_log",
  "update acts set arguments = '{}'",
  "delete from acts",
  "update deployment set environment = 'sandbox'",
  "insert into deployment (environment, data_version) values ('sandbox', 1)",
  "update sealed_keys set sealed = 'x'",
  "delete from sealed_keys",
  "insert into sealed_keys values ('price_feed_url', 'k', 'x')",
  "update authorities set certificate_pem = 'x'",
  "insert into authorities values ('other', 'x')",
  `select revoke_token(1, ${id()}::uuid, now()) from pg_roles where rolname = session_user
    and pg_has_role(oid, 'sabika_operator', 'MEMBER'); select * from operator_nonces`,
  "update webhook_lanes set in_flight = 1",
  // Other roles, the schema and its triggers.
  "set role sabika_owner",
  "set role sabika_break_glass",
  "set session authorization sabika_owner",
  "grant sabika_owner to current_user",
  "alter table audit_log disable trigger all",
  "alter function is_owner() owner to current_user",
  "create or replace function is_owner() returns boolean language sql as 'select true'",
  "drop trigger partners_by_act on partners",
  "create function public.mine() returns int language sql as 'select 1'",
  "create temp table act_marks (transaction_id xid8, action text, act_id uuid)",
  "alter table accounts drop constraint accounts_cash_not_negative",
  "insert into act_marks select pg_current_xact_id(), 'iban.set'",
  "delete from changed_facts",
  "update audit_head set audit_id = audit_id - 1",
  "set session_replication_role = replica",
  "alter table partners disable trigger partners_by_act",
  "set constraints all deferred; update partners set settlement_iban = 'SA4420000001234567891234'; commit",
];
