import { createHash } from "node:crypto";
import { Books, type Finding, grouped } from "./books.ts";
import { type Call, type CallKind, isReceipt } from "./history.ts";
import type { Snapshot } from "./snapshot.ts";
import { each } from "../each.ts";

/** The largest difference between the clocks of a serving instance and its database (Decision D12). */
const CLOCKS_APART_MS = 1_000;

/** Codes of refusals that come after the nonce was spent (Decision D26). */
const AFTER_NONCE = new Set(each(`
  ok quote_not_found quote_expired quote_already_used insufficient_funds insufficient_gold
  inventory_unavailable idempotency_key_conflict not_found withdrawal_not_cancellable
  amount_below_minimum amount_above_maximum`));

/** The kind of resource that each kind of write makes. */
const MAKES: Partial<Record<CallKind, string>> = {
  quote: "quote",
  order: "order",
  withdrawal: "withdrawal",
  cancel: "withdrawal",
  fund: "funding",
};

type Member = readonly [path: string, column: string, digits: number | "ms"];

/** The terms that a quote and its order have in common. */
const TERMS: readonly Member[] = [
  ["gold_grams", "gold_micrograms", 6],
  ["price_per_gram_sar", "price_ten_thousandths", 4],
  ["fee_sar", "fee_halalas", 2],
  ["vat_sar", "vat_halalas", 2],
  ["total_sar", "total_halalas", 2],
];

/** Members of an answer that must agree with the row. */
const MEMBERS: Readonly<Record<string, readonly Member[]>> = {
  quote: [...TERMS, ["created_at", "created_ms", "ms"], ["expires_at", "expires_ms", "ms"]],
  order: [
    ...TERMS,
    ["executed_at", "executed_ms", "ms"],
    ["balances.sar", "cash_after_halalas", 2],
    ["balances.gold_grams", "gold_after_micrograms", 6],
  ],
  withdrawal: [["amount_sar", "amount_halalas", 2]],
  funding: [["amount_sar", "amount_halalas", 2], ["balance_sar", "cash_after_halalas", 2]],
};

/**
 * Compares answers with the tables (I4 to I8, I10, I14): acknowledged resources exist once and were
 * answered with the same bytes each time; refused calls left no rows; a nonce passed once and is stored;
 * no order came after its quote's expiry. Calls with an unknown outcome prove nothing.
 *
 * @param tables read after the last call ended, with the rows of the calls' partners only
 * @param settledMs epoch milliseconds from which on no earlier call was in flight; a later refusal
 *   therefore decides that its key made nothing
 */
export function checkCalls(
  calls: readonly Call[],
  tables: Snapshot,
  settledMs = Infinity,
): Finding[] {
  const check = new CallCheck(tables, settledMs);
  const requested = new Set<string>();
  for (
    const attempts of grouped(calls.filter(({ key }) => key !== ""), ({ key }) => key).values()
  ) {
    const [{ partner, key }] = attempts as [Call];
    const name = `${partner} ${shortHash(key)}`;
    requested.add(name);
    check.key(attempts, check.keys.get(name));
  }
  for (const [name, key] of check.keys) {
    const { kind, resource_id } = key;
    if (requested.has(name)) continue;
    check.books.report("I10", key, `${kind} ${resource_id} was not requested`, resource_id);
  }
  const signed = calls.filter(({ nonce }) => nonce !== "");
  for (const attempts of grouped(signed, ({ nonce }) => nonce).values()) check.nonce(attempts);
  check.quotes(calls);
  check.reads(calls);
  check.receipts(calls);
  for (const call of calls) {
    const { kind, status, key, nonce } = call;
    if (status === 500) check.books.report("I12", call, `${kind} got 500`, key, nonce);
  }
  return check.books.found;
}

/** Hashes as the SQL function `short_hash` does. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

interface Resource {
  readonly partner: number;
  readonly kind: string;
  readonly row: object;
}

class CallCheck {
  readonly books: Books;
  readonly keys: ReadonlyMap<string, Snapshot["keys"][number]>;
  readonly #settledMs: number;
  readonly #resources = new Map<string, Resource>();
  readonly #nonces: ReadonlySet<string>;

  constructor(tables: Snapshot, settledMs: number) {
    this.books = new Books(tables);
    this.#settledMs = settledMs;
    this.keys = new Map(tables.keys.map((key) => [`${key.partner} ${key.key_hash}`, key]));
    this.#nonces = new Set(tables.nonces.map((row) => `${row.partner} ${row.nonce_hash}`));
    const { quotes, orders, withdrawals, fundings } = tables;
    for (const row of [...quotes, ...orders, ...withdrawals, ...fundings]) {
      const { partner, id } = row;
      this.#resources.set(id, { partner, kind: this.books.kinds.get(`${partner} ${id}`)!, row });
    }
  }

  /** Compares all attempts under a key with the resource that the key made (I5, I6, I8, I10). */
  key(attempts: readonly Call[], key: Snapshot["keys"][number] | undefined): void {
    const [first] = attempts as [Call];
    const good = attempts.filter(({ outcome }) => outcome === "ok");
    const [answered] = good;
    if (answered === undefined) {
      if (key !== undefined && this.#isRefused(attempts)) {
        const what = `${first.kind} was refused and is there`;
        this.books.report("I10", first, what, first.key, key.resource_id);
      }
      return;
    }
    const id = idIn(answered.body);
    const report = (invariant: string, what: string) =>
      this.books.report(invariant, answered, `${answered.kind} ${what}`, answered.key, id);
    if (good.some(({ body }) => body !== answered.body)) report("I5", "was answered in two ways");
    const made = good.filter(({ isReplay }) => !isReplay).length;
    if (made > 1) report("I5", "was made twice");
    if (made === 0 && attempts.every(({ outcome }) => outcome !== "unknown")) {
      report("I5", "was replayed before it was made");
    }
    const acknowledgedMs = Math.min(...good.map(({ endMs }) => endMs));
    const forgotten = attempts.find(({ kind, input, startMs, code }) =>
      kind === answered.kind && input === answered.input && code !== "ok" &&
      AFTER_NONCE.has(code) &&
      // Whoever used the quote has the key.
      (startMs > acknowledgedMs || code === "quote_already_used")
    );
    if (forgotten) report("I5", `was acknowledged, and refused with ${forgotten.code}`);
    const resource = this.#resources.get(id);
    if (resource !== undefined && resource.partner !== answered.partner) {
      report("I8", `was answered with what partner ${resource.partner} made`);
    } else if (key === undefined || resource === undefined) {
      report("I6", "was acknowledged and is lost");
    } else if (key.resource_id !== id || key.kind !== MAKES[answered.kind]) {
      report("I5", `was answered as ${id} and is ${key.kind} ${key.resource_id}`);
    } else {
      const wrong = findDiffering(answered.body, resource);
      if (wrong !== undefined) report("I14", `was answered with another ${wrong} than it has`);
    }
  }

  /** Returns whether no attempt under a key can have had an effect. */
  #isRefused(attempts: readonly Call[]): boolean {
    const { outcome, code, startMs } = attempts.at(-1)!;
    // A conflict means that another request under the key had an effect.
    const isLastWord = outcome === "fail" && code !== "idempotency_key_conflict";
    return attempts.every((attempt) => attempt.outcome === "fail") ||
      (isLastWord && startMs >= this.#settledMs);
  }

  /** Checks that of all calls with a nonce at most one passes, and the nonce is stored (I7). */
  nonce(attempts: readonly Call[]): void {
    const passed = attempts.filter(({ code }) => AFTER_NONCE.has(code));
    const [first] = passed;
    if (first === undefined) return;
    const { partner, nonce } = first;
    const codes = passed.map(({ kind, code }) => `${kind} ${code}`).join(", ");
    if (passed.length > 1) {
      this.books.report("I7", first, `a nonce passed more than once: ${codes}`, nonce);
    }
    if (!this.#nonces.has(`${partner} ${shortHash(nonce)}`)) {
      this.books.report("I7", first, `the nonce of ${codes} is not kept`, nonce);
    }
  }

  /** Checks that a quote has at most one order, which was requested before its expiry (I4, I14). */
  quotes(calls: readonly Call[]): void {
    const orders = new Map<string, Call>();
    const beganMs = new Map<string, number>();
    for (const call of calls) {
      if (call.kind !== "order") continue;
      const name = `${call.partner} ${call.key}`;
      if (!beganMs.has(name)) beganMs.set(name, call.startMs);
      if (call.outcome !== "ok") continue;
      const { quote_id } = JSON.parse(call.body) as { quote_id: string };
      const id = quote_id.slice(3);
      const before = orders.get(id);
      if (before !== undefined && idIn(before.body) !== idIn(call.body)) {
        this.books.report("I4", call, `quote ${id} was executed twice`, id, before.key, call.key);
      }
      orders.set(id, call);
      const quote = this.#resources.get(id)?.row as { expires_ms: bigint } | undefined;
      if (quote === undefined) continue;
      // The earliest attempt may be the one that was executed.
      const lateMs = beganMs.get(name)! - Number(quote.expires_ms);
      if (lateMs > CLOCKS_APART_MS) {
        const what = `an order came ${lateMs} ms after its quote's end`;
        this.books.report("I14", call, what, call.key, id);
      }
    }
  }

  /** Checks that a resource which an answer has shown is found by later reads (I6). */
  reads(calls: readonly Call[]): void {
    const knownMs = new Map<string, number>();
    for (const { partner, outcome, endMs, body, key } of calls) {
      if (key === "" || outcome !== "ok") continue;
      const name = `${partner} ${idIn(body)}`;
      knownMs.set(name, Math.min(endMs, knownMs.get(name) ?? Infinity));
    }
    for (const call of calls) {
      const { kind, status, input, partner, startMs } = call;
      if (kind !== "read" || status !== 404) continue;
      const id = input.slice(input.indexOf("_") + 1).replace("/receipt", "");
      if ((knownMs.get(`${partner} ${id}`) ?? Infinity) < startMs) {
        this.books.report("I6", call, `${input} was acknowledged and is not found`, id);
      }
    }
  }

  /** Checks that a receipt is signed once (I5); a receipt that is still being made is no answer (202). */
  receipts(calls: readonly Call[]): void {
    const signed = calls.filter((call) => isReceipt(call) && call.status === 200);
    for (const [first, ...others] of grouped(signed, ({ input }) => input).values()) {
      if (others.some(({ body }) => body !== first!.body)) {
        this.books.report("I5", first!, `${first!.input} was answered in two ways`);
      }
    }
  }
}

/** Returns the UUID in an answer's id; empty without an id. */
function idIn(body: string): string {
  const { id } = JSON.parse(body) as { id?: string };
  return id?.slice(id.indexOf("_") + 1) ?? "";
}

/** Returns the first member of an answer that differs from the row; undefined if all agree. */
function findDiffering(body: string, { kind, row }: Resource): string | undefined {
  const members = JSON.parse(body);
  const columns = row as Readonly<Record<string, bigint>>;
  const found = MEMBERS[kind]!.find(([path, column, digits]) => {
    const value = path.split(".").reduce((object, name) => object?.[name], members);
    // Not every answer has every member.
    if (value === undefined) return false;
    const minor = digits === "ms"
      ? BigInt(Date.parse(value))
      : BigInt(Math.round(Number(value) * 10 ** digits));
    return minor !== columns[column];
  });
  return found?.[0];
}
