import {
  canonicalString,
  commitBalances,
  encodeUtf8,
  readReserve,
  RESERVE,
  sha256Hex,
} from "@sabika/protocol";
import { createReceiptSigner } from "@sabika/service/receipts";
import { makeReserves, signReserves } from "@sabika/service/reserves";
import { byForce } from "../by_force.ts";
import { random } from "../random.ts";
import { sendRaw } from "../raw_https.ts";
import { BASE_URL, read, signed, write } from "../service_requests.ts";
import { startTestService, type TestService } from "../test_service.ts";
import { addTestBar } from "../test_vault.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What happens to each order: a column of it is altered, its receipt too is made anew, or is another's. */
export const FATES = ["total", "gold", "balance", "remade", "swapped"] as const;
export type Fate = (typeof FATES)[number];

/** An order with what its partner logs of it. */
export interface LoggedOrder {
  readonly id: string;
  readonly answer: string;
  readonly idempotencyKey: string;
  readonly request: { url: string; body: string; timestamp: number; nonce: string; sha256: string };
}

/** What the service answers when the partner asks for all that it keeps. */
export interface Answers {
  readonly orders: Readonly<Record<Fate, string>>;
  readonly receipts: Readonly<Record<Fate, string>>;
  readonly balances: string;
  /** From the first on. */
  readonly versions: readonly string[];
  /** Of two days. */
  readonly reserves: readonly { published: string; mine: string }[];
}

/** What a partner has kept, and what it is answered after rows were altered. */
export interface Altered {
  readonly keys: string;
  readonly orders: Readonly<Record<Fate, LoggedOrder>>;
  readonly kept: Answers;
  readonly answered: Answers;
  /** The versions after their hashes were made anew too. */
  readonly hashedAnew: readonly string[];
}

/**
 * Runs a service on a real PostgreSQL, where a partner trades and keeps everything; then the database's owner alters
 * orders, receipts, balances, bars and reserves with triggers off, has the reserves signed again by the operator's own
 * key, and the partner asks for everything again.
 *
 * @param server the superuser URL of the PostgreSQL
 */
export async function alterService(server: string): Promise<Altered> {
  const service = await startTestService({ server });
  const [bank] = service.partners;
  const token = await service.token(bank);
  try {
    const { sql } = service.test.database;
    await sql.begin((tx) => addTestBar(tx, "T90", 1_000_000_000n));
    await sql.begin((tx) => addTestBar(tx, "T91", 500_000_000n));
    const partner = openPartner(service, token);
    await partner.post("/sandbox/fund", '{"amount_sar":100000}');
    const orders = {} as Record<Fate, LoggedOrder>;
    for (const fate of FATES) orders[fate] = await partner.order();
    const days = await makeDays(service);
    const kept = await partner.ask(orders, days, service.ports[0]!);
    const keys = await partner.get("/.well-known/sabika-receipt-keys.json");
    await alterRows(service, orders);
    await alterReserves(service, days);
    // Another instance: the first has kept texts of versions in memory.
    const other = service.createInstance(() => {});
    const { port } = await other.start();
    const answered = await partner.ask(orders, days, port!);
    await hashVersionsAnew(service);
    const { versions: hashedAnew } = await partner.ask(orders, days, port!);
    await other.stop();
    return { keys, orders, kept, answered, hashedAnew };
  } finally {
    await service.close();
  }
}

/** The first partner of the service, by plain requests whose texts are kept. */
function openPartner(service: TestService, token: string) {
  const [bank] = service.partners;
  const send = async (request: Parameters<typeof sendRaw>[1], port = service.ports[0]!) => {
    const { status, body } = await sendRaw({ ...service.caller(bank), port }, request);
    if (status >= 200 && status <= 299) return body;
    throw new Error(`${request.method} ${request.target} → ${status} ${body}`);
  };
  const get = (target: string, port?: number) => send(read(target, token), port);
  const post = (target: string, body: string) => send(write(target, token, body));

  const placeOrder = async (body: string, idempotencyKey: string, port?: number) => {
    const [timestampSeconds, nonce] = [Math.floor(Date.now() / 1_000), crypto.randomUUID()];
    const headers = { "Idempotency-Key": idempotencyKey };
    const choices = { timestampSeconds, nonce, headers };
    const answer = await send(await signed(bank, "/v1/orders", token, body, choices), port);
    return { answer, timestamp: timestampSeconds, nonce };
  };

  const order = async (): Promise<LoggedOrder> => {
    const quote = JSON.parse(await post("/v1/quotes", '{"side":"buy","gold_grams":1.5}'));
    const body = JSON.stringify({ quote_id: quote.id });
    const idempotencyKey = crypto.randomUUID();
    const { answer, timestamp, nonce } = await placeOrder(body, idempotencyKey);
    const url = `${BASE_URL}/v1/orders`;
    const bodySha256 = await sha256Hex(encodeUtf8(body));
    const text = { method: "POST", url, bodySha256, timestamp: String(timestamp), nonce };
    const sha256 = await sha256Hex(encodeUtf8(canonicalString(text)));
    const request = { url, body, timestamp, nonce, sha256 };
    return { id: JSON.parse(answer).id, answer, idempotencyKey, request };
  };

  const ask = async (
    orders: Readonly<Record<Fate, LoggedOrder>>,
    days: readonly string[],
    port: number,
  ): Promise<Answers> => {
    const { balance } = orders;
    const { version } = JSON.parse(await get("/v1/vault", port));
    const numbers = Array.from({ length: version }, (_, i) => i + 1);
    return {
      orders: {
        ...await ofEach((fate) => get(`/v1/orders/${orders[fate].id}`, port)),
        // Only the answer to the POST has balances.
        balance: (await placeOrder(balance.request.body, balance.idempotencyKey, port)).answer,
      },
      receipts: await ofEach((fate) => get(`/v1/orders/${orders[fate].id}/receipt`, port)),
      balances: await get("/v1/balances", port),
      versions: await Promise.all(numbers.map((n) => get(`/v1/vault/versions/${n}`, port))),
      reserves: await Promise.all(days.map(async (day) => ({
        published: await get(`/v1/reserves/${day}`, port),
        mine: await get(`/v1/reserves/${day}/mine`, port),
      }))),
    };
  };
  return { get, post, order, ask };
}

async function ofEach(ask: (fate: Fate) => Promise<string>): Promise<Record<Fate, string>> {
  const found = {} as Record<Fate, string>;
  for (const fate of FATES) found[fate] = await ask(fate);
  return found;
}

/** Makes all that was done until now three days old, and the reserves of two days since; returns the days. */
async function makeDays(service: TestService): Promise<string[]> {
  const { database } = service.test;
  await byForce(
    database,
    "update transfers set posted_at = posted_at - interval '3 days'",
    "update pool_versions set made_at = made_at - interval '3 days'",
    // The service may have made one at its start.
    "delete from reserve_signatures; delete from reserve_openings; delete from reserves",
  );
  const days = [3, 2].map((ago) =>
    new Date(Date.now() - ago * DAY_MS + 3 * HOUR_MS).toISOString().slice(0, 10)
  );
  const parts = { control: database, cells: [database], random };
  for (const day of days) await makeReserves(parts, Date.parse(day) + 33 * HOUR_MS);
  await signByOperator(service);
  return days;
}

async function signByOperator({ test: { database }, admin: { secrets } }: TestService) {
  let clock = 0;
  const now = () => clock += 60_000;
  await signReserves(database, createReceiptSigner({ control: database, secrets, now }));
}

const uuidOf = ({ id }: LoggedOrder): string => id.slice("ord_".length);

async function alterRows(
  { test: { database }, partners: [{ partnerId }] }: TestService,
  orders: Readonly<Record<Fate, LoggedOrder>>,
): Promise<void> {
  const alter = (fate: Fate, change: string) =>
    `update orders set ${change} where order_id = '${uuidOf(orders[fate])}'`;
  await byForce(
    database,
    alter("total", "total_halalas = total_halalas + 1, fee_halalas = fee_halalas + 1"),
    alter("gold", "gold_micrograms = gold_micrograms - 100"),
    alter("balance", "cash_after_halalas = cash_after_halalas - 1"),
    alter("remade", "gold_after_micrograms = gold_after_micrograms - 100"),
    `delete from receipts where order_id = '${uuidOf(orders.remade)}'`,
    `update receipts set jws = (select jws from receipts where order_id = '${uuidOf(orders.total)}')
      where order_id = '${uuidOf(orders.swapped)}'`,
    `update accounts set gold_micrograms = gold_micrograms - 100,
      allocation_micrograms = allocation_micrograms + 100 where partner_id = ${partnerId}`,
    "update pool_version_bars set place = 'elsewhere' where number = 1",
  );
}

/** Takes a halala from the partner's balances in the first reserve, and makes both reserves and their signatures anew. */
async function alterReserves(service: TestService, days: readonly string[]): Promise<void> {
  const { test: { database }, partners: [bank] } = service;
  const [{ body }, { body: next }] = await database.sql<
    [{ body: string }, { body: string }]
  >`select body from reserves order by day`;
  const [row] = await database.sql<
    { cash: bigint; gold: bigint; salt: string }[]
  >`select cash, gold, salt from find_reserve_opening(${days[
    0
  ]!}::text::date, ${bank.partnerId}::integer)`;
  const hidden = {
    partner: bank.clientId,
    day: days[0]!,
    salt: row!.salt,
    goldMicrograms: row!.gold,
  };
  const was = await commitBalances({ ...hidden, cashHalalas: row!.cash });
  const is = await commitBalances({ ...hidden, cashHalalas: row!.cash - 1n });
  const reserve = readReserve(body);
  const text = RESERVE.write({
    ...reserve,
    commitments: reserve.commitments.map((one) => one === was ? is : one).sort(),
    cash: { ...reserve.cash, obligationsHalalas: reserve.cash.obligationsHalalas - 1n },
  });
  const hash = await sha256Hex(encodeUtf8(text));
  const nextText = RESERVE.write({ ...readReserve(next), previous: hash });
  const nextHash = await sha256Hex(encodeUtf8(nextText));
  await byForce(
    database,
    "delete from reserve_signatures",
    `update reserve_openings set cash_halalas = cash_halalas - 1
      where day = '${days[0]}' and partner_id = ${bank.partnerId}`,
    `update reserves set body = '${text}', hash = '${hash}' where day = '${days[0]}'`,
    `update reserves set body = '${nextText}', hash = '${nextHash}', previous_hash = '${hash}'
      where day = '${days[1]}'`,
  );
  await signByOperator(service);
}

/** Makes the hash of each version anew, as if its list had always been so. */
async function hashVersionsAnew({ test: { database } }: TestService): Promise<void> {
  const versions = await database.sql<{ number: number; kind: string }[]>`
    select number, kind from pool_versions where pool_id = 'main' order by number`;
  let previous: string | null = null;
  for (const { number, kind } of versions) {
    const [row] = await database.sql<{ text: string }[]>`
      select pool_version_text('main', ${number}::integer, ${previous}::text, ${kind}) as text`;
    const hash = await sha256Hex(encodeUtf8(row!.text));
    await byForce(
      database,
      `update pool_versions set hash = '${hash}', previous_hash = ${previous && `'${previous}'`}
        where pool_id = 'main' and number = ${number}`,
    );
    previous = hash;
  }
}
