import { assertEquals } from "@std/assert";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildService } from "../build/build_service.ts";
import { startDockerEngine } from "../programs/docker_engine.ts";
import { mustRun } from "../programs/run_program.ts";
import { makeBase } from "../../test/support/oci_base.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { packImage } from "./pack_image.ts";

// The service itself, built and packed twice, and loaded by an engine where one can run.

const folder = temporaryFolder();
const base = join(folder, "base");
await makeBase(base);
const pack = async (name: string) => {
  await buildService(join(folder, name));
  const options = { version: "1.0.0", architecture: "amd64" };
  return await packImage(base, join(folder, name), join(folder, `${name}.tar`), options);
};
const first = await pack("first");

test("the service built and packed twice, in two folders, is one image", async () => {
  assertEquals(await pack("second"), first);
});

const engine = await startDockerEngine().catch((error: Error) => error);
const skip = engine instanceof Error ? engine.message.split("\n")[0]! : false;

test("an engine loads the image: the build is in it, npm is not", { skip }, async () => {
  if (engine instanceof Error) return;
  after(() => engine.stop());
  await engine.docker("load", "--input", join(folder, "first.tar"));
  const container = (await engine.docker("create", "sabika:1.0.0")).trim();
  const files = join(folder, "files");
  await mkdir(files);
  await engine.docker("export", "--output", join(folder, "files.tar"), container);
  await mustRun("tar", ["-xf", join(folder, "files.tar"), "-C", files]);
  await mustRun("diff", ["--recursive", join(files, "app"), join(folder, "first")]);
  assertEquals(await readdir(join(files, "usr/local/bin")), []);
  assertEquals((await readdir(join(files, "var/lib/sabika"))).length, 8);
  assertEquals((await readFile(join(files, "etc/passwd"), "utf8")).split("\n").length, 3);
});
