import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { atTerminal, hasNoTerminal } from "../../../test/support/at_terminal.ts";
import { runOperator } from "../../../test/support/run_operator.ts";
import { openTestAdmin } from "../../../test/support/test_admin.ts";
import { application } from "../application.ts";
import { askMissing, type CommandNode } from "./ask_missing.ts";

const root = application.root as unknown as CommandNode;

/** Gives these answers in turn; returns the questions that a command line leads to, and the new line. */
async function asking(line: string, ...answers: string[]) {
  const asked: string[] = [];
  const words = await askMissing(root, line.split(" "), (question, check) => {
    const answer = answers.shift()!;
    const wrong = check(answer);
    asked.push(wrong === undefined ? question : `${question} ${wrong}`);
    return Promise.resolve(answer);
  });
  return { asked, line: words.join(" ") };
}

test("missing arguments and needed flags are asked for, and no others", async () => {
  const bar = await asking("vault bar add --weight=1000 --json-not", "x");
  assertEquals(bar, { asked: [], line: "vault bar add --weight=1000 --json-not" });
  assertEquals(await asking("vault bar add --weight 1000", "SA-1", "A Refinery", "999.9"), {
    asked: ["SERIAL: The number on the bar", "Who made it?", "Its fineness, such as 999.9?"],
    line: "vault bar add --weight 1000 SA-1 --refiner A Refinery --fineness 999.9",
  });
  assertEquals(
    (await asking("funding credit bank-one", "100", "FT1")).line,
    "funding credit bank-one 100 --reference FT1",
  );
  assertEquals((await asking("client-secret rotate --now", "bank-one")).asked.length, 1);
  assertEquals((await asking("certificate list")).asked, []);
});

test("a file is asked for unless an argument or a flag names it", async () => {
  for (const line of ["certificate issue bank-one a.csr", "certificate issue bank-one --csr a"]) {
    assertEquals((await asking(line)).asked, [], line);
  }
  const asked = await asking("certificate issue", "bank-one", "a.csr");
  assertEquals(asked.line, "certificate issue bank-one --csr a.csr");
});

test("an answer is checked as the command line is", async () => {
  const cases = [["1.00001", "grams"], ["", "needed"], ["--yes", "hyphen"]] as const;
  for (const [answer, wrong] of cases) {
    assertStringIncludes((await asking("vault allocate bank-one", answer)).asked[0]!, wrong);
  }
});

test("nothing is asked with --help, --yes or --json, or when the line names no command", async () => {
  for (const line of ["--help", "--yes", "--json", "--nonsense"]) {
    assertEquals((await asking(`partner show ${line}`)).asked, []);
  }
  assertEquals((await asking("partner")).asked, []);
  assertEquals((await asking("partner shwo")).asked, []);
});

test("without a terminal a missing flag is refused in one line, and nothing is asked", async () => {
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await runOperator(args);
    assertEquals([code, stdout], [2, ""]);
    return stderr;
  };
  assertEquals(
    await refused("funding", "credit", "bank-one", "1"),
    "sabika: --reference is needed\n",
  );
  assertEquals(
    await refused("certificate", "issue", "bank-one"),
    "sabika: give the request: --csr FILE\n",
  );
  const json = await refused("audit", "export", "--json");
  assertEquals(JSON.parse(json).error, { code: "usage", message: "say where it goes: --out FILE" });
});

test("at a terminal the person is asked, answers, and may cancel", {
  skip: hasNoTerminal,
}, async () => {
  const admin = await openTestAdmin();
  const env = {
    SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: admin.masterKeyText,
  };
  const bar = ["vault", "bar", "add", "SA-7", "--refiner", "Refinery"];
  try {
    const [added, left] = await Promise.all([
      atTerminal(env, bar, [["fineness", "999.9\r"], ["weight in grams", "1000\r"]]),
      atTerminal(env, ["funding", "credit"], [["client id", "\x03"]]),
    ]);
    assertStringIncludes(added.output, "the bar SA-7, 1000 g, is in the vault");
    assertEquals(added.code, 0);
    assertStringIncludes(left.output, "nothing was done");
    assertEquals(left.code, 1);
  } finally {
    await admin.close();
  }
});
