import { after, before, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { ROLES } from "@sabika/terms";
import { anAdmission } from "../../test/support/test_admin.ts";
import type { TestBrowser } from "../../test/support/test_browser.ts";
import { OFFICE_ORIGIN, openTestOffice, type TestOffice } from "../../test/support/test_office.ts";
import { setFixedPrice } from "../../test/support/fixed_price.ts";
import { LANGUAGES, MESSAGES } from "./languages/languages.ts";
import { createConsole } from "./mod.ts";

const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
let office: TestOffice;
let amal: TestBrowser;

before(async () => {
  const onError = (error: unknown) => {
    throw error;
  };
  office = await openTestOffice({ pages: createConsole({ prices, onError }) });
  assert((await admitPartner(office.admin, anAdmission("bank-one"))).ok);
  await setFixedPrice(office.admin.database, 4_000_000n);
  amal = await office.person("amal", ROLES);
  await office.person("badr", ROLES);
});
after(() => office.close());

type Code = keyof (typeof MESSAGES)["en"]["mistakes"];
type Case = readonly [
  act: string,
  rest: Record<string, string>,
  field: string,
  text: string,
  code: Code,
];

const BANK = { partner: "bank-one" };
const CREDIT = { ...BANK, amount_sar: "5", reference: "TT-1" };
const BAR = { serial: "S-1", refiner: "Emirates Gold", fineness: "999.9", weight_grams: "1000" };
const TAX = { ...BANK, gold_vat_percent: "0", fee_vat_percent: "15", from_day: "2099-01-01" };

/** For each: an act, its other arguments, and one that is wrong, with what its field says. */
const CASES: readonly Case[] = [
  ["funding.credit", CREDIT, "amount_sar", "1,5", "ambiguous"],
  ["funding.credit", CREDIT, "amount_sar", "1.000,50", "ambiguous"],
  ["funding.credit", CREDIT, "amount_sar", "٢٥٠٬٠٠", "ambiguous"],
  ["funding.credit", CREDIT, "amount_sar", "250.000", "too_precise"],
  ["funding.credit", CREDIT, "amount_sar", "", "missing"],
  ["funding.credit", CREDIT, "amount_sar", "much <b>", "no_number"],
  ["funding.credit", CREDIT, "amount_sar", "5 USD", "wrong_unit"],
  ["funding.credit", CREDIT, "amount_sar", "0", "out_of_range"],
  ["funding.credit", CREDIT, "amount_sar", "-5", "out_of_range"],
  ["funding.credit", CREDIT, "amount_sar", "20,000,000,000", "out_of_range"],
  ["funding.credit", CREDIT, "reference", "حوالة", "wrong_reference"],
  ["funding.credit", CREDIT, "reference", "x".repeat(65), "wrong_reference"],
  ["funding.credit", CREDIT, "reference", " ", "missing"],
  ["funding.credit", CREDIT, "partner", "nobody", "refused"],
  ["funding.credit", CREDIT, "partner", "", "missing"],
  ["vault.allocate", { ...BANK, grams: "1" }, "grams", "0", "above_zero"],
  ["vault.allocate", { ...BANK, grams: "1" }, "grams", "1 oz", "wrong_unit"],
  ["vault.allocate", { ...BANK, grams: "1" }, "grams", "900 kg", "refused"],
  ["vault.release", { ...BANK, grams: "1" }, "grams", "1", "refused"],
  ["vault.release", { ...BANK, grams: "1" }, "grams", "0.00001", "too_precise"],
  ["vault.bar.add", BAR, "serial", "#1", "wrong_serial"],
  ["vault.bar.add", BAR, "fineness", "750", "out_of_range"],
  ["vault.bar.add", BAR, "fineness", "999,9", "ambiguous"],
  ["vault.bar.add", BAR, "weight_grams", "21 kg", "out_of_range"],
  ["vault.bar.add", BAR, "weight_grams", "0", "out_of_range"],
  ["vault.bar.add", BAR, "refiner", "", "missing"],
  ["partner.update", BANK, "spread_percent", "100", "out_of_range"],
  ["partner.update", BANK, "spread_percent", "0,5", "ambiguous"],
  ["partner.update", BANK, "fee_percent", "101 %", "out_of_range"],
  ["partner.update", BANK, "fee_percent", "-1", "out_of_range"],
  ["partner.update", BANK, "min_grams", "0", "above_zero"],
  ["partner.update", BANK, "open_quotes", "1.5", "too_precise"],
  ["partner.update", BANK, "open_quotes", "100001", "out_of_range"],
  ["partner.update", BANK, "name", "x".repeat(129), "wrong_name"],
  ["partner.update", BANK, "rates.signed.burst", "many", "no_number"],
  ["tax.set", TAX, "fee_vat_percent", "150", "out_of_range"],
  ["tax.set", TAX, "from_day", "2026-02-30", "wrong_day"],
  ["tax.set", TAX, "from_day", "tomorrow", "wrong_day"],
  ["iban.set", BANK, "iban", "SA0380000000608010167510", "wrong_iban"],
  ["iban.set", BANK, "iban", "SA03", "wrong_iban"],
  ["iban.set", BANK, "iban", "", "missing"],
  ["webhook.set", BANK, "url", "http://hooks.bank.example/", "wrong_url"],
  ["webhook.set", BANK, "url", "hooks.bank.example", "wrong_url"],
  ["webhook.set", BANK, "url", "https://user@bank.example/", "wrong_url"],
  ["address.add", BANK, "cidr", "192.0.2.1/24", "wrong_cidr"],
  ["address.add", BANK, "cidr", "0.0.0.0/0", "wrong_cidr"],
  ["certificate.rotate", { ...BANK, overlap_ms: "0" }, "csr", "a request", "wrong_request"],
  ["price.set", { source: "fixed" }, "mid_price_sar", "0", "above_zero"],
  ["price.set", { source: "fixed" }, "mid_price_sar", "", "missing"],
  ["operator.add", { operator: "new" }, "operator", "New Person", "wrong_person"],
  ["operator.add", { operator: "new" }, "operator", "badr", "refused"],
  ["policy.time", {}, "seconds", "59", "out_of_range"],
  ["policy.administrators", {}, "least", "11", "out_of_range"],
];

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const given = (values: Record<string, string>) =>
  Object.entries(values).map(([name, text]) => [`given.${name}`, text]);

/** Sends the form of an act; returns the page that it leads to, with its path. */
async function send(language: string, fields: string[][], cookie = amal.cookie()) {
  const headers = { origin: OFFICE_ORIGIN, "sec-fetch-site": "same-origin", cookie };
  const sent = await office.app.request(`${OFFICE_ORIGIN}/${language}/acts/sign`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields),
  });
  assertEquals(sent.status, 303);
  const path = sent.headers.get("location")!;
  return { path, ...await read(path, cookie) };
}

async function read(path: string, cookie = amal.cookie()) {
  const page = await office.app.request(`${OFFICE_ORIGIN}${path}`, { headers: { cookie } });
  return { status: page.status, text: await page.text(), location: page.headers.get("location") };
}

/** The number of rows that acts of any kind would write. */
async function written(): Promise<unknown> {
  return await office.admin.database.sql`select (select count(*) from acts) as acts,
    (select count(*) from audit_log) as entries, (select count(*) from cell_acts) as booked,
    (select count(*) from vault_bars) as bars, (select count(*) from changed_facts) as changed`;
}

for (const language of LANGUAGES) {
  test(`what is wrong is said at its field, all that was typed stays, in ${language}`, async () => {
    const before = await written();
    const { mistakes, act: { correct } } = MESSAGES[language];
    for (const [act, rest, field, text, code] of CASES) {
      const typed = { ...rest, [field]: text };
      const fixed = rest["source"] === undefined ? [] : [["fixed", "source"]];
      const page = await send(language, [["act", act], ...fixed, ...given(typed)]);
      const name = `${act} ${field} ${text}`;
      assertEquals([page.status, page.text.includes("data-passkey")], [400, false], name);
      assertStringIncludes(page.text, correct, name);
      const words = mistakes[code].split(/\{\w+\}/).at(-1)!;
      const [, id] = new RegExp(`id="(${field}-[^"]*)-wrong"`).exec(page.text) ?? [];
      assert(id !== undefined, `${name}: ${page.text}`);
      const said = page.text.split(`id="${id}-wrong"`)[1]!.split("</small>")[0]!;
      assertStringIncludes(said, escapeHtml(words), name);
      const input = new RegExp(`<(?:input|textarea) id="${id}"[^>]*>`).exec(page.text)?.[0] ?? "";
      assert(/aria-invalid="true"/.test(input) && /autofocus/.test(input), name);
      for (const kept of Object.values(typed)) assertStringIncludes(page.text, escapeHtml(kept));
    }
    assertEquals(await written(), before);
  });
}

test("an amount is signed in its canonical form, and other arguments too", async () => {
  for (
    const [act, typed, argument] of [
      ["funding.credit", { ...CREDIT, amount_sar: "٢٥٠٬٠٠٠ ر.س" }, `"amount_sar":"250000"`],
      ["funding.credit", { ...CREDIT, amount_sar: "250,000.00" }, `"amount_sar":"250000"`],
      ["vault.bar.add", { ...BAR, weight_grams: "12.5 kg" }, `"weight_grams":"12500"`],
      ["iban.set", { ...BANK, iban: "sa44 2000 0001 2345 6789 1234" }, "SA4420000001234567891234"],
      ["tax.set", { ...TAX, from_day: "٢٠٩٩-٠١-٠١" }, `"from_day":"2099-01-01"`],
    ] as const
  ) {
    const page = await send("ar", [["act", act], ...given(typed)]);
    assertEquals(page.status, 200, page.text);
    assertStringIncludes(page.text.replaceAll("&quot;", '"'), argument);
  }
});

test("every act that can be done is shown to be signed, and trying it writes nothing", async () => {
  const { sql } = office.admin.database;
  const [row] = await sql<{ cert: string; key: string; person: string }[]>`
    select (select encode(certificate_hash, 'hex') from certificates limit 1) as cert,
      (select key_id from signing_keys limit 1) as key,
      (select key_id from operator_keys limit 1) as person`;
  const { cert, key, person } = row!;
  const acts: readonly (readonly [string, Record<string, string>])[] = [
    ["address.add", { ...BANK, cidr: "203.0.113.0/24" }],
    ["webhook.set", { ...BANK, url: "https://hooks.bank.example/new" }],
    ["webhook.ping", BANK],
    ["webhook.disable", BANK],
    ["certificate.revoke", { ...BANK, certificate: cert }],
    ["signing-key.retire", { ...BANK, key_id: key, overlap_ms: "0" }],
    ["webhook-secret.rotate", { ...BANK, overlap_ms: "3600000" }],
    ["price.set", { source: "fixed", mid_price_sar: "4,100.5 SAR/g" }],
    ["price.pause", {}],
    ["price.resume", {}],
    ["operator.disable", { operator: "badr" }],
    ["operator.role.remove", { operator: "badr", role: "auditor" }],
    ["operator.key.end", { operator: "badr", key_id: person }],
    ["policy.set", { act: "vault.allocate", conditions: "grams above 5", approvers: "vault" }],
    ["policy.remove", { act: "iban.set" }],
    ["policy.time", { seconds: "3,600" }],
    ["policy.administrators", { least: "2" }],
  ];
  const before = await written();
  for (const [act, typed] of acts) {
    const page = await send("en", [["act", act], ["fixed", "source"], ...given(typed)]);
    const isTried = page.text.includes('data-passkey="act"');
    assert(isTried || /would be refused now/.test(page.text), `${act}: ${page.text}`);
    assert(isTried || act === "operator.key.end", `${act}: ${page.text}`);
  }
  assertEquals(await written(), before);
});

test("the form that changes a rule holds the rule", async () => {
  const [, link] = /href="([^"]*given.act=iban.set[^"]*)"/.exec((await read("/en/policy")).text)!;
  const form = (await read(link!.replaceAll("&amp;", "&"))).text;
  for (const text of ['name="given.act" value="iban.set"', 'value="partners" checked']) {
    assertStringIncludes(form, text);
  }
});

test("what was left as it was shown is no part of the act", async () => {
  const page = (await read("/en/partners/bank-one/change")).text;
  const [form] = page.split('value="partner.update"')[1]!.split("</form>");
  const fields = [...form!.matchAll(/name="((?:given|was)\.[^"]+)"[^>]*? value="([^"]*)"/g)]
    .map(([, name, text]) => [name!, text!]);
  const names = fields.map(([name]) => name!);
  for (const name of ["given.spread_percent", "was.spread_percent", "was.rates.signed.burst"]) {
    assert(names.includes(name), `${name}: ${names.join(" ")}`);
  }
  const same = await send("en", [["act", "partner.update"], ...fields]);
  assertEquals(same.status, 400);
  assertStringIncludes(same.text, MESSAGES.en.mistakes.unchanged);
  const changed = fields.map(([name, text]) =>
    name === "given.spread_percent" ? [name, "0.75"] : [name!, text!]
  );
  const signed = await send("en", [["act", "partner.update"], ...changed]);
  const staged = signed.text.replaceAll("&quot;", '"');
  assertStringIncludes(staged, '}],"partner":"bank-one","spread_percent":"0.75"}"');
});

test("an address that this session did not seal only fills in the form", async () => {
  const { path, text } = await send("en", [["act", "partner.suspend"], ...given(BANK)]);
  assertStringIncludes(text, 'data-passkey="act"');
  assertStringIncludes((await read(path)).text, 'data-passkey="act"');
  for (const other of [path.replace("bank-one", "bank-two"), path.replace(/&seal=[^&]*/, "")]) {
    const page = await read(other);
    assertEquals([page.status, page.text.includes("data-passkey")], [200, false]);
    assertStringIncludes(page.text, MESSAGES.en.act.check);
  }
});

test("a form that is sent after the session's end comes back after signing in, as it was typed", async () => {
  const { path, text } = await send("ar", [["act", "iban.set"], ...given(BANK)], "");
  assertStringIncludes(text, MESSAGES.ar.signIn.ended);
  const next = new URL(path, OFFICE_ORIGIN).searchParams.get("next")!;
  assertStringIncludes((await read(next)).text, 'value="bank-one"');
  for (const wrong of ["https://evil.example/", "//evil.example", "/admin/v1", "/\\evil"]) {
    const page = await read(`/en/sign-in?${new URLSearchParams({ next: wrong })}`);
    assertStringIncludes(page.text, 'action="/en"');
  }
});

test("a private key that was pasted stands neither in the address nor on the page", async () => {
  const key = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----";
  const fields = [["act", "certificate.rotate"], ...given({ ...BANK, overlap_ms: "0", csr: key })];
  const { path, text } = await send("en", fields);
  assertEquals([path, text].some((found) => /MIGH/.test(found)), false);
  assertStringIncludes(text, MESSAGES.en.mistakes.private_key);
});

test("an act that is sent twice is done once, and says what came of it", async () => {
  const fields = [["act", "vault.bar.add"], ...given(BAR)];
  const { path, text } = await send("en", fields);
  const hidden = [...text.split("data-passkey")[1]!.matchAll(/name="([^"]+)" value="([^"]*)"/g)]
    .map(([, name, value]) => [name!, value!.replaceAll("&quot;", '"').replaceAll("&amp;", "&")]);
  const options = JSON.parse(hidden.find(([name]) => name === "options")![1]!);
  const credential = JSON.stringify(await amal.authenticator.get(options));
  const headers = {
    origin: OFFICE_ORIGIN,
    "sec-fetch-site": "same-origin",
    cookie: amal.cookie(),
  };
  const body = () =>
    new URLSearchParams([...hidden.filter(([name]) => name !== "credential"), [
      "credential",
      credential,
    ]]);
  const perform = async () => {
    const url = `${OFFICE_ORIGIN}/en/acts`;
    return await office.app.request(url, { method: "POST", headers, body: body() });
  };
  const answers = await Promise.all([perform(), perform()]);
  answers.push(await perform());
  const bars = await office.admin.database.sql`select 1 from vault_bars where serial = 'S-1'`;
  assertEquals(bars.length, 1);
  for (const answer of answers) {
    assertEquals(answer.status, 303);
    const page = await read(answer.headers.get("location")!);
    assertStringIncludes(page.text, MESSAGES.en.act.done);
  }
  // Back to the page where it was signed leads to what came of it.
  const again = await read(path);
  assertEquals(again.location?.split("?")[0], answers[0]!.headers.get("location")!.split("?")[0]);
  const unknown = await read(`/en/acts/${crypto.randomUUID()}`);
  assertStringIncludes(unknown.text, MESSAGES.en.act.nothing);
});
