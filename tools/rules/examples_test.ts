import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { checkExamples } from "./examples.ts";

const FROM = "from"; // apart from its specifier, or the import rule looks for the file

test("an exported value without an example is found, whatever module it comes from", () => {
  const files = [
    { path: "packages/canonical/mod.ts", text: `export { a, type B } ${FROM} "./a.ts";\n` },
    {
      path: "packages/protocol/mod.ts",
      text: `export * ${FROM} "../canonical/mod.ts";\nexport * ${FROM} "./amounts.ts";\n`,
    },
    {
      path: "packages/protocol/amounts.ts",
      text:
        "export const ONE = 1;\nexport async function two() {}\nexport const four = 4;\nexport type Three = 3;\n" +
        `/**\n * import { two } ${FROM} "@sabika/protocol";\n */\n`,
    },
    {
      path: "packages/protocol/README.md",
      text: `\`\`\`ts\nimport {\n  a,\n  type Three,\n} ${FROM} "@sabika/protocol";\n\`\`\`\n`,
    },
  ];
  assertEquals(checkExamples(files).map(({ path, message }) => `${path}: ${message}`), [
    'packages/canonical/README.md: a has no example: import it from "@sabika/canonical" in a ts block here',
    'packages/protocol/README.md: four has no example: import it from "@sabika/protocol" in a ts block here',
  ]);
});
