import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { OPERATION_LIST } from "./operations.ts";
import { LANGUAGES, SAMPLES } from "./samples.ts";

/** The folder of each client's sources, and how a method begins there. */
const SOURCES: readonly [folder: string, files: RegExp, begins: (method: string) => string][] = [
  ["packages/client", /^client_interface\.ts$/, (method) => `^  ${method}\\(`],
  ["clients/python/src/sabika_client", /\.py$/, (method) => `^    def ${method}\\(`],
  ["clients/go", /^(?!.*_test\.go$).*\.go$/, (method) => `^func \\(c \\*Client\\) ${method}\\(`],
  [
    "clients/java/src/main/java/sabika/client",
    /\.java$/,
    (method) => `^  public \\S+ ${method}\\(`,
  ],
];

for (const [n, [folder, files, begins]] of SOURCES.entries()) {
  test(`the samples in ${LANGUAGES[n]} call methods that its client has`, async () => {
    const place = new URL(`../../${folder}/`, import.meta.url);
    const names = (await readdir(place)).filter((name) => files.test(name));
    const source = (await Promise.all(names.map((name) => readFile(new URL(name, place), "utf8"))))
      .join("\n");
    const methods = Object.values(SAMPLES).map((sample) => /client\.(\w+)\(/.exec(sample[n]!)![1]!);
    assertEquals(methods.filter((method) => !new RegExp(begins(method), "m").test(source)), []);
  });
}

test("every operation has a sample, but for what clients do by themselves and documents", () => {
  const without = OPERATION_LIST.map(([id]) => id).filter((id) => SAMPLES[id] === undefined);
  assertEquals(without, [
    "createToken",
    "revokeToken",
    "getServerMetadata",
    "getTokenKeys",
    "getOpenApi",
    "getReference",
  ]);
});
