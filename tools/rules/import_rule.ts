/**
 * Checks which part of the repository imports which, and how. A package may import what its package.json
 * lists. The compiler checks that an imported file exists and exports the name; oxlint checks that product
 * code uses Web Crypto.
 */
import { posix } from "node:path";
import { checkCycles } from "./cycles.ts";
import { checkPortable } from "./portable_source.ts";
import { readImports } from "./read_imports.ts";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** Packages whose source Node, Deno, browsers and k6 load unchanged; k6 resolves paths, but no names. */
const PORTABLE = /^packages\/(canonical|jws|protocol)$/;
/** The folders that may run programs of the machine. */
const RUNS_PROGRAMS = /^(packages\/deployment|loadtest)$/;
/** Imported by its path, because it runs before any package is installed. */
const LOCK = "packages/database/lock/";

/** The packages that a package's tests may import besides its dependencies. */
const FOR_TESTS: Readonly<Record<string, readonly string[]>> = {
  loadtest: ["client", "protocol", "terms"],
  "packages/database": ["service"],
  "packages/deployment": ["client"],
  "packages/operator": ["client", "sandbox"],
  "packages/server": ["office"],
  "packages/service": ["office"],
  "packages/sidecar": ["protocol"],
};

/** What a reader of an example adds to a project of their own (Decision D119). */
const READERS_OWN = ["pkcs11js", "@aws-sdk/client-kms"];

/** The names that each package.json lists, by its folder. */
type Manifests = ReadonlyMap<string, ReadonlySet<string>>;

/** Finds all violations of the rule in these files. */
export function checkImportRule(files: readonly SourceFile[]): Violation[] {
  const manifests: Manifests = new Map(
    files.filter(({ path }) => /(^|\/)package\.json$/.test(path)).map(({ path, text }) => {
      const { dependencies, devDependencies } = JSON.parse(text);
      return [posix.dirname(path), new Set(Object.keys({ ...dependencies, ...devDependencies }))];
    }),
  );
  const sources = files.filter(({ path }) =>
    /^(packages|loadtest|tools|test|docs)\/.*\.(m?tsx?|mjs)$/.test(path)
  );
  const found: Violation[] = [];
  for (const [folder, names] of manifests) {
    if (!PORTABLE.test(folder) || names.size === 0) continue;
    found.push({ path: `${folder}/package.json`, line: 1, message: "k6 finds no dependencies" });
  }
  for (const file of sources) {
    for (const { specifier, line } of readImports(file.text)) {
      const message = specifier.startsWith(".")
        ? checkPath(file.path, specifier)
        : checkName(file.path, specifier, manifests);
      if (message !== undefined) found.push({ path: file.path, line, message });
    }
    if (isPortable(file.path)) found.push(...checkPortable(file));
  }
  return [...found, ...checkCycles(sources.filter(({ path }) => !isTest(path)))];
}

function checkPath(path: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [packageOf(path), packageOf(target)];
  if (from === to || target.startsWith(LOCK)) return undefined;
  if (to !== undefined) {
    const byPath = PORTABLE.test(to) && (from === "loadtest" || PORTABLE.test(from ?? ""));
    if (!byPath) return `${specifier} is inside of ${to}: import it by its name`;
    return target === `${to}/mod.ts` ? undefined : `${specifier} is inside of ${to}: its mod.ts`;
  }
  const isAllowed = isTest(path)
    ? /^(test\/(support|secret_search)|tools\/programs)\//.test(target)
    : RUNS_PROGRAMS.test(from!) && target.startsWith("tools/programs/");
  return isAllowed ? undefined : `${from} does not import ${target}`;
}

function checkName(path: string, specifier: string, manifests: Manifests): string | undefined {
  const from = packageOf(path);
  if (isPortable(path)) return `${from} imports by relative path, for k6, and only its like`;
  if (/^(node:|k6(\/|$))/.test(specifier)) return undefined;
  const [scope = "", name = ""] = specifier.split("/");
  const wanted = specifier.startsWith("@") ? `${scope}/${name}` : scope;
  if (path.startsWith("docs/") && scope === "@sabika" && name !== "client") {
    return "examples import the client alone";
  }
  if (path.startsWith("docs/examples/") && READERS_OWN.includes(wanted)) return undefined;
  if (manifests.get(from ?? "")?.has(wanted)) return undefined;
  const isAllowed = scope !== "@sabika"
    ? (from === undefined || isTest(path)) && [...manifests.values()].some((all) => all.has(wanted))
    : from === undefined ||
      (isTest(path) && (posix.basename(from) === name || FOR_TESTS[from]?.includes(name)));
  return isAllowed ? undefined : `${wanted} is not a dependency of ${from ?? "any package"}`;
}

/** Returns the folder of a file's package; undefined outside of packages. */
function packageOf(path: string): string | undefined {
  return /^(packages\/[^/]+|loadtest)(?=\/)/.exec(path)?.[0];
}

function isTest(path: string): boolean {
  return /_test\.ts$/.test(path);
}

/** Returns whether a file is source that k6 and browsers load too. */
function isPortable(path: string): boolean {
  return PORTABLE.test(packageOf(path) ?? "") && !isTest(path);
}
