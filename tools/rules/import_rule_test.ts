import { assertEquals, assertStringIncludes } from "@std/assert";
import { posix } from "node:path";
import { test } from "node:test";
import { checkImportRule } from "./import_rule.ts";
import { checkMachineTraces } from "./machine_traces.ts";
import { repositoryFiles } from "./repository_files.ts";
import { formatViolation } from "./violation.ts";

const MANIFESTS = [
  "canonical",
  "jws",
  "protocol",
  "client",
  "service",
  "server",
  "operator",
  "sandbox",
]
  .map((name) => ({
    path: `packages/${name}/package.json`,
    text: JSON.stringify({
      dependencies: /canonical|jws|protocol/.test(name)
        ? {}
        : { "@sabika/service": "1", "@sabika/protocol": "1", "@sabika/server": "1", postgres: "1" },
    }),
  }));

/** What the rule says of one file among the files that it may mean. */
function judge(path: string, text: string, ...more: string[]): string[] {
  const others = [
    ...more,
    "packages/canonical/mod.ts",
    "packages/service/store/mod.ts",
    "packages/service/store/a.ts",
  ];
  const files = others.filter((other) => other !== path).map((other) => ({
    path: other,
    text: "",
  }));
  return checkImportRule([...MANIFESTS, ...files, { path, text }]).map(formatViolation);
}

test("the repository keeps its own import rule", async () => {
  assertEquals(checkImportRule(await repositoryFiles()).map(formatViolation), []);
});

test("arrows that the architecture draws are allowed", () => {
  assertEquals(judge("packages/server/app.ts", 'import { a } from "@sabika/service/store";\n'), []);
  assertEquals(judge("packages/service/x.ts", 'import postgres from "postgres";\n'), []);
  assertEquals(judge("packages/protocol/x.ts", 'export { a } from "../canonical/mod.ts";\n'), []);
  assertEquals(
    judge("packages/service/ledger/x.ts", 'import type { A } from "../store/a.ts";\n'),
    [],
  );
});

/** What is refused: an import of a file, or another line of it. */
const BROKEN: [path: string, what: string, words: string][] = [
  ["packages/service/x.ts", "@sabika/server", "x.ts:1: service does not import server"],
  ["packages/client/x.ts", "@sabika/service/store", "client does not import service"],
  ["packages/sandbox/x.ts", "@sabika/operator", "sandbox does not import operator"],
  ["packages/server/x.ts", "../service/store/a.ts", "inside of service"],
  ["packages/server/x.ts", "../service/store/mod.ts", "by its name"],
  ["packages/canonical/x.ts", "jose", "imports nothing from outside"],
  ["packages/jws/x.ts", "node:buffer", "imports nothing from outside"],
  ["packages/protocol/x.ts", "@sabika/canonical", "by relative path"],
  ["packages/server/x.ts", "node:crypto", "Web Crypto"],
  ["packages/server/x.ts", "lodash", "lodash is not a dependency of server"],
  ["packages/service/x.ts", "../../tools/programs/x.ts", "service does not import programs"],
];

// Apart from their specifiers, or the rule looks for the files.
const [FROM, IMPORT] = ["from", "import"];
const FORMS = [
  `import { a } ${FROM} SPECIFIER`,
  `import type { A } ${FROM} SPECIFIER`,
  `import {\n  a,\n  b,\n} ${FROM} SPECIFIER`,
  `const a = await ${IMPORT}(SPECIFIER)`,
];

for (const [path, specifier, words] of BROKEN) {
  test(`refused: ${specifier} in ${path}, in whichever form`, () => {
    for (const form of FORMS) {
      assertStringIncludes(
        judge(path, form.replace("SPECIFIER", `"${specifier}"`)).join("\n"),
        words,
      );
    }
  });
}

test("refused: what k6 lacks, in what its scripts import", () => {
  const loop = judge("packages/protocol/x.ts", "for await (const a of b) {}");
  assertStringIncludes(loop.join(), "k6 hang");
  assertStringIncludes(judge("packages/jws/x.ts", "const a = atob(b);").join(), "no atob");
});

test("refused: a home folder, and a private registry's host", () => {
  const home = { path: "docs/x.md", text: `cd ${["", "home", "somebody", "x"].join("/")}` };
  const host = { path: "package-lock.json", text: '"resolved": "ht' + 'tps://example.org/a.tgz"' };
  assertEquals(checkMachineTraces([home, host]).map(({ message }) => message), [
    "names a home folder",
    "the lock file names a registry host",
  ]);
});

const CIRCLES: [name: string, circle: string, ...imports: [from: string, to: string][]][] = [
  ["side by side", "service/a → packages/service/b", ["a/x", "b/x"], ["b/y", "a/y"]],
  ["through a folder inside", "service/a → packages/service/b", ["a/x", "b/x"], ["b/y", "a/in/y"]],
  ["a file and a folder beside it", "service/x.ts → packages/service/a", ["x", "a/x"], [
    "a/y",
    "x",
  ]],
];

for (const [name, circle, ...imports] of CIRCLES) {
  test(`refused: a circle of folders, ${name}`, () => {
    const files = imports.flatMap(([from, to]) => {
      const specifier = posix.relative(posix.dirname(`/${from}`), `/${to}.ts`);
      return [
        { path: `packages/service/${from}.ts`, text: `import { a } from "./${specifier}";` },
        { path: `packages/service/${to}.ts`, text: "" },
      ];
    });
    const violations = checkImportRule([...MANIFESTS, ...files]).map(formatViolation);
    assertStringIncludes(violations.join(), `imports in a circle: packages/${circle}`);
  });
}

test("tests keep to the arrows too, and may use what is there for tests", () => {
  const path = "packages/service/x_test.ts";
  const support = "test/support/test_database.ts";
  assertEquals(judge(path, 'import { createHash } from "node:crypto";'), []);
  assertEquals(judge(path, `import { a } from "../../${support}";`, support), []);
  assertStringIncludes(
    judge(path, 'import { a } from "@sabika/server";').join(),
    "service does not import server",
  );
  assertStringIncludes(
    judge("packages/service/x.ts", `import { a } from "../../${support}";`, support).join(),
    "service does not import support",
  );
  assertStringIncludes(
    judge(support, 'import { a } from "../../packages/service/store/a.ts";').join(),
    "inside of service",
  );
});
