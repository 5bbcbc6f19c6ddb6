import type { PriceSource } from "@sabika/service/prices";
import { openDatabase } from "@sabika/database";
import { notify } from "@sabika/service/notifications";
import { performAct } from "@sabika/office/acts";
import { admitPartner } from "@sabika/office/partners";
import { keepRecountResult, reconcile } from "@sabika/service/ledger";
import { setFixedPrice } from "./fixed_price.ts";
import { createTrading } from "@sabika/service/trading";
import { ROLES } from "@sabika/terms";
import { createOffice } from "@sabika/office";
import { parseId } from "@sabika/protocol";
import type { BrowserContext } from "playwright-core";
import { adoptRows } from "./adopt_rows.ts";
import { byForce } from "./by_force.ts";
import { openConsoleApp, signedInPerson } from "./console_app.ts";
import { anAdmission, openTestAdmin } from "./test_admin.ts";
import { makeFirstReserve } from "./test_attestation.ts";
import { value } from "./test_market.ts";
import { registerOutsider } from "./test_outsider.ts";
import { addPerson } from "./test_people.ts";
import { random } from "./random.ts";
import { admitTestPartner } from "./test_partner.ts";
import { each } from "./each.ts";

/** Opens a console on a database with some history, for a viewer with every role. */
export async function openTestConsole() {
  const admin = await openTestAdmin();
  const { testDatabase } = admin;
  const database = openDatabase(testDatabase.urlAs("sabika_operator"), { maxConnections: 4 });
  const prices = await setFixedPrice(admin.testDatabase.database, 4_823_500n);
  const orderId = await makeHistory(admin, prices);
  for (const lasts of [true, false]) {
    const facts = { partner: "desert-bank", since_at: "2026-11-21T08:00:00.000Z" };
    await notify(
      testDatabase.database.sql,
      { kind: "endpoint_down", subject: "desert-bank", facts },
      { operatorId: 1 },
      { lasts },
    );
  }
  const records = await testDatabase.database.sql<{ path: string }[]>`
    (select '/quotes/qt_' || quote_id as path from quotes limit 1)
    union all select '/reserves/' || day from reserves
    union all select '/withdrawals/wd_' || withdrawal_id from withdrawals
    union all select '/counts/' || count_id from vault_counts
    union all (select '/events/evt_' || event_id from events limit 1)`;
  const origin = "https://console.sabika.example";
  const app = openConsoleApp({
    office: createOffice({ ...admin, database }, origin),
    viewer: signedInPerson("amal", ROLES),
    prices,
    errors: [],
  });
  return {
    origin,
    admin,
    prices,
    /** Reads a page's HTML. */
    async read(path: string): Promise<string> {
      return await (await app.request(`${origin}${path}`)).text();
    },
    paths: ["", `/orders/${orderId}`, ...records.map(({ path }) => path)].concat(
      each(`/sign-in /enrol /orders /partners
      /partners/harbour-bank /partners/harbour-bank/deliveries /partners/harbour-bank/change
      /withdrawals /vault /vault?serial=s-1 /vault/intake /vault/replacement /pools/main/versions /pools/main/versions/1 /bars/S-1001 /approvals?all /audit /quotes /fundings /ledger?partner=desert-bank
      /statements?partner=desert-bank /policy /people /people/amal /admission /prices /books
      /endpoints?status=down /documents /counts /counts/new /counts/new?place= /counts/differences /reserves /attestation-keys /margins /credentials /notifications /notifications/settings
      /search?q=bank /search?q=nothing`),
    ),
    /** Answers a browser's requests to the console, and calls `onOther` for those to other hosts. */
    async answer(context: BrowserContext, onOther: (url: string) => void): Promise<void> {
      await context.route("**/*", async (route) => {
        const url = route.request().url();
        if (!url.startsWith(origin)) {
          onOther(url);
          return await route.abort();
        }
        const answer = await app.request(url);
        await route.fulfill({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: await answer.text(),
        });
      });
    },
    async close() {
      await database.close();
      await admin.close();
    },
  };
}

/** Makes operators, partners, trades, a withdrawal and a request for approval; returns an order's id. */
async function makeHistory(
  admin: Awaited<ReturnType<typeof openTestAdmin>>,
  prices: PriceSource,
): Promise<string> {
  const { database, app } = admin.testDatabase;
  const admitted = await admitPartner(admin, anAdmission("harbour-bank"));
  if (!admitted.ok) throw new Error(admitted.detail);
  const trading = createTrading({ database: app, prices, random, now: Date.now });
  const bank = await admitTestPartner(database, {
    cashHalalas: 5_000_000_00n,
    goldMicrograms: 2_000_000_000n,
    allocationMicrograms: 40_000_000_000n,
  });
  let last = "";
  for (let n = 0; n < 40; n++) {
    const side = n % 3 === 2 ? "sell" : "buy";
    const goldMicrograms = BigInt(1 + n * 7 % 5) * 12_500_000n + BigInt(n) * 10_100n;
    const quote = value(await trading.quote(bank.quote({ side, goldMicrograms })));
    last = value(await trading.order(bank.order(quote.id))).id;
  }
  await byForce(
    { sql: database.sql },
    `update partners set client_id = 'desert-bank', name = 'Desert Bank'
      where partner_id = ${bank.partnerId}`,
    // Trades spread over a day, so that the plots have data.
    `update orders set executed_at = executed_at - interval '1 hour' * (gold_micrograms % 23)
      where order_id <> '${parseId("ord", last)}'`,
    "update pool_versions set made_at = made_at - interval '1 day'",
  );
  await adoptRows(database);
  await database.sql`insert into price_minutes
    select date_trunc('minute', now()) - n * interval '1 minute', 4823500 + 40 * m - 300, 4823500
      + 40 * m + 300, 4823500 + 40 * m, 4823500 + 40 * m, 1, n
    from generate_series(0, 1400) n, lateral (select (400 * sin(n / 90.0) + n % 7 * 11)::bigint as m) w
    where n not between 610 and 660 on conflict do nothing`;
  await database.sql`insert into price_hours
    select date_trunc('hour', minute), min(least_ten_thousandths), max(most_ten_thousandths),
      (array_agg(last_ten_thousandths order by minute desc))[1]
    from price_minutes group by 1 on conflict do nothing`;
  await trading.withdraw(bank.withdraw(25_000_00n));
  await makeFirstReserve(admin);
  await registerOutsider(admin, "inspector");
  await addPerson(admin, "amal", ROLES);
  const badr = await addPerson(admin, "badr", ROLES);
  const bar = { serial: "S-1001", refiner: "Emirates Gold", fineness: "999.9" };
  const breakGlass = "the books of a test";
  const cases = [
    ["vault.bar.add", { ...bar, weight_grams: "12441.3807" }],
    ["vault.count", { bars: [], unexpected: ["S-1010"] }],
    ["partner.contact.set", {
      partner: "harbour-bank",
      name: "Huda Saleh",
      role: "Treasury",
      telephone: "+966 11 555 0100",
      mail: "huda.saleh@harbour-bank.example",
    }],
    ["partner.document.set", {
      partner: "harbour-bank",
      kind: "licence",
      reference: "SAMA 2021-118",
      document_sha256: "5e".repeat(32),
      issued_on: "2021-02-01",
      valid_until: "2026-01-31",
    }],
  ] as const;
  for (const [name, input] of cases) {
    const done = await performAct(admin, { name, arguments: input, breakGlass });
    if (!done.ok) throw new Error(done.detail);
  }
  const startMs = performance.now();
  const differences = (await reconcile(database))
    .map(({ partnerId: _, ...difference }) => ({ ...difference, clientId: "desert-bank" }));
  await keepRecountResult(database.sql, {
    who: "amal",
    clientId: null,
    sinceMs: null,
    partners: 2,
    differences,
    durationMs: performance.now() - startMs,
  });
  const requested = await badr.ask("iban.set", {
    partner: "harbour-bank",
    iban: "SA4420000001234567891234",
  });
  if (!requested.ok) throw new Error(requested.detail);
  return last;
}
