import { test } from "node:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { duration, percent } from "./command/parsers.ts";

test("--version prints the release's version with every command", async () => {
  const { version } = JSON.parse(
    await readFile(new URL("../../package.json", import.meta.url), "utf8"),
  );
  for (const words of [[], ["partner"], ["partner", "show"], ["order", "list", "--json"]]) {
    const { code, stdout } = await runOperator([...words, "--version"]);
    assertEquals([code, stdout], [0, `${version}\n`], words.join(" "));
  }
});

test("wrong usage is exit 2, a refusal exit 1, both on stderr alone", async () => {
  const cases: [string[], number, RegExp][] = [
    [["nonsense"], 2, /No command registered/],
    [["partner", "nonsense"], 2, /No command registered/],
    [["partner", "show"], 2, /ID/],
    [["partner", "list", "--nonsense"], 2, /No flag/],
    [["vault", "allocate", "bank-one", "1.00001"], 2, /grams/],
    [["funding", "credit", "bank-one", "-1", "--reference", "R"], 2, /./],
    [["client-secret", "rotate", "bank-one", "--overlap", "week"], 2, /7d/],
    [["client-secret", "rotate", "bank-one", "--overlap", "7d", "--now"], 2, /exclude/],
    [["partner", "create", "--name", "x"], 2, /--client-id is needed/],
    [["partner", "list", "--data", "/nowhere/at/all"], 1, /npm start/],
    [["partner", "list", "--database-url", "postgres://u@127.0.0.1:1/x"], 1, /cannot be used/],
  ];
  for (const [args, code, message] of cases) {
    const run = await runOperator(args);
    assertEquals([run.code, run.stdout], [code, ""], args.join(" "));
    assertMatch(run.stderr, message);
  }
});

test("a mistyped noun, verb, option or value is answered with the one that is likely meant", async () => {
  const cases: [string, RegExp][] = [
    ["parnter list", /did you mean `partner`/],
    ["orders list", /did you mean `order`/],
    ["statment show", /did you mean `statement`/],
    ["vault bra list", /did you mean `bar`/],
    ["client-secrt rotate", /did you mean `client-secret`/],
    ["order list --patrner x", /did you mean --partner/],
    ["order list --side bye", /did you mean "buy"/],
    ["quote list --partner x --status opne", /did you mean "open"/],
  ];
  for (const [line, guess] of cases) {
    const { code, stderr } = await runOperator(line.split(" "));
    assertEquals(code, 2, line);
    assertMatch(stderr, guess);
  }
});

test("an unknown SABIKA_ variable is wrong usage, with the name that is likely meant", async () => {
  const run = await runOperator(["partner", "list"], { SABIKA_DATABASE_ULR: "postgres://planted" });
  assertEquals([run.code, run.stdout], [2, ""]);
  assertMatch(run.stderr, /^sabika: SABIKA_DATABASE_ULR .*SABIKA_DATABASE_URL\?.*\n$/);
  assert(!run.stderr.includes("planted"));
});

test("with --json an error is JSON too", async () => {
  const run = await runOperator(["partner", "list", "--data", "/nowhere/at/all", "--json"]);
  assertEquals(JSON.parse(run.stderr).error.code, "no_data");
});

test("completion suggests nouns, verbs and flags", async () => {
  const proposals = async (...words: string[]) =>
    (await runOperator(["--complete", ...words])).stdout.trim().split("\n");
  const nouns = await proposals("");
  for (const noun of ["withdrawal", "order", "quote", "event", "statement"]) {
    assert(nouns.includes(noun), noun);
  }
  assertEquals(await proposals("partner", "su"), ["suspend"]);
  assert((await proposals("partner", "create", "--")).includes("--webhook-url"));
});

test("durations and percentages are read exactly", () => {
  assertEquals(["7d", "12h", "1.5m", "45s", "250ms"].map(duration), [
    604_800_000,
    43_200_000,
    90_000,
    45_000,
    250,
  ]);
  assertEquals(["0.5%", "2", "0.0001%"].map(percent), [5_000n, 20_000n, 1n]);
});

test("changes need the right master key and name who made them; reading needs neither", async (t) => {
  const admin = await openTestAdmin();
  const env = {
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
    SABIKA_DATA: "/nowhere",
  };
  t.after(() => admin.close());
  assertEquals((await runOperator(["partner", "list"], env)).code, 0);
  const without = await runOperator(["price", "pause"], env);
  assertEquals(without.code, 1);
  assertStringIncludes(without.stderr, "--master-key-file");
  const bad = `test-1:${btoa("x".repeat(32))}`;
  const wrong = await runOperator(["price", "pause"], { ...env, SABIKA_MASTER_KEY: bad });
  assertEquals(wrong.code, 1);
  assertStringIncludes(wrong.stderr, "test-1");
  const right = { ...env, SABIKA_MASTER_KEY: admin.masterKeyText };
  assertEquals((await runOperator(["price", "pause"], right)).code, 0);
  const sabika = operatorOf(right);
  await sabika("price", "resume", "--as", "somebody");
  const entries = await sabika<{ who: string; from: string }[]>("audit", "list", "--limit", "2");
  assertEquals(entries.map(({ who, from }) => [who, from]), [
    ["somebody", "tester on test"],
    ["tester", "test"],
  ]);
  const other = { ...right, SABIKA_ENVIRONMENT: "production" };
  const mismatch = await runOperator(["price", "resume"], other);
  assertEquals(mismatch.code, 1);
  assertStringIncludes(mismatch.stderr, "belongs to sandbox");
});

test("the database's URL may be in a file, which is named when it cannot be read", async (t) => {
  const admin = await openTestAdmin();
  const folder = temporaryFolder();
  const file = join(folder, "database.url");
  const env = { SABIKA_DATABASE_URL_FILE: file, SABIKA_DATA: "/nowhere" };
  t.after(() => admin.close());
  const missing = await runOperator(["partner", "list"], env);
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, file);
  await writeFile(file, `${admin.testDatabase.urlAs("sabika_operator")}\n`);
  assertEquals((await runOperator(["partner", "list"], env)).code, 0);
  // A data folder given as a flag wins.
  const named = await runOperator(["partner", "list", "--data", "/nowhere"], env);
  assertEquals(named.code, 1);
});

test("a database on another machine needs verified TLS, except for a sandbox", async () => {
  const run = (url: string, ...more: string[]) =>
    runOperator(["partner", "list", "--database-url", url, ...more], { SABIKA_DATA: "/nowhere" });
  // An attempt to connect fails: names under .invalid never exist (RFC 6761 §6.4).
  const remote = "postgres://sabika:hidden@db.invalid/sabika";
  for (const mode of ["", "?sslmode=disable", "?sslmode=prefer", "?sslmode=require"]) {
    const refused = await run(`${remote}${mode}`, "--json");
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, "sslmode=verify-full");
    assertEquals(refused.stderr.includes("hidden"), false);
    const sandbox = await run(`${remote}${mode}`, "--environment", "sandbox");
    assertStringIncludes(sandbox.stderr, "cannot be used");
  }
  const verified = await run(`${remote}?sslmode=verify-full`);
  assertStringIncludes(verified.stderr, "cannot be used");
  const wrong = await run("mysql://db.invalid/sabika");
  assertEquals([wrong.code, wrong.stderr.includes("not a postgres:// URL")], [1, true]);
});

test("the master key in a file is rotated, with the old one kept or dropped", async (t) => {
  const admin = await openTestAdmin();
  const folder = temporaryFolder();
  const file = join(folder, "master.key");
  await writeFile(file, admin.masterKeyText);
  const env = {
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY_FILE: file,
  };
  const sabika = operatorOf(env);
  t.after(() => admin.close());
  const ids = async () =>
    (await sabika<{ id: string; seals: number }[]>("master-key", "list"))
      .map(({ id, seals }) => [id, seals > 0]);
  assertEquals(await ids(), [["test-1", true]]);
  await sabika("master-key", "rotate", "--id", "two");
  assertEquals(await ids(), [["two", true], ["test-1", false]]);
  await sabika("master-key", "rotate", "--id", "three", "--drop-old");
  assertEquals(await ids(), [["three", true]]);

  // One of two concurrent rotations is refused: it would overwrite the other's key for good.
  assertEquals(await readdir(folder), ["master.key"]);
  await writeFile(`${file}.lock`, "");
  const busy = await runOperator(["master-key", "rotate"], env);
  assertEquals(busy.code, 1);
  assertStringIncludes(busy.stderr, "is running");
  assertEquals(await ids(), [["three", true]]);
});
