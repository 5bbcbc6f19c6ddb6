import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommandOf } from "../clients/language.ts";
import { cacheFolder } from "../programs/cache_folder.ts";
import { fetchOnce } from "../programs/fetch_once.ts";
import { onPath } from "../programs/on_path.ts";
import { mustRun } from "../programs/run_program.ts";
import { DOCUMENT } from "./document.ts";
import { type Judge, resultOf } from "./judge.ts";

/** With the TypeScript whose compiler API it is written for; ours has none. */
const PACKAGES = ["openapi-typescript@7.13.0", "typescript@5.9.3"];

/** A program over the generated types: what it says of an order is what the document says. */
const USE = `import type { components, operations, webhooks } from "./api.js";
type Order = components["schemas"]["Order"];
export const total = (order: Order): number => order.total_sar;
export const body: operations["createOrder"]["requestBody"]["content"]["application/json"] = {
  quote_id: "qt_1",
};
export type Executed =
  webhooks["order.executed"]["post"]["requestBody"]["content"]["application/json"];
export const side: "buy" | "sell" = {} as Order["side"];
// @ts-expect-error there is no such side
export const other: Order["side"] = "hold";
`;

/** openapi-typescript: its types compile, and a program that uses them. */
export const typescriptClient: Judge = {
  name: "typescript",
  async prepare(scratch) {
    const node = onPath("node");
    if (node === undefined) throw new Error("node is not on the PATH");
    const folder = await fetchOnce(
      join(cacheFolder("contract"), PACKAGES.join("-")),
      async (part) => {
        await mustRun("npm", [
          ...["install", "--prefix", part, "--no-save", "--no-package-lock", "--ignore-scripts"],
          ...["--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES],
        ], { cwd: part });
      },
    );
    const run = (file: string, ...args: string[]) =>
      runCommandOf({
        command: node,
        args: [join(folder, "node_modules", file), ...args],
        cwd: scratch,
        env: {},
      });
    return async () => {
      const generated = await run("openapi-typescript/bin/cli.js", DOCUMENT, "-o", "api.d.ts");
      await writeFile(join(scratch, "use.ts"), USE);
      const compiled = await run(
        "typescript/bin/tsc",
        ...["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"],
        ...["--moduleResolution", "nodenext", "use.ts"],
      );
      return {
        results: [
          resultOf("openapi-typescript makes types of it", generated),
          resultOf("they compile, with a program that uses them", compiled),
        ],
        output: generated.output + compiled.output,
      };
    };
  },
};
