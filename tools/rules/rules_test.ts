/** A planted violation of each rule is found; `npm run check` shows that the repository has none. */
import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkArchitecture } from "./architecture.ts";
import { checkDecisions } from "./decisions.ts";
import { checkExamples } from "./examples.ts";
import { checkImportRule } from "./import_rule.ts";
import { checkMachineTraces } from "./machine_traces.ts";
import { checkNamedFiles } from "./named_files.ts";
import { checkReferences } from "./references.ts";
import type { SourceFile } from "./repository_files.ts";
import { formatViolation, type Violation } from "./violation.ts";

type Check = (files: readonly SourceFile[]) => Violation[];

/** Runs a rule on these files; returns the violations. */
function judge(check: Check, files: Readonly<Record<string, string>>): string[] {
  return check(Object.entries(files).map(([path, text]) => ({ path, text }))).map(formatViolation);
}

// Numbers and specifiers are inserted, so that this file itself cites and imports nothing.
const [SEVEN, NINE, FROM, IMPORT] = ["07", "09", "from", "import"];

const BROKEN: [what: string, Check, Readonly<Record<string, string>>, ...found: string[]][] = [
  [
    "a folder without a row",
    checkArchitecture,
    {
      "ARCHITECTURE.md": "| `packages/jwt` | Signing. |",
      "packages/jws/mod.ts": "",
      "packages/jwt/x.ts": "",
    },
    "ARCHITECTURE.md:1: has no row that says what packages/jws is for",
  ],
  [
    "a decision without a number, and a line of the index that fits no page",
    checkDecisions,
    {
      "docs/decisions/README.md": `# Decisions\n\n- [Nonces](nonces.md): D${25}\n`,
      "docs/decisions/nonces.md": `# Nonces\n\n## Nonce\n\nSpent once.\n`,
    },
    "docs/decisions/nonces.md:1: a heading is not `## D<number> <title>`",
    "docs/decisions/README.md:1: misses the line - [Nonces](nonces.md): ",
    `docs/decisions/README.md:1: has a line that fits no page: - [Nonces](nonces.md): D${25}`,
  ],
  [
    "a published function without an example",
    checkExamples,
    {
      "docs/public_surface.json": JSON.stringify({
        lines: ["export @sabika/jws gone: function", "export @sabika/jws sign: function"],
        added: ["export @sabika/jws verify: function", "export @sabika/jws LIMIT: variable"],
        removed: ["export @sabika/jws gone: function"],
      }),
      "packages/jws/README.md": `${IMPORT} { verify, type Key } ${FROM} "@sabika/jws";`,
    },
    'docs/public_surface.json:1: sign has no example that imports it from "@sabika/jws"',
  ],
  [
    "a home folder, and a private registry's host",
    checkMachineTraces,
    {
      "docs/x.md": `cd ${["", "home", "somebody", "x"].join("/")}`,
      "package-lock.json": '"resolved": "ht' + 'tps://example.org/a.tgz"',
    },
    "docs/x.md:1: names a home folder",
    "package-lock.json:1: the lock file names a registry host",
  ],
  [
    "files, folders and headings that pages and comments name and that are not there",
    checkNamedFiles,
    {
      "README.md": "# Page\n`gone.ts` is in packages/gone/",
      "packages/x.ts": "// packages/y.ts.",
      "docs/page.md": "# D64 HTTP/1.1, `at` it\n[a](gone.md) [b](#d64-http11-at-it) [c](#d)\n" +
        "```\n[d](gone.md)\n```\n[e](../packages/) [f](https://sabika.example/none#at-all)",
      "docs/threat-model.md": "| tries | by |\n|---|---|\n| a | `x_test.ts` |\n| b | nothing |",
      "packages/x_test.ts": "",
    },
    "README.md:2: there is no packages/gone",
    "README.md:2: there is no gone.ts",
    "packages/x.ts:1: there is no packages/y.ts",
    "docs/page.md:2: gone.md leads nowhere",
    "docs/page.md:2: #d leads nowhere",
    "docs/threat-model.md:4: no test is named that shows it",
  ],
  [
    "numbers that lead nowhere or are given twice, and a fault's test that the catalogue does not name",
    checkReferences,
    {
      "docs/decisions/nonces.md": `## D${25} Nonce\n## D${25} Another\n`,
      "docs/faults.md": `| I${7} | once |\n\n### F${SEVEN} Killed\nTests: \`kill_test.ts\`.\n`,
      "packages/x.ts": `// D${26}, (F${NINE}, I${8}), Spec §${10}, issue ${4}`,
      "packages/no.ts":
        `"%D${99}" "\\uD${800}" "#F${NINE}" "aD${99}=" "MD${5}" porsager issue 1216`,
      "packages/hang_test.ts": `// F${SEVEN}`,
    },
    `docs/decisions/nonces.md:2: ## D${25} is there twice`,
    `packages/x.ts:1: D${26} leads nowhere: no page in docs/decisions has a heading for it`,
    `packages/x.ts:1: F${NINE} leads nowhere: docs/faults.md has no heading for it`,
    `packages/x.ts:1: I${8} leads nowhere: docs/faults.md has no row for it`,
    `packages/x.ts:1: Spec §${10} leads nowhere: docs/specification.md has no heading for it`,
    `packages/x.ts:1: issue ${4} leads nowhere: issues are not in the repository: cite the decision`,
    `packages/hang_test.ts:1: cites F${SEVEN}, but docs/faults.md does not name it there`,
  ],
];

for (const [what, check, files, ...found] of BROKEN) {
  test(`a rule finds ${what}`, () => assertEquals(judge(check, files), found));
}

const MANIFESTS = Object.fromEntries(
  Object.entries({ service: ["postgres"], server: ["@sabika/service"], protocol: [] })
    .map(([name, dependencies]) => [
      `packages/${name}/package.json`,
      JSON.stringify({ dependencies: Object.fromEntries(dependencies.map((name) => [name, "1"])) }),
    ]),
);
const imports = (specifier: string) => `${IMPORT} { a } ${FROM} "${specifier}";`;

/** Imports that are refused, and the violation's message. */
const REFUSED: [path: string, specifier: string, words: RegExp][] = [
  ["packages/service/x.ts", "@sabika/server", /server is not a dependency of packages\/service/],
  ["packages/service/x_test.ts", "@sabika/server", /server is not a dependency/],
  ["packages/server/x.ts", "lodash", /lodash is not a dependency of packages\/server/],
  ["packages/server/x.ts", "postgres", /postgres is not a dependency of packages\/server/],
  ["packages/server/x.ts", "../service/store/a.ts", /inside of packages\/service/],
  ["packages/server/x.ts", "../protocol/mod.ts", /by its name/],
  ["test/support/x.ts", "../../packages/service/a.ts", /inside of packages\/service/],
  ["packages/protocol/x.ts", "../jws/sign.ts", /its mod\.ts/],
  ["packages/protocol/x.ts", "@sabika/jws", /by relative path/],
  ["packages/protocol/x.ts", "node:buffer", /by relative path/],
  ["packages/service/x.ts", "../../tools/programs/x.ts", /does not import tools/],
  ["packages/service/x.ts", "../../test/support/x.ts", /does not import test/],
  ["docs/examples/x.ts", "@sabika/service", /the client alone/],
];

test("an import of an unlisted package, or of a file inside another package, is refused", () => {
  for (const [path, specifier, words] of REFUSED) {
    const [found = "", ...more] = judge(checkImportRule, {
      ...MANIFESTS,
      [path]: imports(specifier),
    });
    assertEquals([words.test(found), more], [true, []], `${path} ${specifier}: ${found}`);
  }
});

test("an import is found in each of its forms", () => {
  const forms = [
    `${IMPORT} type { A } ${FROM} SPECIFIER`,
    `${IMPORT} {\n  a,\n  b,\n} ${FROM} SPECIFIER`,
    `const a = await ${IMPORT}(SPECIFIER)`,
  ];
  for (const form of forms) {
    const text = form.replace("SPECIFIER", '"lodash"');
    assertEquals(judge(checkImportRule, { "packages/server/x.ts": text }).length, 1, form);
  }
});

test("syntax that k6 lacks is refused in the packages that its scripts import", () => {
  const text = "// for await\nfor await (const a of b) {}\nasync function* c() {}";
  assertEquals(judge(checkImportRule, { "packages/jws/x.ts": text }), [
    "packages/jws/x.ts:2: `for await` makes k6 hang",
    "packages/jws/x.ts:3: an async generator makes k6 hang",
  ]);
});

const CYCLES: [name: string, cycle: string, Readonly<Record<string, string>>][] = [
  ["of files", "a/x.ts → packages/service/a/y.ts", { "a/x.ts": "./y.ts", "a/y.ts": "./x.ts" }],
  ["of folders", "a → packages/service/b", { "a/x.ts": "../b/x.ts", "b/y.ts": "../a/in/y.ts" }],
  ["of a file and a folder beside it", "x.ts → packages/service/a", {
    "x.ts": "./a/x.ts",
    "a/y.ts": "../x.ts",
  }],
];

test("a cycle of imports is refused", () => {
  for (const [name, cycle, importing] of CYCLES) {
    const files = Object.entries(importing).map(([path, specifier]) =>
      [`packages/service/${path}`, imports(specifier)] as const
    );
    const [found = ""] = judge(checkImportRule, Object.fromEntries(files));
    assertEquals(
      found.includes(`in a circle: packages/service/${cycle}`),
      true,
      `${name}: ${found}`,
    );
  }
});
