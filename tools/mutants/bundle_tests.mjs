import { readFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { REQUIRE, requireEsbuild } from "../build/bundle_program.mjs";

/**
 * Bundles test files with all that they import, so that a process of tests starts in a fraction of the time.
 * `import.meta.url` stays that of the source, beside which data files are found.
 *
 * @param {string} root the folder of the repository, or of a copy of it
 * @param {readonly string[]} tests the tests' paths in it
 * @returns {Promise<Map<string, string>>} the path of each test's bundle in it, by the test's path
 */
export async function bundleTests(root, tests) {
  const out = join(root, ".bundles");
  const { metafile } = await requireEsbuild().build({
    absWorkingDir: root,
    entryPoints: [...tests],
    outdir: out,
    outbase: root,
    bundle: true,
    // One copy of each module in a process, whichever tests it runs.
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    // Named as exactly as in the source, for tests that compare.
    keepNames: true,
    banner: { js: REQUIRE },
    plugins: [otherPackages(), sourceUrls(root)],
    logLevel: "silent",
    metafile: true,
  });
  return new Map(
    Object.entries(metafile.outputs).flatMap(([output, { entryPoint }]) =>
      tests.includes(entryPoint ?? "") ? [[entryPoint, output]] : []
    ),
  );
}

/** Leaves packages out that are CommonJS or few files: as modules, those have other exports in a bundle. */
function otherPackages() {
  const bundled = /^(@sabika|@std|@hono|hono|drizzle-orm|postgres)(\/|$)/;
  return {
    name: "other-packages",
    setup({ onResolve }) {
      onResolve(
        { filter: /^[^./]/ },
        ({ path, kind }) =>
          kind === "entry-point" || bundled.test(path) ? undefined : { path, external: true },
      );
    },
  };
}

/** Makes `import.meta.url` in our sources that of the source, not of the bundle. */
function sourceUrls(root) {
  return {
    name: "source-urls",
    setup({ onLoad }) {
      onLoad({ filter: /\.(mjs|js|tsx?)$/ }, async ({ path }) => {
        if (relative(root, path).includes("node_modules")) return undefined;
        const text = await readFile(path, "utf8");
        if (!text.includes("import.meta.url")) return undefined;
        const url = JSON.stringify(pathToFileURL(path).href);
        const loader = extname(path).slice(1).replace("mjs", "js");
        return { contents: text.replaceAll("import.meta.url", () => url), loader };
      });
    },
  };
}
