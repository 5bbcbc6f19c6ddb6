import { posix } from "node:path";
import type { SourceFile } from "./repository_files.ts";
import { ROOMS } from "./rooms.ts";

/** What the rooms' package.json files declare. */
export type Manifests = ReturnType<typeof readManifests>;

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  exports?: string | Record<string, string>;
}

/** Reads all manifests among the files of the repository. */
export function readManifests(files: readonly SourceFile[]) {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const read = (folder: string): Manifest | undefined => {
    const text = texts.get(posix.join(folder, "package.json"));
    return text === undefined ? undefined : JSON.parse(text) as Manifest;
  };
  const rooms = new Map<string, Manifest>();
  for (const [room, { folder }] of Object.entries(ROOMS)) {
    const manifest = read(folder);
    if (manifest !== undefined) rooms.set(room, manifest);
  }
  const ofRepository = new Set(
    [read(""), ...rooms.values()].flatMap((manifest) =>
      Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })
    ),
  );
  const exported = new Set(
    [...rooms].flatMap(([room, { exports = {} }]) =>
      Object.keys(typeof exports === "string" ? { ".": exports } : exports)
        .map((subpath) => posix.join("@sabika", room, subpath))
    ),
  );
  return {
    has: (room: string) => rooms.has(room),
    /** The dependencies of a room's source; empty for a room without a manifest. */
    dependencies: (room: string) => new Set(Object.keys(rooms.get(room)?.dependencies ?? {})),
    /** Whether the manifest of the repository itself, or one of a package, declares a dependency. */
    isOfRepository: (name: string) => ofRepository.has(name),
    /** Whether a package exports this specifier, such as `@sabika/server` or `@sabika/core/ledger`. */
    isExported: (specifier: string) => exported.has(specifier),
  };
}
