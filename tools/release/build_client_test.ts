import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { withPublishedImports } from "./build_client.ts";
import { publishedManifest } from "./published_manifest.ts";

/** Apart from its bracket, or the import rule looks for the files. */
const IMPORT = "import";

test("a compiled file imports its siblings by relative path, and declarations by .js", () => {
  const source = [
    'export { grams } from "./amounts.ts";',
    'import type { Id } from "@sabika/protocol";',
    `type Kit = ${IMPORT}("../kit.ts").Kit;`,
    'const { Agent } = await import("undici");',
  ].join("\n");
  assertEquals(withPublishedImports(source, "client/command/main.d.ts").split("\n"), [
    'export { grams } from "./amounts.js";',
    'import type { Id } from "../../protocol/mod.js";',
    `type Kit = ${IMPORT}("../kit.js").Kit;`,
    'const { Agent } = await import("undici");',
  ]);
});

test("the package's manifest names what was compiled, and no sibling", () => {
  const manifest = publishedManifest({
    name: "@sabika/client",
    exports: { ".": "./mod.ts", "./package.json": "./package.json" },
    scripts: { prepack: "node ../../tools/pack_client.mjs prepare" },
    dependencies: { "@sabika/protocol": "1.0.0", undici: "7.30.2" },
  });
  assertEquals(manifest, {
    name: "@sabika/client",
    bin: { "sabika-client": "./dist/client/command/main.js" },
    exports: {
      ".": { types: "./dist/client/mod.d.ts", default: "./dist/client/mod.js" },
      "./package.json": "./package.json",
    },
    dependencies: { undici: "7.30.2" },
  });
});
