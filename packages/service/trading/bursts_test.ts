import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatId } from "@sabika/protocol";
import { each } from "../../../test/support/each.ts";
import { sized } from "../../../test/support/sized.ts";
import { codeOf, openTestMarket, value } from "../../../test/support/test_market.ts";
import { admitTestPartner, type TestPartner } from "../../../test/support/test_partner.ts";
import type { SignedNonce } from "../batches/commands.ts";
import { digestKeys } from "../idempotency/digest_keys.ts";
import { reconcile } from "../ledger/reconcile.ts";

const { database, app, trading, batches, close } = await openTestMarket();
after(close);

/** Around the sizes at which something could change: powers of two, and the largest batch. */
const SIZES = [1, 2, 7, 8, 9, 16, 63, 64, 65];
/** A nonce is repeated under these other timestamps, in the same partition and in others. */
const SHIFTS = [0, 1, -300, -21_600, 40 * 21_600];
/** A partner with so many keys is about to end its first generation (Decision D29). */
const OLD_KEYS = 249_980;
const KINDS = ["order", "quote", "withdrawal", "funding"] as const;
type Kind = typeof KINDS[number];

/** What a request takes over from an earlier one of its partner. */
const WAYS = [
  ...each("new new new new again again key nonce nonce bytes quote theirs foreign late"),
  "in time",
];
const UNKNOWN_QUOTE = formatId("qt", crypto.randomUUID());

interface Item {
  readonly way: string;
  readonly partner: 0 | 1;
  /** Which earlier request, counted over all of the partner's. */
  readonly earlier: number;
  readonly shift: number;
}

interface Burst {
  readonly kind: Kind;
  readonly items: readonly Item[];
}

/** The parts of a request that decide its outcome. */
interface Request {
  readonly kind: Kind;
  readonly key: string;
  readonly nonce: SignedNonce;
  /** A quote's id for an order, an amount for anything else. */
  readonly subject: string;
  readonly receivedAtMs: number;
}

const item: fc.Arbitrary<Item> = fc.record({
  way: fc.constantFrom(...WAYS),
  partner: fc.constantFrom(0, 1),
  earlier: fc.nat(200),
  shift: fc.constantFrom(...SHIFTS),
});

/** Bursts of one size: orders, others, and orders again. */
const bursts = (length: number): fc.Arbitrary<Burst[]> => {
  const items = fc.array(item, { minLength: length, maxLength: length });
  const burst = (kind: fc.Arbitrary<Kind>) => fc.record({ kind, items });
  const orders = burst(fc.constant("order"));
  return fc.tuple(orders, burst(fc.constantFrom(...KINDS)), orders);
};

/** What a partner should find, if its requests had come one after the other. */
class Model {
  readonly bank: TestPartner;
  readonly requests: Request[] = [];
  readonly nonces = new Set<string>();
  /** What each key stands for. */
  readonly keys = new Map<string, string>();
  readonly used = new Set<string>();
  /** The moment when each quote ends. */
  readonly quotes = new Map<string, number>();
  /** Quotes that are kept for a request. */
  readonly free: string[] = [];
  orders = 0;
  quoted = 0;

  constructor(bank: TestPartner) {
    this.bank = bank;
  }

  expect({ kind, key, nonce, subject, receivedAtMs }: Request): string {
    const isSigned = kind === "order" || kind === "withdrawal";
    if (isSigned && this.nonces.has(nonce.value)) return "nonce_reused";
    if (isSigned) this.nonces.add(nonce.value);
    const known = this.keys.get(key);
    if (known !== undefined) {
      return known === `${kind} ${subject}` ? "replayed" : "idempotency_key_conflict";
    }
    if (kind === "order") {
      const expiresAtMs = this.quotes.get(subject);
      if (expiresAtMs === undefined) return "quote_not_found";
      if (this.used.has(subject)) return "quote_already_used";
      if (receivedAtMs >= expiresAtMs) return "quote_expired";
      this.used.add(subject);
      this.orders += 1;
    }
    if (kind === "quote") this.quoted += 1;
    this.keys.set(key, `${kind} ${subject}`);
    return "ok";
  }
}

/** Makes a request that takes over what its way says from an earlier one. */
function requestOf({ way, earlier, shift }: Item, kind: Kind, model: Model, other: Model): Request {
  const { requests, quotes, free } = model;
  const nowMs = Date.now();
  const fresh: Request = {
    kind,
    key: crypto.randomUUID(),
    nonce: { value: crypto.randomUUID(), timestampSeconds: Math.floor(nowMs / 1_000) },
    subject: kind === "order" ? free.shift()! : String(100_000 + requests.length),
    receivedAtMs: nowMs,
  };
  const before = requests.length > 0 ? requests[earlier % requests.length]! : fresh;
  const timestampSeconds = before.nonce.timestampSeconds + shift;
  const nonce = { ...before.nonce, timestampSeconds };
  // An order is of a quote, anything else of an amount.
  const isAlike = (before.kind === "order") === (kind === "order");
  const subject = isAlike ? before.subject : fresh.subject;
  if (way === "again") return { ...fresh, key: before.key, subject };
  if (way === "bytes") return { ...fresh, key: before.key, subject, nonce };
  if (way === "key") return { ...fresh, key: before.key };
  if (way === "nonce") return { ...fresh, nonce };
  const theirs = other.requests.at(-1) ?? fresh;
  if (way === "theirs") return { ...fresh, key: theirs.key, nonce: theirs.nonce };
  if (kind !== "order") return fresh;
  if (way === "quote") return { ...fresh, subject };
  if (way === "foreign") return { ...fresh, subject: other.free[0] ?? UNKNOWN_QUOTE };
  const expiresAtMs = quotes.get(fresh.subject)!;
  if (way === "late") return { ...fresh, receivedAtMs: expiresAtMs };
  return way === "in time" ? { ...fresh, receivedAtMs: expiresAtMs - 1 } : fresh;
}

async function send({ bank }: Model, { kind, key, nonce, subject, receivedAtMs }: Request) {
  const parameters = `POST\n/v1/${kind}s\n\n${subject}`;
  const given = { idempotencyKey: key, parameters, receivedAtMs };
  if (kind === "order") return await trading.order(bank.order(subject, { ...given, nonce }));
  const amount = BigInt(subject);
  if (kind === "quote") return await trading.quote(bank.quote({ goldMicrograms: amount }, given));
  if (kind === "funding") return await trading.fund(bank.fund(amount, given));
  return await trading.withdraw(bank.withdraw(amount, { ...given, nonce }));
}

/** Sends a burst at once, and compares each answer with the model's. */
async function carryOut({ kind, items }: Burst, models: Model[], first: Map<string, unknown>) {
  if (kind === "order") await makeQuotes(models, items);
  const sent = items.map((item) => {
    const model = models[item.partner]!;
    const request = requestOf(item, kind, model, models[1 - item.partner]!);
    model.requests.push(request);
    return { model, request, way: item.way, expected: model.expect(request) };
  });
  const outcomes = await Promise.all(sent.map(({ model, request }) => send(model, request)));
  for (const [index, outcome] of outcomes.entries()) {
    const { model, request, way, expected } = sent[index]!;
    const got = outcome.ok && outcome.replayed ? "replayed" : codeOf(outcome);
    assertEquals(`${way} ${kind}: ${got}`, `${way} ${kind}: ${expected}`);
    if (!outcome.ok) continue;
    const name = `${model.bank.partnerId} ${request.key}`;
    if (!outcome.replayed) first.set(name, outcome.value);
    assertEquals(outcome.value, first.get(name) as typeof outcome.value);
  }
}

/** Makes a quote for each item. */
async function makeQuotes(models: Model[], items: readonly Item[]): Promise<void> {
  await Promise.all(items.map(async ({ partner }) => {
    const model = models[partner]!;
    const { id, expiresAtMs } = value(await trading.quote(model.bank.quote()));
    model.quotes.set(id, expiresAtMs);
    model.free.push(id);
    model.quoted += 1;
  }));
}

test("requests that come at once are answered as if they came one after the other", async () => {
  const admit = () =>
    admitTestPartner(database, {
      cashHalalas: 10_000_000_000n,
      settings: { openQuotesLimit: 10_000, vatPpm: 150_000n, goldVatPpm: 50_000n },
    });
  const property = async (bursts: readonly Burst[]) => {
    const models = [new Model(await admit()), new Model(await admit())];
    const aged = models[1]!.bank.partnerId;
    await database.sql`update accounts set last_key = ${OLD_KEYS} where partner_id = ${aged}`;
    const first = new Map<string, unknown>();
    for (const burst of bursts) {
      await carryOut(burst, models, first);
      await digestKeys(app);
    }
    for (const { bank: { partnerId }, orders, quoted, nonces } of models) {
      const [row] = await database.sql`
        select (select count(*)::int from orders where partner_id = ${partnerId}) as orders,
          (select count(*)::int from nonces where partner_id = ${partnerId}) as nonces,
          open_quotes, last_key::int from accounts where partner_id = ${partnerId}`;
      const before = partnerId === aged ? OLD_KEYS : 0;
      const counts = { open_quotes: quoted - orders, last_key: before + quoted + orders };
      assertEquals({ ...row }, { orders, nonces: nonces.size, ...counts });
    }
  };
  for (const size of SIZES) {
    await fc.assert(fc.asyncProperty(bursts(size), property), {
      numRuns: sized(2, 30),
      interruptAfterTimeLimit: sized(20_000, 300_000),
    });
  }
  assertEquals(await reconcile(database), []);
  assert(Math.max(...batches) > 32, "no batch was large");
});
