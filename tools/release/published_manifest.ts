/** The part of a package.json that is read here. */
interface Manifest {
  exports: Record<string, string>;
  dependencies: Record<string, string>;
  [member: string]: unknown;
}

/**
 * The package.json that goes into the tarball: each export is the compiled form of the source that the
 * repository's own package.json names, and no sibling is a dependency, since their code is inside.
 *
 * @param manifest the repository's
 */
export function publishedManifest(manifest: Manifest) {
  const { scripts: _, exports, dependencies, ...rest } = manifest;
  return {
    ...rest,
    bin: { "sabika-client": "./dist/client/command/main.js" },
    exports: Object.fromEntries(
      Object.entries(exports).map(([subpath, source]) => [subpath, compiled(source)]),
    ),
    dependencies: Object.fromEntries(
      Object.entries(dependencies).filter(([name]) => !name.startsWith("@sabika/")),
    ),
  };
}

function compiled(source: string): string | Record<string, string> {
  if (!source.endsWith(".ts")) return source;
  const base = `./dist/client/${source.slice(2, -".ts".length)}`;
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
