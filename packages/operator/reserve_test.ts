import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseJson, PUBLISHED_RESERVE, RESERVE_OPENING, verifyReserve } from "@sabika/protocol";
import { makeReserves } from "@sabika/service/reserves";
import { byForce } from "../../test/support/by_force.ts";
import { random } from "../../test/support/random.ts";
import {
  envAtDatabase,
  envAtOffice,
  operatorOf,
  runOperator,
} from "../../test/support/run_operator.ts";
import { serveOffice } from "../../test/support/served_office.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { makeFirstReserve } from "../../test/support/test_attestation.ts";
import { registerOutsider } from "../../test/support/test_outsider.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { admitTestPartner } from "../../test/support/test_partner.ts";

const HOUR_MS = 3_600_000;

test("the bank's balance is entered once, before the reserve; the auditor's file opens that", async (t) => {
  const admin = await openTestAdmin();
  const { database } = admin;
  const env = envAtDatabase(admin, temporaryFolder());
  const sabika = operatorOf(env);
  const day = new Date(Date.now() - 45 * HOUR_MS).toISOString().slice(0, 10);
  const set = ["reserve", "bank", "set", day];
  t.after(() => admin.close());
  for (let n = 0; n < 3; n++) await admitTestPartner(database, { cashHalalas: 100_00n });
  assertEquals(await sabika(...set, "1250.5"), { day, amount_sar: 1250.5 });
  const twice = await runOperator([...set, "1250.6"], env);
  assertMatch(twice.stderr, new RegExp(`the balance of ${day} was entered`));
  await makeReserves(
    { control: database, cells: [database], random },
    Date.parse(day) + 23 * HOUR_MS,
  );
  const late = await runOperator(["reserve", "bank", "set", "2026-01-01", "1"], env);
  assertMatch(late.stderr, /the reserve of 2026-01-01 was made/);

  const shown = PUBLISHED_RESERVE.read(
    parseJson(JSON.stringify(await sabika("reserve", "show", day))),
  );
  const file = join(temporaryFolder(), "openings.jsonl");
  assertEquals(await sabika("reserve", "open", day, "--out", file), { file, openings: 3 });
  const openings = (await readFile(file, "utf8")).trim().split("\n")
    .map((line) => RESERVE_OPENING.read(parseJson(line)));
  const { text, hash } = shown;
  const { reserve, faults } = await verifyReserve({ text, hash, openings });
  assertEquals([faults, reserve!.cash.bankHalalas], [[], 1250_50n]);
  const recount = async () => {
    const { stdout } = await runOperator(["reconcile", "--full", "--json"], env);
    return JSON.parse(stdout).differences.filter((one: { check: string }) =>
      one.check === "reserves"
    ).length;
  };
  assertEquals(await recount(), 0);
  await byForce(database, "update reserve_openings set cash_halalas = cash_halalas + 1");
  assert(await recount() > 0);
  const none = await runOperator(["reserve", "show", "2026-01-01"], env);
  assertMatch(none.stderr, /there is no reserve of 2026-01-01/);
});

test("the office opens a reserve to an auditor alone, and the audit log has who it was", async (t) => {
  const admin = await openTestAdmin();
  const { database, testDatabase } = admin;
  const office = await serveOffice(admin, testDatabase, { hasTls: true });
  const folder = temporaryFolder();
  const authority = join(folder, "authority.pem");
  await writeFile(authority, admin.authorities.clientCaPem);
  t.after(async () => {
    await office.close();
    await admin.close();
  });
  for (let n = 0; n < 3; n++) await admitTestPartner(database, { cashHalalas: 100_00n });
  const day = await makeFirstReserve(admin);
  const auditor = await registerOutsider(admin, "auditor");
  const signedIn = async (who: string, roles: Parameters<typeof addPerson>[2]) => {
    const person = await addPerson(admin, who, roles, { breakGlass: "a test's people" });
    const env = await envAtOffice(office.origin, folder, person);
    return { ...env, SABIKA_ADMIN_AUTHORITY_FILE: authority };
  };
  const amal = await signedIn("amal", ["administrator", "auditor"]);
  const badr = await signedIn("badr", ["administrator", "treasury"]);
  const atDatabase = {
    SABIKA_DATABASE_URL: testDatabase.urlAs("sabika_operator"),
    SABIKA_DATA: folder,
  };
  const { data: [listed] } = await operatorOf(badr)<{ data: object[] }>(
    "reserve",
    "list",
  );
  assertEquals(listed, { ...listed, day, bank_sar: null, signed: false, attested: false });
  const show = ["reserve", "show", day];
  assertEquals(await operatorOf(badr)(...show), await operatorOf(atDatabase)(...show));

  const open = (name: string) => ["reserve", "open", day, "--out", join(folder, name)];
  const refused = [
    await runOperator(open("a"), badr),
    await runOperator([...open("a"), "--as", "badr"], atDatabase),
  ];
  for (const { code, stderr } of refused) {
    assertEquals([code, /badr/.test(stderr)], [1, true], stderr);
  }
  await operatorOf(amal)(...open("b"));
  await operatorOf(atDatabase)(...open("c"), "--as", "amal");
  assertEquals(await readFile(join(folder, "b")), await readFile(join(folder, "c")));

  // The auditor has what the operator sends: the reserve, and the openings; and a key of its own.
  const [reserve, key, file] = ["reserve.json", "auditor.pem", "attestation.jws"]
    .map((name) => join(folder, name)) as [string, string, string];
  const shown = await operatorOf(badr)(...show);
  await writeFile(reserve, JSON.stringify(shown));
  await writeFile(key, auditor.privatePem);
  const client = fileURLToPath(new URL("../../tools/sabika_client.mjs", import.meta.url));
  const sign = ["sign", "reserve", reserve, "--openings", join(folder, "b"), "--key", key];
  await promisify(execFile)("node", [client, ...sign, "--out", file]);
  const attested = await operatorOf(badr)("reserve", "attest", day, file);
  assertEquals(attested, { day, holder: "Gulf Inspection", key_id: auditor.keyId });
  const attestation = (await readFile(file, "utf8")).trim();
  assertEquals(await operatorOf(badr)(...show), { ...shown, attested: true, attestation });
  const entries = await database.sql<{ actor: string; day: string }[]>`
      select actor, detail::jsonb ->> 'day' as day from audit_log where action = 'reserve.open'`;
  assertEquals([...entries], [{ actor: "amal", day }, { actor: "amal", day }]);
});
