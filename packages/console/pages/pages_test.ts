import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFeedSettings, setPriceOrigin } from "@sabika/service/prices";
import { formatMicrograms } from "@sabika/protocol";
import { keepRecountResult, RECOUNT_CHECKS } from "@sabika/service/ledger";
import { byForce } from "../../../test/support/by_force.ts";
import { MESSAGES } from "../languages/languages.ts";
import { openTestConsole } from "../../../test/support/test_console.ts";

const site = await openTestConsole();
after(() => site.close());

/** The lines of a file, without line ends. */
const lines = async (path: string) => (await site.read(path)).trimEnd().split("\r\n");

test("endpoints are found by partner and state, on the page and in the file", async () => {
  const { sql } = site.admin.testDatabase.database;
  await sql`update webhook_lanes set disabled_at = now(), disabled_reason = 'operator'
    where partner_id = (select partner_id from partners where client_id = 'harbour-bank')`;
  const shown = async (query: string) =>
    [...(await site.read(`/en/endpoints${query}`)).matchAll(/\/partners\/([a-z-]+)\/deliveries"/g)]
      .map(([, clientId]) => clientId);
  assertEquals((await shown("")).includes("harbour-bank"), true);
  assertEquals(await shown("?partner=harbour-bank"), ["harbour-bank"]);
  assertEquals(await shown("?status=disabled"), ["harbour-bank"]);
  assertEquals(await shown("?status=healthy&partner=harbour-bank"), []);
  const [head, line] = await lines("/en/endpoints.csv?status=disabled");
  assertEquals(head?.split(",").slice(0, 2), ["client_id", "status"]);
  assertEquals(line?.startsWith("harbour-bank,disabled,"), true, line);
});

test("today counts what waits and what needs a look, and links to just what it counts", async () => {
  const { admin } = site;
  const { sql } = admin.testDatabase.database;
  await sql`update webhook_lanes set disabled_at = now(), disabled_reason = 'operator'`;
  await byForce(
    admin.testDatabase.database,
    `update certificates set valid_until = now() + interval '9 days'`,
  );
  const today = await site.read("/en");
  const items = [...today.matchAll(/<li><a href="([^"]+)">[^<]+<\/a><strong>([0-9]+)</g)];
  const counts = Object.fromEntries(items.map(([, path, count]) => [path, Number(count)]));
  assertEquals(Object.keys(counts), [
    "/en/approvals?for=amal",
    "/en/withdrawals",
    "/en/endpoints?status=down",
    "/en/credentials?state=ending",
    "/en/counts/differences",
    "/en/documents?state=due",
  ]);
  for (const [path, count] of Object.entries(counts)) {
    const rows = (await site.read(path)).split("<tr>").length - 2;
    assertEquals(rows, count, path);
  }
});

test("credentials and documents are listed page by page, and their files have them all", async () => {
  const { database } = site.admin.testDatabase;
  await byForce(
    database,
    `insert into webhook_secrets (partner_id, secret_id, sealed_secret, valid_from)
      select partner_id, gen_random_uuid(), '', now() from partners, generate_series(1, 60)`,
    `insert into partner_documents (partner_id, reference, kind, sha256, issued_on)
      select partner_id, n, 'other', repeat('5e', 32), now() from partners, generate_series(1, 110) n`,
  );
  for (const [list, length] of [["credentials", 50], ["documents", 200]] as const) {
    const all = (await lines(`/en/${list}.csv`)).slice(1);
    assert(all.length > length, `${list}: ${all.length}`);
    let [shown, pages]: [number, number] = [0, 0];
    let path: string | undefined = `/en/${list}`;
    while (path !== undefined) {
      const page: string = await site.read(path);
      shown += page.split("<tr>").length - 2;
      pages++;
      path = /<a rel="next" href="([^"]+)">Next</.exec(page)?.[1]?.replaceAll("&amp;", "&");
    }
    assertEquals([shown, pages], [all.length, Math.ceil(all.length / length)], list);
  }
  assertStringIncludes(await site.read("/en/credentials?before=-1"), "There is no such page");
});

test("forms of a partner's terms hold what holds today", async () => {
  await byForce(
    site.admin.testDatabase.database,
    `update partners set discloses_spread = true, taxes = '{"2026-01-01": {"gold_ppm": 50000, "fee_ppm": 150000},
      "2026-01-02": {"gold_ppm": 0, "fee_ppm": 120000}, "2199-01-01": {"gold_ppm": 1, "fee_ppm": 1}}'
      where client_id = 'harbour-bank'`,
  );
  const page = await site.read("/en/partners/harbour-bank/change");
  const cases = [
    ["gold_vat_percent", "0"],
    ["fee_vat_percent", "12"],
    ["discloses_spread", "true"],
  ];
  for (const [name, text] of cases) {
    assertStringIncludes(page, `name="was.${name}" value="${text}"`);
  }
  assertStringIncludes(page, '<option value="true" selected="">Yes');
});

test("people, rules, requests and bars are exported as files", async () => {
  const [, amal] = await lines("/en/people.csv");
  assertEquals(amal?.startsWith("amal,true,"), true, amal);
  const policy = await lines("/ar/policy.csv");
  assertEquals(policy[0], "act,conditions,approvers");
  assertEquals(policy.some((line) => line.startsWith("iban.set,")), true);
  const [, request, ...others] = await lines("/en/approvals.csv");
  assertEquals(request?.includes(",iban.set,"), true, request);
  assertEquals(others, []);
  const [, bar] = await lines("/en/vault.csv");
  assertEquals(bar?.startsWith("S-1001,Emirates Gold,999.9,12441.3807"), true, bar);
});

test("a count is listed, shown with its bars, the differing ones first, and as a file", async () => {
  const [head, line, ...others] = await lines("/ar/counts.csv");
  assertEquals(head?.split(",").slice(5, 11), [
    "found",
    "missing",
    "unexpected",
    "different",
    "expected_fine_grams",
    "found_fine_grams",
  ]);
  const [id = "", ...figures] = line!.split(",");
  const [bars, missing, pool] = [figures[3], figures[5], figures.at(-3)];
  assertEquals([missing, figures[4], figures[6], pool, ...others], [bars, "0", "1", "main"]);
  const list = await site.read("/en/counts");
  assertStringIncludes(list, `href="/en/counts/${id}"`);
  const page = await site.read(`/en/counts/${id}`);
  assertStringIncludes(page, "Count: Pool main, version ");
  assertStringIncludes(page, 'value="vault.count.accept"');
  const findings = [...page.matchAll(/class="state bad">([^<]+)</g)].map(([, word]) => word);
  assertEquals(findings.length, Number(bars) + 2);
  assertEquals(findings.filter((word) => word === "Not expected").length, 1);
  // Every bar of the vault has its tick.
  const form = await site.read("/en/counts/new?place=");
  assertEquals(form.match(/type="checkbox" name="given.bars"/g)?.length, Number(bars));
});

test("a partner's page has balances, last orders, whom to call, and documents with their ends", async () => {
  const file = await site.read("/ar/partners/harbour-bank");
  const texts = [
    "Huda Saleh",
    'href="tel:+966115550100"',
    "SAMA 2021-118",
    "منتهٍ",
    'value="partner.contact.set"',
    'value="partner.document.remove"',
  ];
  for (const text of texts) assertStringIncludes(file, text);
  const active = await site.read("/en/partners/desert-bank");
  assertEquals(active.match(/href="\/en\/orders\/ord_/g)?.length, 5);
  for (const page of ["orders", "withdrawals", "ledger", "statements"]) {
    assertStringIncludes(active, `href="/en/${page}?partner=desert-bank"`);
  }
  assertStringIncludes(active, "Nobody is recorded.");
  const { sql } = site.admin.testDatabase.database;
  const [row] = await sql<{ gold: string }[]>`select gold_micrograms::text as gold from accounts
    join partners using (partner_id) where client_id = 'desert-bank'`;
  const grams = formatMicrograms(BigInt(row!.gold)).replace(/\B(?=(\d{3})+\.)/, ",");
  assertStringIncludes(active, `<bdi dir="ltr">${grams}</bdi>`);
});

test("the price's line is interrupted where there was no price, and a file has its minutes", async () => {
  const day = await site.read("/en/prices");
  // The test's history lacks 50 of the last 1 400 minutes.
  assertEquals(day.match(/<polygon class="band"/g)?.length, 2);
  assertStringIncludes(day, '<text class="value" x="80" y="10">SAR/g</text>');
  assertEquals(day.match(/<title>[0-9 :-]+: 48[0-9.]+ to /g)!.length > 100, true);
  assertEquals((await site.read("/en/prices?last=hour")).match(/<polygon/g)?.length, 1);
  const lines = (await site.read("/en/prices.csv?last=hour")).trimEnd().split("\r\n");
  assertEquals(lines[0], "minute,least_sar,highest_sar,last_sar,first_sar,prices");
  // An hour, or a minute less when one has begun since the history was made.
  assertEquals([60, 61].includes(lines.length), true, String(lines.length));
  const { sql } = site.admin.testDatabase.database;
  await sql`delete from price_minutes`;
  assertStringIncludes(await site.read("/ar/prices"), "لم يُدوَّن سعر في هذه المدة.");
});

test("a feed is shown without what is secret in its address, and can be resumed when paused", async () => {
  const feed = readFeedSettings({ url: "https://feed.example/xau?key=swordfish", path: "$.mid" });
  if (typeof feed === "string") throw new Error(feed);
  await setPriceOrigin(site.admin, { source: "feed", feed });
  const offered = (page: string) =>
    ["price.pause", "price.resume"].filter((act) => page.includes(`value="${act}"`));
  const quoting = await site.read("/en/prices");
  assertStringIncludes(quoting, "https://feed.example/xau?…");
  assertEquals(quoting.includes("swordfish"), false);
  assertStringIncludes(quoting, "3 %");
  assertEquals(offered(quoting), ["price.pause"]);
  const { sql } = site.admin.testDatabase.database;
  await sql`update price_settings set paused = true`;
  const paused = await site.read("/en/prices");
  assertStringIncludes(paused, "Paused");
  assertEquals(offered(paused), ["price.resume"]);
});

test("a day's statement lists its transfers in the order it says", async () => {
  const page = await site.read("/en/statements?partner=desert-bank");
  assertStringIncludes(page, "Transfers, oldest first");
  assert(!page.includes("newest first"));
  const numbers = [...page.matchAll(/<tr><th scope="row"[^>]*>([0-9]+)</g)].map(([, n]) =>
    Number(n)
  );
  assert(numbers.length > 80);
  assertEquals(numbers, numbers.toSorted((a, b) => a - b));
});

test("the books show who recounted them last, each check, and what did not agree", async () => {
  const { sql } = site.admin.testDatabase.database;
  const checks = (page: string) =>
    ["good", "bad"].map((mood) =>
      page.split('<ul class="checks">')[1]?.split("</ul>")[0]?.split(`class="state ${mood}"`)
        .length
    );
  const result = { clientId: null, sinceMs: null, durationMs: 1_540, partners: 2 };
  await keepRecountResult(sql, { ...result, who: "badr", differences: [] });
  const fine = await site.read("/en/books");
  assertStringIncludes(fine, "All agrees");
  assertStringIncludes(fine, "badr");
  assertEquals(checks(fine), [RECOUNT_CHECKS.length + 1, 1]);
  await keepRecountResult(sql, {
    ...result,
    who: "amal",
    differences: [
      {
        clientId: "harbour-bank",
        check: "balance",
        subject: "cash",
        expected: 123_456_700n,
        actual: 0n,
      },
      {
        clientId: null,
        check: "vault",
        subject: "bars",
        expected: 1_000_000n,
        actual: 2_000_000n,
      },
    ],
  });
  const wrong = await site.read("/ar/books");
  for (const text of ["amal", "badr", "الفروق: 2", "1,234,567.00 SAR", "2 g", "harbour-bank"]) {
    assertStringIncludes(wrong, text);
  }
  assertEquals(checks(wrong), [RECOUNT_CHECKS.length - 1, 3]);
});

test("the books show the balances of each cell, and which cannot be asked", async () => {
  const { sql } = site.admin.testDatabase.database;
  assert(!(await site.read("/en/books")).includes("Cell main"));
  await sql`insert into cells (cell_id) values ('b')`;
  const cases = [
    ["en", "Cell main", "Cell b", "This cell cannot be asked now."],
    ["ar", "الخلية main", "الخلية b", "لا يمكن سؤال هذه الخلية الآن."],
  ];
  for (const [language, ...texts] of cases) {
    const page = await site.read(`/${language}/books`);
    for (const text of texts) assertStringIncludes(page, text);
  }
});

test("a change of spread, fee and VAT changes no figure of what was traded before (D93)", async () => {
  const { database } = site.admin.testDatabase;
  const [order] = await database.sql<{ id: string }[]>`
    select order_id as id from orders order by executed_at desc limit 1`;
  const pages = [
    "/en/orders.csv?partner=desert-bank",
    "/en/margins.csv?partner=desert-bank",
    "/ar/margins?partner=desert-bank",
    `/en/orders/ord_${order!.id}`,
  ];
  const read = () => Promise.all(pages.map(site.read));
  const before = await read();
  assertStringIncludes(before[0]!, ",0,0,0,0,fixed,");
  await byForce(
    database,
    `update partners set spread_ppm = 77777, fee_ppm = 55555, vat_ppm = 150000, discloses_spread = true,
      taxes = '{"2026-01-01": {"gold_ppm": 50000, "fee_ppm": 150000}}'`,
  );
  const after = await read();
  for (const [n, page] of pages.entries()) assertEquals(after[n], before[n], page);
});

test("a partner's page says what it lacks until it is live, with a link to where that is done", async () => {
  const page = await site.read("/ar/partners/desert-bank");
  const { steps, title } = MESSAGES.ar.checklist;
  assertStringIncludes(page, `<h2 id="checklist">${title}</h2>`);
  assertStringIncludes(
    page,
    `<a href="/ar/partners/desert-bank/change#settings">${steps.terms}</a>`,
  );
  assert(!page.includes(`${steps.signing_key}</a>`));
  const change = await site.read("/ar/partners/desert-bank/change");
  for (const id of ["settings", "rotations"]) assertStringIncludes(change, `id="${id}"`);
  for (const id of ["settings", "endpoint"]) assertStringIncludes(page, `id="${id}"`);
});
