import { test } from "node:test";
import { chmod, open, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals, assertRejects } from "@std/assert";
import { whyNotPrivate, writePrivateFile } from "./private_file.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

test("writePrivateFile() makes a file of mode 0600, and leaves nothing beside it", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "master.key");
  await writePrivateFile(file, "one");
  await chmod(file, 0o644);
  await writePrivateFile(file, "two");
  assertEquals([await readFile(file, "utf8"), await modeOf(file)], ["two", 0o600]);
  assertEquals(await readdir(folder), ["master.key"]);
});

test("a reader sees the complete old text while the file is written", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "master.key");
  await writeFile(file, "the old text");
  const reader = await open(file);
  await writePrivateFile(file, "new");
  assertEquals(await reader.readFile("utf8"), "the old text");
  await reader.close();
});

test("a link stays a link, and its target is written", async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, "file"), join(folder, "link")];
  await writeFile(file, "old");
  await symlink(file, link);
  await writePrivateFile(link, "new");
  assertEquals(await readFile(file, "utf8"), "new");
  assertEquals((await readdir(folder)).sort(), ["file", "link"]);
});

test("a failed write gives the reason and leaves nothing behind", async () => {
  const folder = temporaryFolder();
  await assertRejects(() => writePrivateFile(join(folder, "none", "file"), "text"), Error);
  await writePrivateFile("/dev/null", "text");
  assertEquals(await readdir(folder), []);
});

test("whyNotPrivate() objects to any other reader, but to a group of a file of root's", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "edge");
  await writeFile(file, "secret");
  const isRoots = (await stat(file)).uid === 0;
  for (const mode of [0o600, 0o400, 0o640, 0o440, 0o644, 0o604, 0o606, 0o660, 0o620, 0o602]) {
    await chmod(file, mode);
    const isPrivate = [0o600, 0o400].includes(mode) ||
      isRoots && [0o640, 0o440].includes(mode);
    const reason = await whyNotPrivate(file);
    assertEquals(reason === undefined, isPrivate, mode.toString(8));
    assertEquals(reason?.includes(`mode 0${mode.toString(8)}`) ?? true, true);
  }
  assertEquals(await whyNotPrivate("/dev/null"), undefined);
  await assertRejects(() => whyNotPrivate(join(folder, "missing")));
});
