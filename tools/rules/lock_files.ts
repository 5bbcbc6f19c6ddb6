import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

const AGAIN = "make it again: remove it, then `deno install --lockfile-only` " +
  "(the tests' Deno is tools/deno/node_modules/deno/deno)";

const WORKSPACES = /^(loadtest\/|packages\/\w+\/)?package\.json$/;

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Member {
  packageJson?: { dependencies?: string[] };
}

interface DenoLock {
  npm?: Record<string, unknown>;
  workspace?: Member & { members?: Record<string, Member> };
}

/**
 * deno.lock holds the versions that package-lock.json holds, for the dependencies that the package.json
 * files name: else `deno install --frozen` refuses it, and whoever runs Deno finds it changed.
 */
export function checkLockFiles(files: readonly SourceFile[]): Violation[] {
  const read = (path: string) => JSON.parse(files.find((file) => file.path === path)?.text ?? "{}");
  const lock = read("deno.lock") as DenoLock;
  const problems = [
    ...difference(
      npmVersions(read("package-lock.json").packages ?? {}),
      Object.keys(lock.npm ?? {}).map(withoutPeers),
      "package-lock.json",
    ),
    ...files.filter(({ path }) => WORKSPACES.test(path)).flatMap((file) => {
      const folder = file.path.replace(/\/?package\.json$/, "");
      const member = folder === "" ? lock.workspace : lock.workspace?.members?.[folder];
      const named = member?.packageJson?.dependencies ?? [];
      return difference(
        namedVersions(JSON.parse(file.text)),
        named.map((one) => one.replace(/^npm:/, "")),
        file.path,
      );
    }),
  ];
  if (problems.length === 0) return [];
  const more = problems.length > 3 ? ` and ${problems.length - 3} more` : "";
  const message = `${problems.slice(0, 3).join(", ")}${more}; ${AGAIN}`;
  return [{ path: "deno.lock", line: 1, message }];
}

function difference(wanted: string[], locked: string[], source: string): string[] {
  return [
    ...wanted.filter((one) => !locked.includes(one)).map((one) => `${one} of ${source} is missing`),
    ...locked.filter((one) => !wanted.includes(one)).map((one) => `${one} is not in ${source}`),
  ];
}

/** `NAME@VERSION` of all packages from outside. */
function npmVersions(packages: Record<string, { version?: string; link?: boolean }>): string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .map(([path, { version }]) => `${path.split("node_modules/").at(-1)}@${version}`);
}

/** What a package.json asks for, without what stands in a folder of the repository. */
function namedVersions({ dependencies, devDependencies }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !version.startsWith("file:"))
    .map(([name, version]) => `${name}@${version}`);
}

/** Deno adds the versions of peers: `drizzle-orm@0.45.4_postgres@3.4.9`. */
function withoutPeers(key: string): string {
  return key.replace(/^(@?[^@]+@[^_]+).*$/, "$1");
}
