/**
 * Which room may import which, and by which entrance (`rooms.ts`). `npm run check` and a test run
 * it over the whole repository, so that no arrow is turned round by accident. That an imported file is
 * there and a package exports what is asked of it, the compiler says.
 */
import { posix } from "node:path";
import { checkCycles } from "./cycles.ts";
import { checkPortable } from "./portable_source.ts";
import { readImports } from "./read_imports.ts";
import type { SourceFile } from "./repository_files.ts";
import { FOR_TESTS, PORTABLE, roomOf, ROOMS } from "./rooms.ts";
import type { Violation } from "./violation.ts";

/** The names that each package.json lists, by its folder. */
type Manifests = Map<string, Set<string>>;

/** All breaks of the rules in the given files (paths from the repository's root). */
export function checkImportRule(files: readonly SourceFile[]): Violation[] {
  const manifests: Manifests = new Map(
    files.filter(({ path }) => /(^|\/)package\.json$/.test(path)).map(({ path, text }) => {
      const { dependencies, devDependencies } = JSON.parse(text);
      return [posix.dirname(path), new Set(Object.keys({ ...dependencies, ...devDependencies }))];
    }),
  );
  const sources = files.filter(({ path }) => /\.m?tsx?$|\.mjs$/.test(path) && roomOf(path));
  const found: Violation[] = [];
  for (const file of sources) {
    for (const { specifier, line } of readImports(file.text)) {
      const message = specifier.startsWith(".")
        ? checkPath(file.path, specifier)
        : specifier.startsWith("@sabika/")
        ? checkName(file.path, specifier, manifests)
        : checkOutside(file.path, specifier, manifests);
      if (message !== undefined) found.push({ path: file.path, line, message });
    }
    if (isPortable(file.path)) found.push(...checkPortable(file));
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

function checkPath(path: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
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

function checkName(path: string, specifier: string, manifests: Manifests): string | undefined {
  const to = specifier.split("/")[1]!;
  if (isPortable(path)) return `${roomOf(path)} imports by relative path, for k6`;
  return checkArrow(path, to) ?? checkDeclared(path, `@sabika/${to}`, manifests);
}

/** Web Crypto's HMAC is another thread's, which costs a delivery more than all else of it (D33). */
const SIGNS_ON_ITS_THREAD = "packages/service/delivery/sign_delivery.ts";

function checkOutside(path: string, specifier: string, manifests: Manifests): string | undefined {
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

/** A package lists what its source imports; tests and tools use what any package.json lists. */
function checkDeclared(path: string, name: string, manifests: Manifests): string | undefined {
  const room = roomOf(path)!;
  const listed = isTest(path) ? undefined : manifests.get(ROOMS[room]!.folder);
  const isDeclared = listed !== undefined
    ? listed.has(name)
    : name.startsWith("@sabika/") || [...manifests.values()].some((names) => names.has(name));
  return isDeclared ? undefined : `${name} is not a dependency of ${room}`;
}
