/** The members of a package.json that are used here. */
interface Manifest {
  exports: Record<string, string>;
  dependencies: Record<string, string>;
  [member: string]: unknown;
}

/**
 * Makes the package.json of the tarball: each export is the compiled file of the source that the repository's
 * package.json names, and siblings are no dependencies, because the tarball contains their code.
 *
 * @param manifest the package.json in the repository
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
