import { after, test } from "node:test";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { byForce } from "../../test/support/by_force.ts";
import { envAtOffice, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { serveOffice } from "../../test/support/served_office.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { openTestTrading, value } from "../../test/support/test_market.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

const folder = temporaryFolder();

const admin = await openTestAdmin();
const { testDatabase } = admin;
const bank = await admitTestPartner(testDatabase.database, { cashHalalas: 10_000_00n });
const [row] = await testDatabase.database.sql<{ name: string }[]>`
  select client_id as name from partners`;
const name = row!.name;
const trading = await openTestTrading(testDatabase);
const order = value(await trading.order(bank.order(value(await trading.quote(bank.quote())).id)));
value(await trading.withdraw(bank.withdraw(100_00n)));

const office = await serveOffice(admin, admin.testDatabase, { hasTls: true });
const authority = join(folder, "authority.pem");
await writeFile(authority, admin.authorities.clientCaPem);
const everything = ["administrator", "auditor", "partners", "treasury", "vault"] as const;
const add = async (who: string, roles: Parameters<typeof addPerson>[2]) => {
  const person = await addPerson(admin, who, roles, { breakGlass: "a test's people" });
  const env = await envAtOffice(office.origin, folder, person);
  return { ...env, SABIKA_ADMIN_AUTHORITY_FILE: authority };
};
const amal = await add("amal", everything);
const badr = await add("badr", ["administrator", "support"]);
const direct = { SABIKA_DATABASE_URL: testDatabase.urlAs("sabika_operator"), SABIKA_DATA: folder };
after(async () => {
  await office.close();
  await admin.close();
});

test("a credential ends at once where its overlap is no time, and by default in a week", async () => {
  const startedMs = Date.now();
  const days = async (...flags: string[]) => {
    const rotate = ["client-secret", "rotate", name, ...flags];
    const { old_ends_at: end } = await operatorOf(amal)<Record<string, string>>(...rotate);
    return Math.floor((Date.parse(end!) - startedMs) / 86_400_000);
  };
  assertEquals([await days(), await days("--overlap", "0s")], [7, 0]);
});

test("every list and show reads the same through the office as from the database", async () => {
  const { data: events } = await operatorOf(direct)<{ data: { id: string }[] }>(
    ...commandLine`event list --partner ${name}`,
  );
  const [withdrawal] = await operatorOf(direct)<{ id: string }[]>("withdrawal", "list");
  const lines = [
    "order list --limit 1",
    `order list --partner ${name} --side buy`,
    `order show ${order.id}`,
    `quote list --partner ${name} --status executed`,
    `quote show ${order.quoteId}`,
    `event list --partner ${name}`,
    `event show ${events[0]!.id}`,
    "funding list",
    `statement list --partner ${name} --limit 2`,
    `statement show ${name}`,
    "withdrawal list --status all",
    `withdrawal show ${withdrawal!.id}`,
    "partner list",
    `partner show ${name}`,
    `address list ${name}`,
    "certificate list",
    `webhook deliveries ${name} --event ${events[0]!.id}`,
    `webhook deliveries ${name}`,
    "margin list --by hour",
    "vault report",
    "vault bar list",
    "approval list --all",
    "policy show",
    "operator list",
    "operator show amal",
    "operator key list",
    "audit list --limit 3",
    "audit head",
    "authority show",
    "reconcile --full",
    `webhook show ${name}`,
    "token-key show",
    "audit show 1",
    "audit show 2",
  ];
  for (const line of lines) {
    const [there, here] = [
      await runOperator([...line.split(" "), "--json"], amal),
      await runOperator([...line.split(" "), "--json"], direct),
    ];
    assertEquals([there.code, there.stderr], [here.code, here.stderr], line);
    // Time passes between the two reads.
    const still = (name: string, value: unknown) => name === "lag_seconds" ? null : value;
    assertEquals(JSON.parse(there.stdout, still), JSON.parse(here.stdout, still), line);
  }
  const csv = ["statement", "show", name, "--csv"];
  assertEquals((await runOperator(csv, amal)).stdout, (await runOperator(csv, direct)).stdout);
  assertStringIncludes((await runOperator(["price", "show"], amal)).stdout, "fixed");
});

test("reconcile says how many orders are from before prices were recorded (D88)", async () => {
  const unpriced = async () => {
    const { stdout } = await runOperator(["reconcile", "--full", "--json"], amal);
    return JSON.parse(stdout).unpriced_orders;
  };
  assertEquals(await unpriced(), 0);
  const without = ["quotes", "orders"].map((table) =>
    `update ${table} set price_number = null, spread_ppm = null, fee_ppm = null,
      mid_ten_thousandths = null, price_source = null, gold_vat_ppm = null, fee_vat_halalas = null,
      discloses_spread = null`
  ).join(";");
  await byForce(admin.testDatabase.database, without);
  assertEquals(await unpriced(), 1);
  const { stdout } = await runOperator(["reconcile", "--full"], amal);
  assertStringIncludes(stdout, "1 orders have quotes from before prices were recorded");
});

test("a list is limited to a period, and a page says how to continue it", async () => {
  const list = async (...period: string[]) =>
    (await operatorOf(direct)<{ data: { id: string }[] }>("order", "list", ...period)).data
      .map(({ id }) => id);
  assertEquals(await list("--until", "2026-01-01T00:00:00Z"), []);
  assertEquals(await list("--from", "2020-02-29"), [order.id as string]);
  const page = ["event", "list", "--partner", name, "--limit", "1"];
  const sabika = operatorOf(direct)<{ data: { id: string }[]; next_cursor: string }>;
  const { data: [newest], next_cursor: after } = await sabika(...page);
  assertStringIncludes(
    (await runOperator(page, direct)).stdout,
    `there are more: --after ${after}`,
  );
  const { data: [older] } = await sabika(...page, "--after", after);
  assert(older !== undefined && older.id !== newest!.id);
});

test("a statement is shown as JSON and as CSV, on the terminal or in a file", async () => {
  const show = ["statement", "show", name];
  const { opening, closing, entries, provisional } = await operatorOf(direct)<{
    provisional: boolean;
    opening: { gold_grams: number };
    closing: { gold_grams: number };
    entries: object[];
  }>(...show);
  assertEquals([provisional, opening.gold_grams, closing.gold_grams], [true, 0, 1]);
  const csv = (await runOperator([...show, "--csv"], direct)).stdout.trimEnd().split("\r\n");
  assertEquals(csv.length, entries.length + 1);
  assertStringIncludes(csv[0]!, "number,posted_at");
  const file = join(folder, "day.csv");
  const written = await runOperator([...show, "--csv", "--out", file], direct);
  assertEquals(written.stdout, `${entries.length} entries are in ${file}\n`);
  assertEquals((await readFile(file, "utf8")).trimEnd().split("\r\n"), csv);
});

test("acts are signed by the person and done once, or wait for a second person", async () => {
  const sabika = operatorOf(amal);
  await runOperator(commandLine`vault bar add OFF-1 --refiner R --fineness 999 --weight 9`, amal);
  const [adding] = await sabika<{ id: string }[]>("approval", "list");
  await operatorOf(badr)("approval", "approve", adding!.id);
  const credit = ["funding", "credit", name, "99.5", "--reference", "FT1"];
  const first = await sabika(...credit);
  assertEquals([first["amount_sar"], first["repeated"]], [99.5, false]);
  assertEquals((await sabika(...credit))["repeated"], true);
  await sabika("vault", "allocate", name, "1");

  const large = commandLine`funding credit ${name} 250000 --reference FT2 --json`;
  const waiting = await runOperator(large, amal);
  assertEquals(waiting.code, 3, waiting.stderr);
  assertMatch(JSON.parse(waiting.stderr).error.message, /treasury or administrator approves it/);
  const [asked] = await sabika<{ id: string }[]>("approval", "list");
  const approve = ["approval", "approve", asked!.id];
  assertStringIncludes((await runOperator(approve, amal)).stderr, "somebody else approves it");
  assertStringIncludes((await runOperator(approve, badr)).stdout, "is done");
  type Entry = { id: number; who: string; action: string; signature: { dossier?: object } };
  const entries = await sabika<Entry[]>("audit", "list", "--limit", "2");
  assertEquals(entries.map(({ who, action }) => `${who} ${action}`), [
    "badr approval.approve",
    "amal funding.credit",
  ]);
  const keys = await sabika<{ operator: string; key_id: string }[]>("operator", "key", "list");
  for (const { id, who } of entries) {
    const entry = await sabika<Entry>("audit", "show", String(id));
    const { key_id } = keys.find(({ operator }) => operator === who)!;
    const { dossier, ...signature } = entry.signature;
    assertEquals([entry.who, signature], [who, { key_id, rp_id: null, fits: true }]);
    assertStringIncludes(JSON.stringify(dossier), '{"sar":"250000"}');
  }
});

test("a partner is admitted through the office, and its kit is written on this machine", async () => {
  const made = await operatorOf(amal)<
    { kit: string; client_secret: string; missing_to_buy: string[] }
  >(
    ...commandLine`partner create --client-id bank-far --name ${"Far Bank"} --with-keys
      --iban SA0380000000608010167519 --webhook-url https://localhost:9443/hooks`,
  );
  assertEquals(made.missing_to_buy, ["sabika vault allocate bank-far GRAMS"]);
  const kit = JSON.parse(await readFile(join(made.kit, "partner.json"), "utf8"));
  assertEquals(kit.client_secret, made.client_secret);
  const rotated = await operatorOf(amal)("client-secret", "rotate", "bank-far", "--now");
  assert(rotated["client_secret"] !== made.client_secret);
});

test("a command that speaks to the office loads no package of a database", async () => {
  const modules = await mkdtemp(join(folder, "modules-"));
  const main = new URL("main.ts", import.meta.url);
  const { stdout } = await promisify(execFile)(
    "node",
    ["--import", "tsx", fileURLToPath(main), "order", "show", order.id, "--json"],
    { env: { PATH: process.env["PATH"], ...amal, NODE_V8_COVERAGE: modules } },
  );
  assertEquals(JSON.parse(stdout).id, order.id);
  // Node writes the modules that it has run to that folder, a file for each thread.
  const loaded: string[] = [];
  for (const file of await readdir(modules)) {
    const { result } = JSON.parse(await readFile(join(modules, file), "utf8"));
    loaded.push(...result.map(({ url }: { url: string }) => url));
  }
  assert(loaded.some((url) => url.startsWith(main.href)));
  const outside = new Set(
    loaded.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]),
  );
  // These packages run the source.
  for (const name of [undefined, "tsx", "esbuild"]) outside.delete(name);
  assertEquals([...outside], ["@stricli/core"]);
});

test("an act that a role, a key or an address does not allow is refused in one line", async () => {
  const { SABIKA_OPERATOR_KEY_FILE: _key, ...keyless } = amal;
  const { SABIKA_ADMIN_AUTHORITY_FILE: _authority, ...trusting } = amal;
  const { SABIKA_ENVIRONMENT: _environment, ...anywhere } = amal;
  const cases: [string, Record<string, string>, number, RegExp][] = [
    ["vault report", badr, 1, /no role of "badr" opens vault\.read/],
    ["vault allocate bank-far 1", badr, 1, /no role of "badr" opens vault\.allocate/],
    ["order list", keyless, 2, /--operator-key/],
    ["price pause", anywhere, 2, /--environment/],
    ["order list", trusting, 1, /does not answer \(.*CERT|SELF_SIGNED|UNABLE|Certificate/],
    ["order list", { ...amal, SABIKA_ADMIN_URL: "http://office.example" }, 2, /https:/],
    ["order list", { ...amal, SABIKA_ADMIN_URL: "https://localhost:1" }, 1, /does not answer/],
    ["order list --partner nobody", amal, 1, /no partner "nobody"/],
    ["quote list --partner nobody", amal, 1, /no partner "nobody"/],
    ["order list --partner nobody --side buy", direct, 1, /no partner "nobody"/],
    ["order show ord_none", amal, 1, /no order ord_none/],
    ["audit show 999999", amal, 1, /no entry 999999/],
    ["audit show 999999", direct, 1, /no entry 999999/],
    [`quote show ${order.id}`, direct, 1, /no quote/],
    ["event show evt_none", direct, 1, /no event/],
    ["funding show fund_none", direct, 1, /no funding/],
    ["withdrawal show wd_none", direct, 1, /no withdrawal/],
    ["order list --after x", direct, 1, /--after/],
    [`event list --partner ${name} --after x`, direct, 1, /--after/],
    ["quote list", direct, 2, /--partner is needed/],
    ["order list --limit 101", direct, 2, /1 to 100/],
    ["order list --from 2026-02-30", direct, 2, /2026-11-20/],
    [`statement show ${name} 2999-01-01`, direct, 1, /has not begun/],
    [`statement show ${name} --csv --json`, direct, 2, /exclude/],
    ["webhook show nobody", amal, 1, /no partner "nobody"/],
    ["migrate --dry-run", amal, 2, /at the database/],
    ["audit verify", amal, 2, /at the database/],
    ["master-key list", amal, 2, /at the database/],
    ["order list --admin-url https://a.example --data x", amal, 2, /excludes/],
    ["partner list --data /nowhere", amal, 1, /npm start/],
  ];
  for (const [line, env, code, message] of cases) {
    const run = await runOperator(line.split(" "), env);
    assertEquals([run.code, run.stdout], [code, ""], `${line}: ${run.stderr}`);
    assertMatch(run.stderr, message);
  }
  // A person without the role for credentials is still shown the partners.
  const { stdout } = await runOperator(["partner", "list", "--json"], badr);
  assertEquals(JSON.parse(stdout).length, 2);
});
