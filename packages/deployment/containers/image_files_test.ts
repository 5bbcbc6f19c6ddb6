import { assert, assertEquals, assertMatch } from "@std/assert";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { imageFiles, PROGRAMS } from "./image_files.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const files = imageFiles(ROOT);

test("the image holds the programs of its containers and the SQL that they read", async () => {
  for (const program of PROGRAMS) assert(files.includes(program), program);
  assert(files.includes("packages/core/store/functions/place_orders.sql"));
  assert(files.some((path) => /store\/migrations\/\w+\.sql$/.test(path)));
  const compose = await readFile(join(ROOT, "docker-compose.yml"), "utf8");
  const run = [...compose.matchAll(/packages\/\S+\.ts/g)].map(([path]) => path)
    .filter((path) => !path.includes("containers/") || path.endsWith("prepare.ts"));
  assertEquals([...new Set(run)].sort(), PROGRAMS);
});

test("the image holds no test, no test support and no fault injection", () => {
  const foreign = files.filter((path) =>
    /_test\.ts$|\/(testing|test|faults|support)\/|^packages\/(sandbox|client)\//.test(path) ||
    !path.startsWith("packages/")
  );
  assertEquals(foreign, []);
  assertEquals(files.filter((path) => /deployment\/(stack|folders\/data_folder)/.test(path)), []);
});

test("the image's programs start from its files alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sabika-image-"));
  try {
    for (const path of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(join(ROOT, path), join(folder, path));
    }
    await cp(join(ROOT, "package.json"), join(folder, "package.json"));
    await linkPackages(folder);
    const run = (program: string, ...args: string[]) =>
      spawnSync("node", ["--import", "tsx", program, ...args], {
        cwd: folder,
        env: { PATH: process.env["PATH"] },
        encoding: "utf8",
      });
    assertMatch(run("packages/operator/main.ts", "--help").stdout, /USAGE/);
    assertMatch(run("packages/server/main.ts").stderr, /^sabika: .*SABIKA_/m);
    assertMatch(run("packages/deployment/containers/prepare.ts").stderr, /which job/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** The installed packages as the image has them, our own from its files. */
async function linkPackages(folder: string): Promise<void> {
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@sabika"), { recursive: true });
  for (const name of new Set(files.map((path) => path.split("/")[1]!))) {
    await symlink(join(folder, "packages", name), join(modules, "@sabika", name));
  }
  for (const name of await readdir(join(ROOT, "node_modules"))) {
    if (name === "@sabika" || name.startsWith(".")) continue;
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
}
