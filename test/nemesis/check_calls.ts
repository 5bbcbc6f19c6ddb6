import { createHash } from "node:crypto";
import type { Finding, Report } from "./finding.ts";
import type { Call, CallKind } from "./history.ts";
import type { Snapshot } from "./snapshot.ts";

/** An instance whose clock is further from the database's serves nobody (Decision D12). */
const CLOCKS_APART_MS = 1_000;

/** Refusals that come after the nonce was spent (Decision D26): whoever gets one has spent his. */
const AFTER_NONCE = new Set([
  ...["ok", "quote_not_found", "quote_expired", "quote_already_used", "insufficient_funds"],
  ...["insufficient_gold", "inventory_unavailable", "idempotency_key_conflict", "not_found"],
  ...["withdrawal_not_cancellable", "amount_below_minimum", "amount_above_maximum"],
]);

/** What each kind of write makes. */
const MAKES: Partial<Record<CallKind, string>> = {
  quote: "quote",
  order: "order",
  withdrawal: "withdrawal",
  cancel: "withdrawal",
  fund: "funding",
};

/** What can be read off an answer and must be in the row: member, column, digits after the point. */
const MEMBERS: Readonly<Record<string, readonly (readonly [string, string, number | "ms"])[]>> = {
  quote: [
    ["gold_grams", "gold_micrograms", 6],
    ["price_per_gram_sar", "price_ten_thousandths", 4],
    ["fee_sar", "fee_halalas", 2],
    ["vat_sar", "vat_halalas", 2],
    ["total_sar", "total_halalas", 2],
    ["created_at", "created_ms", "ms"],
    ["expires_at", "expires_ms", "ms"],
  ],
  order: [
    ["gold_grams", "gold_micrograms", 6],
    ["price_per_gram_sar", "price_ten_thousandths", 4],
    ["fee_sar", "fee_halalas", 2],
    ["vat_sar", "vat_halalas", 2],
    ["total_sar", "total_halalas", 2],
    ["executed_at", "executed_ms", "ms"],
    ["balances.sar", "cash_after_halalas", 2],
    ["balances.gold_grams", "gold_after_micrograms", 6],
  ],
  withdrawal: [["amount_sar", "amount_halalas", 2]],
  funding: [
    ["amount_sar", "amount_halalas", 2],
    ["balance_sar", "cash_after_halalas", 2],
  ],
};

/** Rows by their ids, keys by partner and hash. */
interface Rows {
  readonly resources: ReadonlyMap<string, { partner: number; kind: string; row: object }>;
  readonly keys: ReadonlyMap<string, Snapshot["keys"][number]>;
  readonly nonces: ReadonlySet<string>;
}

/**
 * Holds what callers were answered against the tables (I4 to I8, I10, I14): what was acknowledged is
 * there, once, with the same bytes each time; what was refused left nothing; a nonce passed once, and
 * is kept; no order came after its quote's end. Calls whose outcome is unknown forbid nothing.
 *
 * The tables must have been read after the last call ended, and hold those of its partners alone.
 */
export function checkCalls(calls: readonly Call[], tables: Snapshot): Finding[] {
  const found: Finding[] = [];
  const report: Report = (invariant, { partner }, what, ...about) =>
    void found.push({ invariant, partner, what, about });
  const rows = rowsOf(tables);
  const asked = new Set<string>();
  for (const attempts of groupedBy(calls, "key").values()) {
    const [{ partner, key }] = attempts as [Call, ...Call[]];
    const keyName = `${partner} ${shortHash(key)}`;
    asked.add(keyName);
    checkKey(attempts, rows.keys.get(keyName), rows, report);
  }
  for (const [name, key] of rows.keys) {
    if (asked.has(name)) continue;
    const what = `${key.kind} ${key.resource_id} was not requested`;
    found.push({ invariant: "I10", partner: key.partner, what, about: [key.resource_id] });
  }
  for (const attempts of groupedBy(calls, "nonce").values()) checkNonce(attempts, rows, report);
  checkQuotes(calls, rows, report);
  checkReads(calls, report);
  for (const call of calls) {
    if (call.status === 500) report("I12", call, `${call.kind} got 500`, call.key, call.nonce);
  }
  return found;
}

/** As SQL's `short_hash`. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function rowsOf(tables: Snapshot): Rows {
  const resources = new Map<string, { partner: number; kind: string; row: object }>();
  const add = (kind: string, rows: readonly { partner: number; id: string }[]) => {
    for (const row of rows) resources.set(row.id, { partner: row.partner, kind, row });
  };
  add("quote", tables.quotes);
  add("order", tables.orders);
  add("withdrawal", tables.withdrawals);
  add("funding", tables.fundings);
  return {
    resources,
    keys: new Map(tables.keys.map((key) => [`${key.partner} ${key.key_hash}`, key])),
    nonces: new Set(tables.nonces.map(({ partner, nonce_hash }) => `${partner} ${nonce_hash}`)),
  };
}

function groupedBy(calls: readonly Call[], by: "key" | "nonce"): Map<string, Call[]> {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    if (call[by] === "") continue;
    const name = `${call.partner} ${call[by]}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [call]);
    else group.push(call);
  }
  return groups;
}

/** I5, I6, I8, I10: all attempts under one key against what the key made. */
function checkKey(
  attempts: readonly Call[],
  key: Snapshot["keys"][number] | undefined,
  rows: Rows,
  report: Report,
): void {
  const [first] = attempts as [Call];
  const good = attempts.filter(({ outcome }) => outcome === "ok");
  const [answered] = good;
  if (answered === undefined) {
    if (key !== undefined && attempts.every(({ outcome }) => outcome === "fail")) {
      report("I10", first, `${first.kind} was refused and is there`, first.key, key.resource_id);
    }
    return;
  }
  const say = (invariant: string, what: string) =>
    report(invariant, answered, `${answered.kind} ${what}`, answered.key, idIn(answered.answer));
  if (good.some(({ answer }) => answer !== answered.answer)) say("I5", "was answered in two ways");
  if (good.filter(({ isReplay }) => !isReplay).length > 1) say("I5", "was made twice");
  const first200 = good.every(({ isReplay }) => isReplay) &&
    attempts.every(({ outcome }) => outcome !== "unknown");
  if (first200) say("I5", "was replayed before it was made");
  const id = idIn(answered.answer);
  const made = rows.resources.get(id);
  if (made !== undefined && made.partner !== answered.partner) {
    say("I8", `was answered with what partner ${made.partner} made`);
  } else if (key === undefined || made === undefined) {
    say("I6", "was acknowledged and is lost");
  } else if (key.resource_id !== id || key.kind !== MAKES[answered.kind]) {
    say("I5", `was answered as ${id} and is ${key.kind} ${key.resource_id}`);
  } else {
    const wrong = differing(answered.answer, made.kind, made.row);
    if (wrong !== undefined) say("I14", `was answered with another ${wrong} than it has`);
  }
}

/** The uuid in an answer's id. */
function idIn(answer: string): string {
  const { id } = JSON.parse(answer) as { id?: string };
  return id?.slice(id.indexOf("_") + 1) ?? "";
}

function differing(answer: string, kind: string, row: object): string | undefined {
  const members = JSON.parse(answer);
  const columns = row as Readonly<Record<string, bigint>>;
  const found = MEMBERS[kind]!.find(([path, column, digits]) => {
    const value = path.split(".").reduce((value, name) => value?.[name], members);
    // A cancellation shows the withdrawal; a quote by id has more than its row.
    if (value === undefined) return false;
    const minor = digits === "ms"
      ? BigInt(Date.parse(value))
      : BigInt(Math.round(Number(value) * 10 ** digits));
    return minor !== columns[column];
  });
  return found?.[0];
}

/** I7: of all calls with one nonce one passes, and it is kept. */
function checkNonce(attempts: readonly Call[], rows: Rows, report: Report): void {
  const passed = attempts.filter(({ code }) => AFTER_NONCE.has(code));
  const [first] = passed;
  if (first === undefined) return;
  const codes = passed.map(({ kind, code }) => `${kind} ${code}`).join(", ");
  if (passed.length > 1) {
    report("I7", first, `a nonce passed more than once: ${codes}`, first.nonce);
  }
  if (!rows.nonces.has(`${first.partner} ${shortHash(first.nonce)}`)) {
    report("I7", first, `the nonce of ${codes} is not kept`, first.nonce);
  }
}

/** I4, I14: a quote has one order at most, which has its terms and was asked for before its end. */
function checkQuotes(calls: readonly Call[], rows: Rows, report: Report): void {
  const orders = new Map<string, Call>();
  const beganMs = new Map<string, number>();
  for (const call of calls) {
    if (call.kind !== "order") continue;
    const name = `${call.partner} ${call.key}`;
    if (!beganMs.has(name)) beganMs.set(name, call.startMs);
    if (call.outcome !== "ok") continue;
    const { quote_id } = JSON.parse(call.answer) as { quote_id: string };
    const quoteId = quote_id.slice(3);
    const before = orders.get(quoteId);
    if (before !== undefined && idIn(before.answer) !== idIn(call.answer)) {
      report("I4", call, `quote ${quoteId} was executed twice`, quoteId, before.key, call.key);
    }
    orders.set(quoteId, call);
    const quote = rows.resources.get(quoteId)?.row as { expires_ms: bigint } | undefined;
    if (quote === undefined) continue;
    // The earliest attempt may be the one that was carried out.
    const lateMs = beganMs.get(name)! - Number(quote.expires_ms);
    if (lateMs > CLOCKS_APART_MS) {
      report("I14", call, `an order came ${lateMs} ms after its quote's end`, call.key, quoteId);
    }
  }
}

/** I6: who was answered finds it from then on. */
function checkReads(calls: readonly Call[], report: Report): void {
  const knownMs = new Map<string, number>();
  for (const { partner, outcome, endMs, answer, key } of calls) {
    if (key === "" || outcome !== "ok") continue;
    const name = `${partner} ${idIn(answer)}`;
    knownMs.set(name, Math.min(endMs, knownMs.get(name) ?? Infinity));
  }
  for (const call of calls) {
    if (call.kind !== "read" || call.status !== 404) continue;
    const id = call.body.slice(call.body.indexOf("_") + 1);
    if ((knownMs.get(`${call.partner} ${id}`) ?? Infinity) < call.startMs) {
      report("I6", call, `${call.body} was acknowledged and is not found`, id);
    }
  }
}
