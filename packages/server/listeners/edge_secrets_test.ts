import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { readEdgeSecrets, watchEdgeSecrets } from "./edge_secrets.ts";

const folder = temporaryFolder();
const [OLD, NEW] = ["o".repeat(32), "n".repeat(40)];

test("readEdgeSecrets() takes one or two secrets of 32 characters or more", () => {
  assertEquals(readEdgeSecrets(`${OLD}\n`).length, 1);
  assertEquals(readEdgeSecrets(`${OLD}\n${NEW}\n`).length, 2);
  const texts = ["", "\n", "short\n", `${OLD}\nshort`, `${OLD} ${NEW}`, `${OLD}\n`.repeat(3)];
  for (const text of texts) {
    assertThrows(() => readEdgeSecrets(text), Error, "edge secret");
  }
});

test("watchEdgeSecrets() follows its file and keeps its secrets when the file is wrong", async () => {
  const file = join(folder, "edge");
  const replace = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await replace(`${OLD}\n`);
  let onError: (error: unknown) => void = () => {};
  const secrets = await watchEdgeSecrets(file, { everyMs: 5, onError: (error) => onError(error) });
  const known = () => [secrets.knows(OLD), secrets.knows(NEW)];
  assertEquals(known(), [true, false]);
  assertEquals([secrets.knows(""), secrets.knows(OLD.slice(1)), secrets.knows(`${OLD}o`)], [
    false,
    false,
    false,
  ]);

  await replace(`${OLD}\n${NEW}\n`);
  await until(() => secrets.knows(NEW));
  assertEquals(known(), [true, true]);

  const failed = new Promise((resolve) => onError = resolve);
  await replace("short\n");
  await failed;
  assertEquals(known(), [true, true]);

  await replace(`${NEW}\n`);
  await until(() => !secrets.knows(OLD));
  assertEquals(known(), [false, true]);
  secrets.close();
});
