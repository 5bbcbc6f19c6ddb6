/**
 * `call_operations.ts DAY KIT [PROGRAM MODULE ENGINE]`: calls every operation of the API with the SDK, against a
 * running sandbox that has the reserve of a day; names those that were not called, and exits with 1 if there are some.
 * PROGRAM is kit_of_hsm.mjs of docs/examples, where the kit's keys are in a token.
 */
import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import { createClient, grams, type Kit, openKit, riyals, SabikaError } from "@sabika/client";
import { ROOT } from "../rules/repository_files.ts";

const UNKNOWN = "cr_01a1f85e-29a6-7440-a1da-ccc3cd98406e";
const unlessRefused = (code: string) => (error: unknown) => {
  if (!(error instanceof SabikaError && error.code === code)) throw error;
};

const [reserveDay, folder, program, ...token] = process.argv.slice(2) as [
  string,
  string,
  string?,
  ...string[],
];
const kit: Kit = program === undefined
  ? await openKit(folder)
  : await (await import(program)).openKitOfHsm(folder, ...token, process.env["PKCS11_PIN"]);
const requests: { method: string; path: string }[] = [];
const client = createClient(kit, {
  observe: ({ method, url }) => requests.push({ method, path: new URL(url).pathname }),
});
try {
  await client.fund({ amountHalalas: riyals("1000") });
  const amountHalalas = riyals("100.50");
  await client.scenario({ funding: { amountHalalas, comes: "later", afterSeconds: 0 } });
  const quote = await client.quote({ side: "buy", goldMicrograms: grams("1") });
  const order = await client.order({ quoteId: quote.id });
  const withdrawal = await client.withdraw({ amountHalalas: riyals("1") });
  await client.cancelWithdrawal(withdrawal.id);
  if (!isAbsolute(kit.privateKeyEngine ?? "")) await client.reload({ ...kit });
  const leaving = new AbortController();
  const streamed = client.streamEvents({ afterSequence: 0 }, { signal: leaving.signal });
  const { value: event } = await streamed[Symbol.asyncIterator]().next();
  leaving.abort();
  const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
  const calls: (() => PromiseLike<unknown>)[] = [
    client.health,
    client.prices,
    client.priceHistory,
    client.balances,
    client.vault,
    () => client.vaultVersion(1),
    () => client.getReceipt(order.id),
    client.receiptKeys,
    client.attestationKeys,
    () => client.reserve(reserveDay),
    () => client.reserveOpening(reserveDay),
    () => client.getQuote(quote.id),
    () => client.getOrder(order.id),
    () => client.getOrderEvidence(order.id),
    () => client.getWithdrawal(withdrawal.id),
    () => client.getWithdrawalEvidence(withdrawal.id),
    client.listQuotes,
    client.listOrders,
    client.listWithdrawals,
    client.listLedgerEntries,
    () => client.getEvent(event.id),
    client.events,
    () => client.deliveryAttempts(event.id),
    () => client.statement(today),
    () => client.statementCsv(today),
    client.me,
    client.limits,
    () => client.redeliver(event.id),
    () => client.redeliverRange({ fromSequence: 1, toSequence: 1 }),
    client.enableWebhook,
    client.probe,
    () => client.requestCertificate({ csr: "none" }).catch(unlessRefused("invalid_csr")),
    () => client.requestSigningKey({ csr: "none" }).catch(unlessRefused("invalid_csr")),
    () => client.getRequestedCredential(UNKNOWN).catch(unlessRefused("not_found")),
    client.listRequestedCredentials,
  ];
  for (const call of calls) await call();
} finally {
  await client.close();
}
const file = join(ROOT, "docs", "vectors", "operations.json");
const { operations } = JSON.parse(await readFile(file, "utf8")) as {
  operations: { id: string; method: string; path: string }[];
};
for (const { id, method, path } of operations) {
  const pattern = new RegExp(path);
  if (requests.some((request) => request.method === method && pattern.test(request.path))) continue;
  process.stdout.write(`${id} was not called\n`);
  process.exitCode = 1;
}
