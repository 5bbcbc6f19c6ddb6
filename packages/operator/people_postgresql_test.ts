import { test } from "node:test";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ROLES } from "@sabika/terms";
import { envAtDatabase, operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { testRecord } from "../../test/secret_search/record.ts";

test("people act by name with keys of their own, and an auditor names each of them", async (t) => {
  const admin = await openTestAdmin();
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const env = {
    ...envAtDatabase(admin, folder),
    SABIKA_BREAK_GLASS_DATABASE_URL: admin.testDatabase.urlAs("sabika_break_glass"),
  };
  const sabika = operatorOf(env);
  const as = (name: string) => ({ ...env, SABIKA_OPERATOR_KEY_FILE: file(`${name}.key`) });
  t.after(() => admin.close());
  for (const name of ["amal", "badr"]) {
    await sabika("operator", "add", name, "--role", "administrator", "--role", "prices");
    const made = await runOperator(
      ["operator", "key", "make", "--out", file(`${name}.key`)],
      env,
    );
    await writeFile(file(`${name}.pub`), made.stdout);
    assertEquals((await stat(file(`${name}.key`))).mode & 0o777, 0o600);
    testRecord.secretsIn(await readFile(file(`${name}.key`), "utf8"));
    await sabika("operator", "key", "add", name, file(`${name}.pub`));
  }
  // From here on acts need a person, which the shell's user is not.
  const nobody = await runOperator(["price", "pause"], env);
  assertEquals(nobody.code, 1);
  assertStringIncludes(nobody.stderr, "--operator-key");
  const broken = await runOperator(["price", "pause", "--break-glass", "amal is ill"], env);
  assertEquals(broken.code, 0, broken.stderr);
  assertStringIncludes(broken.stderr, "the glass is broken");
  const refusedGlass = await runOperator(["price", "pause", "--break-glass", "no"], env);
  assertEquals([refusedGlass.code, refusedGlass.stderr.includes("is broken:")], [1, false]);
  assertEquals((await runOperator(["price", "resume"], as("amal"))).code, 0);
  // Reading needs the database, but no key.
  const people = await sabika<{ name: string; roles: string[] }[]>("operator", "list");
  assertEquals(people.map(({ name }) => name), ["amal", "badr"]);
  assert(people[0]!.roles.every((role) => (ROLES as readonly string[]).includes(role)));

  // A feed's URL may hold a key, so nothing keeps it until its requester asks again.
  const url = "http://127.0.0.1:9/gold?key=hush";
  const feed = ["price", "set", "feed", url, "--path", "$.price", "--unchecked"];
  assertStringIncludes((await runOperator(feed, as("amal"))).stderr, "then run this again");
  const [ofFeed] = await sabika<{ id: string }[]>("approval", "list");
  const letGo = await runOperator(["approval", "approve", ofFeed!.id], as("badr"));
  assertStringIncludes(letGo.stdout, "is approved: amal runs it again to have it done");
  assertEquals((await runOperator(feed, as("amal"))).code, 0);
  assertStringIncludes((await runOperator(["price", "show"], env)).stdout, "9/gold?…");

  // An act that needs two people waits, and the second one's approval carries it out.
  const fixed = ["price", "set", "fixed", "485.25"];
  const waiting = await runOperator([...fixed, "--json"], as("amal"));
  assertEquals(waiting.code, 3, waiting.stdout);
  assertEquals(JSON.parse(waiting.stderr).error.code, "approval_required");
  const [asked] = await sabika<{ id: string; requester: string }[]>("approval", "list");
  assertEquals(asked?.requester, "amal");
  const refused = await runOperator(["approval", "approve", asked!.id], as("amal"));
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stderr, "somebody else approves it");
  const approved = await runOperator(["approval", "approve", asked!.id], as("badr"));
  assertEquals(approved.code, 0, approved.stderr);
  assertStringIncludes((await runOperator(["price", "show"], env)).stdout, "485.25");
  assertEquals((await runOperator(fixed, as("badr"))).code, 3);
  const [again] = await sabika<{ id: string; act: string }[]>("approval", "list");
  const back = ["approval", "reject", again!.id, "--reason", "a slip"];
  assertEquals((await runOperator(back, as("badr"))).code, 0);
  const shown = await sabika<{ state: string; reason: string }>("approval", "show", again!.id);
  assertEquals([shown.state, shown.reason], ["rejected", "a slip"]);
  const { rules } = await sabika<{ rules: { act: string }[] }>("policy", "show");
  assert(rules.some((rule) => rule.act === "policy.set"));
  assertEquals((await runOperator(["policy", "time", "12h"], as("amal"))).code, 3);
  const loosened = ["policy", "remove", "policy.set"];
  assertEquals((await runOperator(loosened, as("amal"))).code, 1);

  // A key file that others can read, or that holds no key, is refused before anything is done.
  await chmod(file("amal.key"), 0o644);
  assertStringIncludes((await runOperator(["price", "pause"], as("amal"))).stderr, "0644");
  await chmod(file("amal.key"), 0o600);
  await writeFile(file("no.key"), "none", { mode: 0o600 });
  assertStringIncludes((await runOperator(["price", "pause"], as("no"))).stderr, "P-256");
  const taken = ["operator", "key", "make", "--out", file("amal.key")];
  assertStringIncludes((await runOperator(taken, env)).stderr, "is there already");

  const keys = await runOperator(["operator", "key", "list", "--json"], env);
  await writeFile(file("keys.json"), keys.stdout);
  await sabika("audit", "export", "--out", file("audit.jsonl"));
  const offline = [
    "audit",
    "verify",
    "--export",
    file("audit.jsonl"),
    "--keys",
    file("keys.json"),
  ];
  const verified = await runOperator([...offline, "--json"]);
  assertEquals(verified.code, 0, verified.stdout + verified.stderr);
  const { signed, break_glasses } = JSON.parse(verified.stdout);
  // One resumption; a feed requested, approved, asked for again and set; a price requested, set and approved;
  // a request and its rejection; a request.
  assertEquals([signed, break_glasses], [11, 1]);
  const entries = await sabika<{ who: string; action: string }[]>(
    "audit",
    "list",
    "--limit",
    "8",
  );
  assertEquals(entries.map(({ who, action }) => `${who} ${action}`), [
    "amal approval.request",
    "badr approval.reject",
    "badr approval.request",
    "badr approval.approve",
    "amal price.set",
    "amal approval.request",
    "amal price.set",
    "amal approval.collect",
  ]);
  // The auditor's keys differ from those in the log.
  await writeFile(file("keys.json"), keys.stdout.replace('"amal"', '"badr"'));
  const forged = await runOperator([...offline, "--json"]);
  const { findings } = JSON.parse(forged.stdout) as { findings: { finding: string }[] };
  assert(findings.length > 0 && findings.every(({ finding }) => finding === "forged"));
  assertEquals(forged.code, 1);
});
