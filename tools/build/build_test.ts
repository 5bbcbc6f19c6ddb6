import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { readImports } from "../rules/read_imports.ts";
import { ROOT } from "../rules/repository_files.ts";
import { buildService, PROGRAMS } from "./build_service.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";

const MOST_MEGABYTES = 16;

test("a build has only JavaScript, starts alone, and lists its packages", async () => {
  const folder = temporaryFolder();
  const { bytes, version } = await buildService(folder);
  assert(bytes < MOST_MEGABYTES * 2 ** 20, `${bytes} bytes`);
  const files = await readdir(folder, { recursive: true });
  const source = files.filter((path) => /(?<!\.d)\.([cm]?ts|tsx)$|_test\.js$/.test(path));
  assertEquals(source, []);
  const foreign = files.filter((path) =>
    /\/(testing|test|faults|support|stack)\/|packages\/(sandbox|client)\//.test(path)
  );
  assertEquals(foreign, []);
  for (const data of ["service/orders/place_orders.sql", "console/assets/passkey.js"]) {
    assert(files.includes(`packages/${data}`), data);
  }
  const outside = await outsidePackages(folder);
  for (const name of ["tsx", "esbuild", "@electric-sql/pglite", "typescript", "undici"]) {
    assertEquals(outside.includes(name), false, name);
  }

  // Starting a server loads no other source file.
  const server = await readFile(join(folder, "packages/server/main.js"), "utf8");
  const imported = readImports(server).map(({ specifier }) => specifier);
  assertEquals(imported.filter((name) => !isBuiltin(name)), []);

  const sbom = JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8"));
  const listed: { name: string; licenses: unknown[]; purl: string }[] = sbom.components;
  assertEquals([...new Set(listed.map(({ name }) => name))].sort(), outside);
  assertEquals(sbom.metadata.component.version, version);
  for (const { name, licenses, purl } of listed) {
    assertMatch(
      JSON.stringify(licenses),
      /"(MIT|ISC|Apache-2\.0|BSD|0BSD|Unlicense|BlueOak)/,
      name,
    );
    assertMatch(purl, /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
  }

  for (const program of PROGRAMS) {
    const file = join(folder, program.replace(/\.ts$/, ".js"));
    assertEquals((await stat(file)).mode & 0o111, 0o111, program);
  }
  const compose = await readFile(join(ROOT, "docker-compose.yml"), "utf8");
  for (const [path] of compose.matchAll(/packages\/\S+\.js/g)) assert(files.includes(path), path);
  const run = (program: string, ...args: string[]) =>
    spawnSync("node", [program, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
      encoding: "utf8",
    });
  assertMatch(run("packages/operator/main.js", "--help").stdout, /USAGE/);
  assertMatch(run("packages/server/main.js").stderr, /^sabika: .*SABIKA_/m);
  assertMatch(run("packages/console/main.js").stderr, /^sabika: .*SABIKA_/m);
  assertMatch(run("packages/deployment/containers/prepare.js").stderr, /which job/);
  assertMatch(run("packages/sidecar/main.js", "--help").stdout, /render/);
  // A data folder of the sandbox, whose embedded database the build does not have.
  await mkdir(join(folder, "data", "database"), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "data", "master.key"), "", { mode: 0o600 });
  const list = run("packages/operator/main.js", "partner", "list", "--data", join(folder, "data"));
  assertStringIncludes(list.stderr, "sabika: ");
  assertEquals(list.status, 1);
});

test("a build replaces an earlier one, and nothing else", async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, "mine"), "");
  const error = await buildService(folder).then(() => undefined, (error: Error) => error);
  assertStringIncludes(error?.message ?? "", "files that no build made");
  assertEquals(await readdir(folder), ["mine"]);
});

/** Lists the external packages in `node_modules`, including nested ones. */
async function outsidePackages(folder: string): Promise<string[]> {
  const modules = join(folder, "node_modules");
  const manifests = (await readdir(modules, { recursive: true }))
    .map((path) => /^(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/@]+)\/package\.json$/.exec(path)?.[1])
    .filter((name) => name !== undefined && !name.startsWith("@sabika/"));
  return [...new Set(manifests as string[])].sort();
}
