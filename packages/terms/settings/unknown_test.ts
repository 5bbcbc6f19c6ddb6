import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readdir, readFile } from "node:fs/promises";
import { SETTINGS } from "./table.ts";
import { whyUnknown } from "./unknown.ts";

test("whyUnknown() names the setting that was likely meant, and no value", () => {
  const words = whyUnknown({ SABIKA_ACCES_LOG: "planted", SABIKA_WHATEVER: "planted" })!;
  assertStringIncludes(words, "SABIKA_ACCES_LOG is no setting: did you mean SABIKA_ACCESS_LOG?");
  assertStringIncludes(words, "SABIKA_WHATEVER is no setting (docs/settings.md");
  assert(!words.includes("planted") && !words.includes("\n"));
  assertStringIncludes(whyUnknown({ SABIKA_WATCH_LISTENER: "" })!, "SABIKA_WATCH_LISTEN?");
});

test("whyUnknown() has nothing against what is read, comes from others, or is not there", () => {
  const env = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, "x"]));
  const others = [
    "PATH",
    "OTEL_SERVICE_NAME",
    "SABIKA_TEST_RECORD",
    "SABIKA_RUN",
    "SABIKA_SERVICE_HOST",
    "SABIKA_SERVICE_PORT_HTTPS",
    "SABIKA_PORT",
    "SABIKA_EDGE_PORT_8443_TCP_ADDR",
  ];
  for (const name of others) env[name] = "x";
  assertEquals(whyUnknown({ ...env, SABIKA_NOT_THERE: undefined }), undefined);
});

test("the table holds what the packages and the load scripts read, and nothing else", async () => {
  const named = new Set<string>();
  for (const folder of ["packages", "loadtest"]) {
    const root = new URL(`../../../${folder}/`, import.meta.url);
    for (const path of await readdir(root, { recursive: true })) {
      const isSource = path.endsWith(".ts") && !path.endsWith("_test.ts");
      if (!isSource || /node_modules|settings[/\\](?:table|unknown)\.ts$/.test(path)) continue;
      const text = await readFile(new URL(path, root), "utf8");
      const cases = text.matchAll(
        /\b(?:SABIKA_[A-Z_]*[A-Z]|AWS_[A-Z_]+|OTEL_EXPORTER_[A-Z_]+)\b/g,
      );
      for (const [name] of cases) {
        named.add(name);
      }
    }
  }
  // The values of a partner's kit are no settings of the service (Decision D119).
  for (const name of named) if (name.startsWith("SABIKA_KIT_")) named.delete(name);
  // Two that are put together where they are read.
  named.add("SABIKA_OWNER_DATABASE_URL_FILE");
  named.add("SABIKA_BREAK_GLASS_DATABASE_URL_FILE");
  assertEquals([...named].sort(), Object.keys(SETTINGS).sort());
});
