import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { check, type Subject } from "../clients/subject.ts";
import { cacheFolder, fetchOnce } from "../programs/cache_folder.ts";
import { installNpmPackages } from "../programs/fetch_packages.ts";
import { onPath } from "../programs/on_path.ts";
import { DOCUMENT } from "./document.ts";
import { commandLine } from "../programs/command_line.ts";

/** openapi-typescript with the TypeScript whose compiler API it uses; the repository's has none. */
const PACKAGES = ["openapi-typescript@7.13.0", "typescript@5.9.3"];

/** A program with the generated types: its statements about an order hold in the document. */
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
export const typescriptClient: Subject = {
  name: "typescript",
  async prepare(scratch) {
    const node = onPath("node");
    if (node === undefined) throw new Error("node is not on the PATH");
    const folder = await fetchOnce(
      join(cacheFolder("contract"), PACKAGES.join("-")),
      (part) => installNpmPackages(part, PACKAGES),
    );
    await writeFile(join(scratch, "use.ts"), USE);
    const run = (file: string, ...args: string[]) => ({
      command: node,
      args: [join(folder, "node_modules", file), ...args],
      cwd: scratch,
    });
    return {
      checks: [
        check(
          "openapi-typescript makes types of it",
          run("openapi-typescript/bin/cli.js", DOCUMENT, "-o", "api.d.ts"),
        ),
        check(
          "they compile, with a program that uses them",
          run(
            "typescript/bin/tsc",
            ...commandLine`--noEmit --strict --target es2022 --module nodenext
              --moduleResolution nodenext use.ts`,
          ),
        ),
      ],
    };
  },
};
