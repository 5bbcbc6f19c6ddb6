import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

/** What of esbuild is used here. */
interface Esbuild {
  build(options: Record<string, unknown>): Promise<unknown>;
}
type LoadFile = (file: { path: string }) => Promise<{ contents: string } | undefined>;
interface Building {
  onLoad(which: { filter: RegExp }, load: LoadFile): void;
}

// The one that tsx brings, which every other command of this repository runs our source by.
const ofTsx = createRequire(createRequire(import.meta.url).resolve("tsx"));
const { build } = ofTsx("esbuild") as Esbuild;

/** What packages of CommonJS ask Node for, which a module has not. */
const REQUIRE = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);`;

/**
 * Puts all that a compiled program imports into its own file: of hundreds of small files Node spends far
 * longer finding and linking them than running them. What a file reads as data is read where it was.
 *
 * @param folder what `npm run build` makes, with its packages
 * @param program the program's path in it
 * @param external packages that are not there, and are only asked for where they are
 * @param isSplit whether what it imports only where it needs it goes into files beside it
 */
export async function bundleProgram(
  folder: string,
  program: string,
  external: readonly string[],
  isSplit: boolean,
): Promise<void> {
  const file = join(folder, program);
  await build({
    entryPoints: [file],
    outdir: dirname(file),
    allowOverwrite: true,
    bundle: true,
    splitting: isSplit,
    platform: "node",
    format: "esm",
    target: "node20.19",
    // Names stay as they are but where two are alike: `keepNames` would define one for each closure as
    // it is made, in every call.
    legalComments: "inline",
    external: [...external],
    banner: { js: REQUIRE },
    plugins: [ownPlaces(dirname(file), join(folder, "packages"))],
    absWorkingDir: folder,
    logLevel: "silent",
  });
}

/** Has each of our files know its own place, wherever its code runs. */
function ownPlaces(from: string, packages: string) {
  return {
    name: "own-places",
    setup({ onLoad }: Building) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!path.startsWith(`${packages}/`)) return undefined;
        const text = await readFile(path, "utf8");
        const place = JSON.stringify(relative(from, path));
        const url = `new URL(${place}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", url) };
      });
    },
  };
}
