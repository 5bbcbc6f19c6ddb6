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
    exports: {
      ...Object.fromEntries(
        Object.entries(exports).map(([subpath, source]) => [
          subpath,
          source.endsWith(".ts") ? compiled(`client/${source.slice(2, -".ts".length)}`) : source,
        ]),
      ),
      ".": { browser: compiled("client/browser").import, ...compiled("client/mod") },
      "./protocol": compiled("protocol/mod"),
    },
    dependencies: Object.fromEntries(
      Object.entries(dependencies).filter(([name]) => !name.startsWith("@sabika/")),
    ),
  };
}

/** Returns what `import` and `require` get of a module in `dist`. */
function compiled(module: string) {
  const base = `./dist/${module}`;
  return {
    import: { types: `${base}.d.ts`, default: `${base}.js` },
    require: { types: `${base}.d.cts`, default: `${base}.cjs` },
  };
}
