/** Bundles programs. In JavaScript, because it runs before TypeScript can be loaded. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, relative } from "node:path";

/** Defines `require`, which CommonJS packages call and ES modules lack. */
export const REQUIRE = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`;

/**
 * Bundles a program with all its imports, because Node takes far longer to find and link hundreds of small
 * files than to run them. Data files are not copied: `import.meta.url` in sources of `packages` is replaced,
 * so that they are found relative to the sources.
 *
 * @param {object} options
 * @param {string} options.root the repository's folder, with its packages installed
 * @param {string} options.program the program's path in it
 * @param {string} options.out the folder for the bundle
 * @param {string} [options.base] the folder to which the sources' URLs are relative: where the bundle runs, or
 * its counterpart in the repository if the build is laid out like it; `out` by default
 * @param {readonly string[]} options.external packages that are not bundled
 * @param {boolean} options.isSplit whether dynamic imports become separate files
 * @returns {Promise<string[]>} the paths of all bundled sources, also those in node_modules, from `root`
 * @throws {Error} with esbuild's messages when the program does not compile
 */
export async function bundleProgram({ root, program, out, base = out, external, isSplit }) {
  const { metafile } = await requireEsbuild().build({
    entryPoints: [join(root, program)],
    outdir: out,
    bundle: true,
    splitting: isSplit,
    platform: "node",
    format: "esm",
    target: "node20.19",
    // No `keepNames`: it would set the name of each closure whenever one is made.
    legalComments: "inline",
    external: [...external],
    banner: { js: REQUIRE },
    plugins: [sourceUrls(base, join(root, "packages"))],
    absWorkingDir: root,
    logLevel: "silent",
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** Replaces `import.meta.url` in sources of `packages` with the source's URL, relative to `base`. */
function sourceUrls(base, packages) {
  return {
    name: "source-urls",
    setup({ onLoad }) {
      onLoad({ filter: /\.(js|tsx?)$/ }, async ({ path }) => {
        if (!path.startsWith(`${packages}/`)) return undefined;
        const text = await readFile(path, "utf8");
        const place = JSON.stringify(relative(base, path));
        const url = `new URL(${place}, import.meta.url).href`;
        return {
          contents: text.replaceAll("import.meta.url", () => url),
          loader: extname(path).slice(1),
        };
      });
    },
  };
}

/** Returns tsx's esbuild, which also compiles the source for all other commands. */
export function requireEsbuild() {
  return createRequire(createRequire(import.meta.url).resolve("tsx"))("esbuild");
}
