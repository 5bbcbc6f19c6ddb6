/** Bundles a program. Plain JavaScript, since it runs before TypeScript can. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join, relative } from "node:path";

/** Packages of CommonJS call `require`, which modules lack. */
const REQUIRE = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`;

/**
 * Bundles a program with all that it imports: Node takes far longer to find and link hundreds of small
 * files than to run them. Files that the program reads as data stay where they are.
 *
 * @param {object} what
 * @param {string} what.root the repository's folder, with its packages
 * @param {string} what.program the program's path in it
 * @param {string} what.out the folder that its file goes into
 * @param {string} [what.runsIn] the folder that `import.meta.url` is made relative to; `out` when left out
 * @param {readonly string[]} what.external packages that stay outside
 * @param {boolean} what.isSplit whether what it imports only where it needs it goes into files beside it
 * @returns {Promise<string[]>} the files that it consists of, from `root`
 */
export async function bundleProgram({ root, program, out, runsIn = out, external, isSplit }) {
  // The esbuild of tsx, which compiles our source for every other command too.
  const ofTsx = createRequire(createRequire(import.meta.url).resolve("tsx"));
  const { build } = ofTsx("esbuild");
  const { metafile } = await build({
    entryPoints: [join(root, program)],
    outdir: out,
    bundle: true,
    splitting: isSplit,
    platform: "node",
    format: "esm",
    target: "node20.19",
    // No `keepNames`: it would define the name of each closure at every call.
    legalComments: "inline",
    external: [...external],
    banner: { js: REQUIRE },
    plugins: [ownPlaces(runsIn, join(root, "packages"))],
    absWorkingDir: root,
    logLevel: "silent",
    metafile: true,
  });
  return Object.keys(metafile.inputs);
}

/** Lets each of our files know its own place, wherever its code runs. */
function ownPlaces(from, packages) {
  return {
    name: "own-places",
    setup({ onLoad }) {
      onLoad({ filter: /\.(js|tsx?)$/ }, async ({ path }) => {
        if (!path.startsWith(`${packages}/`)) return undefined;
        const text = await readFile(path, "utf8");
        const place = JSON.stringify(relative(from, path));
        const url = `new URL(${place}, import.meta.url).href`;
        return {
          contents: text.replaceAll("import.meta.url", url),
          loader: extname(path).slice(1),
        };
      });
    },
  };
}
