import { assert, assertEquals, assertRejects } from "@std/assert";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { makeBase } from "../../test/support/oci_base.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { FOLDERS, packImage } from "./pack_image.ts";

const folder = temporaryFolder();
const base = join(folder, "base");
const baseDigest = await makeBase(base);
const OPTIONS = { version: "1.0.0", architecture: "amd64" };

/** Makes a build whose files have their own times and modes. */
async function build(name: string, mode: number, seconds: number): Promise<string> {
  const server = join(folder, name, "packages/server/main.js");
  await mkdir(join(server, ".."), { recursive: true });
  await writeFile(server, "// the server\n", { mode });
  await utimes(server, seconds, seconds);
  return join(folder, name);
}

test("an image packed twice has one digest, whenever and by whomever the build was made", async () => {
  const first = await packImage(base, await build("a", 0o600, 1e9), join(folder, "a.tar"), OPTIONS);
  const again = await packImage(base, await build("b", 0o644, 9e8), join(folder, "b.tar"), OPTIONS);
  assertEquals(again, first);
  assertEquals(await readFile(join(folder, "b.tar")), await readFile(join(folder, "a.tar")));
  assertEquals(first.baseDigest, baseDigest);

  const layout = join(folder, "layout");
  await mkdir(layout);
  await mustRun("tar", ["-xf", join(folder, "a.tar"), "-C", layout]);
  const read = async (digest: string) =>
    JSON.parse(await readFile(join(layout, "blobs", digest.replace(":", "/")), "utf8"));
  const manifest = await read(first.digest);
  const { config, rootfs } = await read(manifest.config.digest);
  assertEquals([manifest.layers.length, rootfs.diff_ids.length], [2, 2]);
  assertEquals([config.User, config.WorkingDir, config.Entrypoint], [
    "10001:10001",
    "/app",
    ["docker-entrypoint.sh"],
  ]);
  assertEquals(config.Labels["org.opencontainers.image.base.digest"], baseDigest);
  const layer = join(layout, "blobs", manifest.layers[1].digest.replace(":", "/"));
  const listed = await mustRun("tar", ["-tvzf", layer, "--numeric-owner"]);
  const lines = [
    /^-rw-r--r-- 0\/0 .* app\/packages\/server\/main\.js$/m,
    /^drwx------ 10001\/10001 .* var\/lib\/sabika\/secrets\/$/m,
    /^drwxr-xr-x 10001\/10001 .* var\/lib\/sabika\/sidecar\/$/m,
    /usr\/local\/bin\/\.wh\.npm$/m,
  ];
  for (const line of lines) assert(line.test(listed), `${line}\n${listed}`);
  const passwd = await mustRun("tar", ["-xOzf", layer, "etc/passwd"]);
  assertEquals(passwd.split("\n").slice(-2), ["sabika:x:10001:10001::/:/sbin/nologin", ""]);
});

test("a base whose bytes are not what its digest says is refused", async () => {
  const bad = join(folder, "bad");
  const digest = await makeBase(bad);
  await writeFile(join(bad, "blobs", digest.replace(":", "/")), "{}");
  const pack = (base: string, architecture: string) =>
    packImage(base, join(folder, "a"), join(folder, "c.tar"), { ...OPTIONS, architecture });
  await assertRejects(() => pack(bad, "amd64"), Error, "has other bytes");
  await assertRejects(() => pack(folder, "amd64"), Error, "as an OCI layout");
});

test("the packed image has the folders that the Dockerfile makes", async () => {
  const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const [, all] = /&& mkdir (secrets .*) \\/.exec(dockerfile)!;
  const [, own] = /chmod 0700 (.*)/.exec(dockerfile)!;
  const sorted = (names: string) => names.split(" ").sort();
  assertEquals(Object.values(FOLDERS).flat().sort(), sorted(all!));
  assertEquals([...FOLDERS["0700"]!].sort(), sorted(own!));
});
