import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const AGAIN = "make it again: remove it, then `deno install --lockfile-only` " +
  "(the tests' Deno is tools/deno/node_modules/.bin/deno)";

/** deno.lock holds the versions that package-lock.json holds: Deno makes it from that file. */
export function checkLockFiles(files: readonly SourceFile[]): Violation[] {
  const read = (path: string) => JSON.parse(files.find((file) => file.path === path)?.text ?? "{}");
  const npm = npmVersions(read("package-lock.json").packages ?? {});
  const deno = new Set(Object.keys(read("deno.lock").npm ?? {}).map(withoutPeers));
  const problems = [
    ...[...npm].filter((one) => !deno.has(one)).map((one) => `${one} is missing`),
    ...[...deno].filter((one) => !npm.has(one)).map((one) => `${one} is not in package-lock.json`),
  ];
  if (problems.length === 0) return [];
  const more = problems.length > 3 ? ` and ${problems.length - 3} more` : "";
  const message = `${problems.slice(0, 3).join(", ")}${more}; ${AGAIN}`;
  return [{ path: "deno.lock", line: 1, message }];
}

/** `NAME@VERSION` of all packages from outside. */
function npmVersions(packages: Record<string, { version?: string; link?: boolean }>): Set<string> {
  return new Set(
    Object.entries(packages)
      .filter(([path, { link }]) => path.includes("node_modules/") && !link)
      .map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`),
  );
}

/** Deno adds the versions of peers: `drizzle-orm@0.45.4_postgres@3.4.9`. */
function withoutPeers(key: string): string {
  return key.replace(/^(@?[^@]+@[^_]+).*$/, "$1");
}
