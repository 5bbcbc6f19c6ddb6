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

const BROKEN: [name: string, path: string, text: string, words: string][] = [
  [
    "an arrow turned round",
    "packages/service/x.ts",
    'import { a } from "@sabika/server";',
    "service does not import server",
  ],
  [
    "a type over a forbidden arrow",
    "packages/client/x.ts",
    'import type { A } from "@sabika/service/store";',
    "client does not import service",
  ],
  [
    "an import over several lines",
    "packages/service/x.ts",
    'import {\n  a,\n  b,\n} from "@sabika/server";',
    "x.ts:1: service does not import server",
  ],
  [
    "a dynamic import",
    "packages/service/x.ts",
    "const a = await import" + '("@sabika/server");',
    "service does not import server",
  ],
  [
    "operator in a product",
    "packages/sandbox/x.ts",
    'import { a } from "@sabika/operator";',
    "sandbox does not import operator",
  ],
  [
    "a file inside of a package by path",
    "packages/server/x.ts",
    'import { a } from "../service/store/a.ts";',
    "inside of service",
  ],
  [
    "a package by path",
    "packages/server/x.ts",
    'import { a } from "../service/store/mod.ts";',
    "by its name",
  ],
  [
    "a dependency in canonical",
    "packages/canonical/x.ts",
    'import { a } from "jose";',
    "imports nothing from outside",
  ],
  [
    "a node: module in jws",
    "packages/jws/x.ts",
    'import { a } from "node:buffer";',
    "imports nothing from outside",
  ],
  [
    "a package name in protocol",
    "packages/protocol/x.ts",
    'import { a } from "@sabika/canonical";',
    "by relative path",
  ],
  [
    "node:crypto in product code",
    "packages/server/x.ts",
    'import { createHash } from "node:crypto";',
    "Web Crypto",
  ],
  [
    "an undeclared dependency",
    "packages/server/x.ts",
    'import { a } from "lodash";',
    "lodash is not a dependency of server",
  ],
  [
    "tools in product code",
    "packages/service/x.ts",
    'import { a } from "../../tools/programs/x.ts";',
    "service does not import programs",
  ],
  ["what makes k6 hang", "packages/protocol/x.ts", "for await (const a of b) {}", "k6 hang"],
  ["what k6 lacks", "packages/jws/x.ts", "const a = atob(b);", "no atob"],
];

for (const [name, path, text, words] of BROKEN) {
  test(`refused: ${name}`, () => {
    assertStringIncludes(judge(path, text).join("\n"), words);
  });
}

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
