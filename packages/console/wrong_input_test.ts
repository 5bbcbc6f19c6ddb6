import { after, test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { admitPartner } from "@sabika/office/partners";
import { ROLES } from "@sabika/terms";
import { anAdmission } from "../../test/support/test_admin.ts";
import { hiddenOf, openConsoleOffice } from "../../test/support/console_forms.ts";
import { OFFICE_ORIGIN } from "../../test/support/test_office.ts";
import { setFixedPrice } from "../../test/support/fixed_price.ts";
import { BANK, BAR, CREDIT, TAX, WRONG_INPUTS } from "../../test/support/wrong_inputs.ts";
import { LANGUAGES, MESSAGES } from "./languages/languages.ts";

const office = await openConsoleOffice();
assert((await admitPartner(office.admin, anAdmission("bank-one"))).ok);
await setFixedPrice(office.admin.database, 4_000_000n);
// One person is enough here: what is tested are forms.
await office.admin.database.sql`delete from approval_rules where act = 'vault.bar.add'`;
const amal = await office.person("amal", ROLES);
await office.person("badr", ROLES);
after(() => office.close());

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
    for (const [act, rest, field, text, code] of WRONG_INPUTS) {
      const typed = { ...rest, [field]: text };
      const fixed = rest["source"] === undefined ? [] : [["fixed", "source"]];
      const page = await send(language, [["act", act], ...fixed, ...given(typed)]);
      const name = `${act} ${field} ${text}`;
      assertEquals([page.status, page.text.includes("data-passkey")], [400, false], name);
      assertStringIncludes(page.text, correct, name);
      const words = mistakes[code as keyof typeof mistakes].split(/\{\w+\}/).at(-1)!;
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
  const cases = [
    ["funding.credit", { ...CREDIT, amount_sar: "٢٥٠٬٠٠٠ ر.س" }, `"amount_sar":"250000"`],
    ["funding.credit", { ...CREDIT, amount_sar: "250,000.00" }, `"amount_sar":"250000"`],
    ["vault.bar.add", { ...BAR, weight_grams: "12.5 kg" }, `"weight_grams":"12500"`],
    ["iban.set", { ...BANK, iban: "sa44 2000 0001 2345 6789 1234" }, "SA4420000001234567891234"],
    ["tax.set", { ...TAX, from_day: "٢٠٩٩-٠١-٠١" }, `"from_day":"2099-01-01"`],
  ] as const;
  for (const [act, typed, argument] of cases) {
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
  const hidden = hiddenOf(text);
  const options = JSON.parse(hidden["options"]!);
  const credential = JSON.stringify(await amal.authenticator.get(options));
  const headers = {
    origin: OFFICE_ORIGIN,
    "sec-fetch-site": "same-origin",
    cookie: amal.cookie(),
  };
  const body = () => new URLSearchParams({ ...hidden, credential });
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
