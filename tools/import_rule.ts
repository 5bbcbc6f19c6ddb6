/**
 * Which room may import which, and by which entrance (`rules/rooms.ts`). `npm run check` and a test run
 * it over the whole repository, so that no arrow is turned round by accident.
 */
import { posix } from "node:path";
import { checkCycles } from "./rules/cycles.ts";
import { checkMachineTraces } from "./rules/machine_traces.ts";
import { type Manifests, readManifests } from "./rules/manifests.ts";
import { checkPortable } from "./rules/portable_source.ts";
import { readImports } from "./rules/read_imports.ts";
import type { SourceFile } from "./rules/repository_files.ts";
import { FOR_TESTS, PORTABLE, roomOf, ROOMS } from "./rules/rooms.ts";
import type { Violation } from "./rules/violation.ts";

/** All breaks of the rules in the given files (paths from the repository's root). */
export function checkImportRule(files: readonly SourceFile[]): Violation[] {
  const paths = new Set(files.map((file) => file.path));
  const manifests = readManifests(files);
  const sources = files.filter(({ path }) => /\.m?tsx?$|\.mjs$/.test(path) && roomOf(path));
  const found = checkMachineTraces(files);
  for (const file of sources) {
    for (const { specifier, line } of readImports(file.text)) {
      const message = specifier.startsWith(".")
        ? checkPath(file.path, specifier, paths)
        : specifier.startsWith("@sabika/")
        ? checkName(file.path, specifier, manifests)
        : checkOutside(file.path, specifier, manifests);
      if (message !== undefined) found.push({ path: file.path, line, message });
    }
    if (isPortable(file.path)) found.push(...checkPortable(file));
  }
  for (const room of PORTABLE) {
    if (manifests.dependencies(room).size > 0) {
      const path = `packages/${room}/package.json`;
      found.push({ path, line: 1, message: `${room} has no dependencies` });
    }
  }
  return [...found, ...checkCycles(sources.filter(({ path }) => !isTest(path)))];
}

function isTest(path: string): boolean {
  return /_test\.ts$/.test(path);
}

/** Whether a file is source that k6 and browsers load too. */
function isPortable(path: string): boolean {
  return PORTABLE.includes(roomOf(path)!) && !isTest(path);
}

function checkPath(path: string, specifier: string, paths: ReadonlySet<string>) {
  const target = posix.join(posix.dirname(path), specifier);
  if (!paths.has(target)) return `${specifier} is not a file of the repository`;
  const [from, to] = [roomOf(path)!, roomOf(target)];
  if (to === from) return undefined;
  if (to === undefined) return `${specifier} leaves the rooms`;
  const { entrance, folder } = ROOMS[to]!;
  if (entrance === "name") {
    return `${specifier} is inside of ${to}: import @sabika/${to} by its name`;
  }
  if (entrance === "mod") {
    if (target !== `${folder}/mod.ts`) return `${specifier} is inside of ${to}: import its mod.ts`;
    if (!PORTABLE.includes(from) && from !== "loadtest") return `import @sabika/${to} by its name`;
  }
  return checkArrow(path, to);
}

function checkName(path: string, specifier: string, manifests: Manifests) {
  const to = specifier.split("/")[1]!;
  if (!manifests.isExported(specifier)) return `${specifier} is not exported by its package.json`;
  if (isPortable(path)) return `${roomOf(path)} imports by relative path, for k6`;
  return checkArrow(path, to) ?? checkDeclared(path, `@sabika/${to}`, manifests);
}

/** Web Crypto's HMAC is another thread's, which costs a delivery more than all else of it (D33). */
const SIGNS_ON_ITS_THREAD = "packages/core/webhooks/sign_delivery.ts";

function checkOutside(path: string, specifier: string, manifests: Manifests) {
  const room = roomOf(path)!;
  if (isPortable(path)) return `${room} imports nothing from outside, and no ${specifier}`;
  const isProduct = ROOMS[room]!.folder.startsWith("packages/") && !isTest(path);
  if (isProduct && /^(node:)?crypto$/.test(specifier) && path !== SIGNS_ON_ITS_THREAD) {
    return "product code uses Web Crypto, not node:crypto";
  }
  if (/^(node:|k6(\/|$))/.test(specifier)) return undefined;
  const depth = specifier.startsWith("@") ? 2 : 1;
  return checkDeclared(path, specifier.split("/").slice(0, depth).join("/"), manifests);
}

function checkArrow(path: string, to: string): string | undefined {
  const from = roomOf(path)!;
  const { imports, tests = [] } = ROOMS[from]!;
  const allowed = isTest(path) ? [...imports, ...tests, ...FOR_TESTS, from] : imports;
  return allowed.includes(to) ? undefined : `${from} does not import ${to}`;
}

/** Source declares in its package what it imports; tests and tools may in the repository's manifest. */
function checkDeclared(path: string, name: string, manifests: Manifests): string | undefined {
  const room = roomOf(path)!;
  const isProduct = manifests.has(room) && !isTest(path);
  const declared = manifests.dependencies(room).has(name) ||
    (!isProduct && (manifests.isOfRepository(name) || name.startsWith("@sabika/")));
  return declared ? undefined : `${name} is not a dependency of ${room}`;
}
