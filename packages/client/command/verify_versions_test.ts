import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { captureIo } from "../../../test/support/captured_io.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { run } from "./run.ts";

const { texts } = JSON.parse(
  readFileSync(new URL("../../../docs/vectors/versions.json", import.meta.url), "utf8"),
);
const folder = temporaryFolder();

async function verify(...args: string[]) {
  const { io, read } = captureIo();
  return { code: await run(["verify", "versions", ...args], io), text: read().output };
}

test("verify versions says whether kept versions follow each other, and the first that does not", async () => {
  const file = async (name: string) => {
    const path = join(folder, `${name}.json`);
    await writeFile(path, texts[name]);
    return path;
  };
  const [first, second, third] = await Promise.all(["first", "second", "third"].map(file));
  assertEquals(await verify(first!, second!, third!), {
    code: 0,
    text: "genuine: 3 versions follow each other",
  });
  const altered = await verify(await file("second_altered"), third!);
  assertEquals(altered.code, 1);
  assertEquals(
    /^other_previous: [^]*first in +.*third\.json$/.test(altered.text),
    true,
    altered.text,
  );
  const json = await verify(first!, third!, "--json");
  const faults = ["number_missing", "other_previous"];
  assertEquals([json.code, JSON.parse(json.text)], [1, { ok: false, at: 1, faults }]);
  assertEquals((await verify()).code !== 0, true);
});
