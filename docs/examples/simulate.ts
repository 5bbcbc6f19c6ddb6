/**
 * Meets every failure of docs/simulate.md in the sandbox, handles each, and compares the books:
 *
 *   node tools/run.mjs docs/examples/simulate.ts [KIT]
 *   deno run -A docs/examples/simulate.ts [KIT]
 *
 * It receives the partner's webhooks itself, at the address of the kit.
 */
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import {
  createClient,
  createWebhookReceiver,
  grams,
  openKit,
  type Order,
  riyals,
  SabikaError,
  type SimulationName,
  SIMULATIONS,
  type WriteOptions,
} from "@sabika/client";

const kit = await openKit(process.argv[2] ?? ".sabika/partners/demo");
/** A client with the default retries. */
const client = createClient(kit);
/** A client without retries. */
const impatient = createClient(kit, { retry: { attempts: 1 } });

/** Each delivery, in the order of arrival. */
const deliveries: { id: string; status: number }[] = [];
/** The handled events: the id of the event by the id of its order. */
const handled = new Map<string, string>();
const receive = createWebhookReceiver({
  secrets: [kit.webhookSecret!],
  handle(event) {
    if (event.type === "order.executed") handled.set(event.object.id, event.id);
  },
});
const server = createServer(
  { cert: kit.receiver!.certificatePem, key: kit.receiver!.privateKeyPem },
  async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = { get: (name: string) => request.headers[name]?.toString() };
    const { status } = await receive({ headers, body: Buffer.concat(chunks) });
    deliveries.push({ id: String(headers.get("webhook-id")), status });
    response.writeHead(status).end();
  },
);
const { port, hostname } = new URL(kit.webhookUrl!);
server.listen(Number(port), hostname);
await once(server, "listening");

const met = new Set<SimulationName>();
function note(name: SimulationName, effect: string): void {
  met.add(name);
  console.log(`${name}: ${effect}`);
}

async function quote() {
  return (await client.quote({ side: "buy", goldMicrograms: grams("0.5") })).id;
}

type Call<T> = (by: typeof client, options: WriteOptions) => Promise<T>;

let requested: Promise<unknown> = Promise.resolve();

/** Prepares a call of each kind, which can then be repeated. */
const CALLS: Record<string, () => Promise<Call<unknown>>> = {
  "every request": async () => (by, options) => by.balances(options),
  "GET /v1/prices": async () => (by, options) => by.prices(options),
  "POST /v1/quotes": async () => (by, options) =>
    by.quote({ side: "buy", goldMicrograms: grams("0.5") }, options),
  "POST /v1/orders": async () => orderOf(await quote()),
  "GET /v1/orders/{id}/receipt": async () => {
    const { id } = await client.order({ quoteId: await quote() });
    return (by, options) => by.getReceipt(id, options);
  },
  "POST /v1/withdrawals": async () => (by, options) =>
    by.withdraw({ amountHalalas: riyals("5") }, options),
  "POST /v1/withdrawals/{id}/cancel": async () => {
    const { id } = await client.withdraw({ amountHalalas: riyals("5") });
    return (by, options) => by.cancelWithdrawal(id, options);
  },
  "POST /sandbox/fund": async () => (by, options) =>
    by.fund({ amountHalalas: riyals("5") }, options),
  "POST /v1/signed-probe": async () => (by, options) => by.probe("{}", options),
  "POST /v1/credentials/certificate": async () => {
    const csr = signingRequest();
    // One after another, as only one may be pending.
    return (by, options) =>
      requested = requested.catch(() => {}).then(() => by.requestCertificate({ csr }, options));
  },
};

/** Makes a certificate signing request; its key is thrown away. */
function signingRequest(): string {
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null".split(" ");
  const subject = ["-subj", `/O=Demo Bank/CN=${kit.clientId}`];
  return execFileSync("openssl", ["req", "-new", ...key, ...subject], { encoding: "utf8" });
}

function orderOf(quoteId: Order["quoteId"]): Call<Order> {
  return (by, options) => by.order({ quoteId }, options);
}

/**
 * Makes a call that meets the failure. A busy service may refuse the call for another reason first; then the
 * call is made again with the simulation, which the SDK's own retries would omit.
 */
async function meet<T>(
  name: SimulationName,
  call: Call<T>,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await call(impatient, { simulate: name, idempotencyKey });
    } catch (error) {
      const isOther = error instanceof SabikaError && error.code !== name && name !== "lost_answer";
      if (!isOther) throw error;
      if (!error.retryable || attempt === 6) {
        throw new Error(`${name} gave ${error.code}`, { cause: error });
      }
      await wait((error.retryAfterSeconds ?? 1) * 1_000);
    }
  }
}

/** Meets a failure, and handles it as a program should. */
async function handleCall(name: SimulationName): Promise<void> {
  const { on } = SIMULATIONS[name];
  const route = on === "every request" ? on : on[0]!;
  const call = await CALLS[route]!();
  // Stored before the first attempt: this key makes at most one resource.
  const idempotencyKey = crypto.randomUUID();
  try {
    await meet(name, call, idempotencyKey);
    return note(name, "it is carried out");
  } catch (error) {
    if (!(error instanceof SabikaError)) throw error;
    if (error.retryAfterSeconds !== undefined) await wait(error.retryAfterSeconds * 1_000);
  }
  try {
    // With the same key an attempt that was executed, but not answered, is not repeated.
    await call(client, { idempotencyKey });
    note(name, "repeated under its key, it is carried out");
  } catch (error) {
    // These calls stay refused until the request changes.
    if (!(error instanceof SabikaError) || error.code !== name) throw error;
    await quote();
    const meta = JSON.stringify(error.meta);
    note(name, `it stays refused (${meta}), and the next request is carried out`);
  }
}

async function handleOldQuote(): Promise<void> {
  const request = { side: "buy", goldMicrograms: grams("0.5") } as const;
  const old = await meet("old_quote", (by, options) => by.quote(request, options));
  const refusal = await client.order({ quoteId: old.id }).catch((error) => error);
  if (refusal.code !== "quote_expired") throw new Error(`an old quote gave ${refusal.code}`);
  await client.order({ quoteId: await quote() });
  note("old_quote", "a new quote is asked for and ordered");
}

async function handleWithdrawal(name: SimulationName, end: string): Promise<void> {
  const request = { amountHalalas: riyals("10") };
  const { id } = await meet(name, (by, options) => by.withdraw(request, options));
  let now = await client.getWithdrawal(id);
  for (; now.status !== end; now = await client.getWithdrawal(id)) await wait(250);
  note(name, `${id} is ${now.status}`);
}

async function orderWith(name: SimulationName): Promise<Order> {
  return await meet(name, orderOf(await quote()));
}
async function eventOf(order: Order): Promise<string> {
  while (!handled.has(order.id)) await wait(50);
  return handled.get(order.id)!;
}
const statuses = (id: string) =>
  deliveries.filter((delivery) => delivery.id === id).map((delivery) => delivery.status);

async function handleWebhooks(): Promise<void> {
  const twice = await eventOf(await orderWith("webhook_twice"));
  while (statuses(twice).length < 2) await wait(50);
  note("webhook_twice", `answered with ${statuses(twice).join(" and ")}, and handled once`);

  const placed = Date.now();
  await eventOf(await orderWith("webhook_late"));
  note("webhook_late", `handled ${((Date.now() - placed) / 1_000).toFixed(1)} s after the order`);

  // The second order's quote comes first, because the first order's event is only seconds late.
  const quoteId = await quote();
  const first = await orderWith("webhook_out_of_order");
  const second = await client.order({ quoteId });
  const [later, sooner] = [await eventOf(first), await eventOf(second)];
  const order = deliveries.map(({ id }) => id).filter((id) => id === later || id === sooner);
  if (order[0] !== sooner) throw new Error("the events came in their order");
  note("webhook_out_of_order", "the second order's event was handled before the first one's");

  const forged = await eventOf(await orderWith("webhook_old_secret"));
  if (statuses(forged)[0] !== 401) throw new Error("the old secret was accepted");
  note("webhook_old_secret", `answered with ${statuses(forged).join(" and then ")}`);
}

/** Compares the balances with the sums of the ledger's entries. */
async function compareBooks(): Promise<void> {
  const sums = { cash: 0n, gold: 0n };
  for await (const entry of client.listLedgerEntries({ limit: 100 })) {
    for (const account of ["cash", "gold"] as const) {
      if (entry.creditAccount === account) sums[account] += entry.amount;
      if (entry.debitAccount === account) sums[account] -= entry.amount;
    }
  }
  let ordered = 0n;
  for await (const order of client.listOrders({ limit: 100 })) {
    ordered += order.side === "buy" ? order.goldMicrograms : -order.goldMicrograms;
  }
  const { sarHalalas, goldMicrograms } = await client.balances();
  const isEqual = sums.cash === sarHalalas && sums.gold === goldMicrograms &&
    ordered === goldMicrograms;
  if (!isEqual) throw new Error("the books are not equal");
  console.log(`the books are equal: ${sarHalalas} halalas, ${goldMicrograms} µg`);
}

await client.fund({ amountHalalas: riyals("50000") });
const others = ["old_quote", "withdrawal_failed", "withdrawal_completed_late"];
const isOfWebhooks = (name: string) => name.startsWith("webhook_");
const names = (Object.keys(SIMULATIONS) as SimulationName[])
  .filter((name) => ![...others, "withdrawal_cancelled"].includes(name) && !isOfWebhooks(name));
await Promise.all([
  ...names.map(handleCall),
  handleOldQuote(),
  handleWithdrawal("withdrawal_failed", "failed"),
  handleWithdrawal("withdrawal_completed_late", "completed"),
  handleWithdrawal("withdrawal_cancelled", "cancelled"),
]);
await handleWebhooks();
await compareBooks();
console.log(`all ${met.size} of ${Object.keys(SIMULATIONS).length} failures are handled`);
await Promise.all([client.close(), impatient.close()]);
server.closeAllConnections();
server.close();
