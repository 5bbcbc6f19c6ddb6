import { join } from "node:path";
import process from "node:process";
import { mustRun } from "../programs/run_program.ts";
import { ROOT } from "../rules/repository_files.ts";
import { ensureDeno } from "../setup.mjs";

/** The entry points of the published packages. */
const ENTRANCES: Readonly<Record<string, string>> = {
  "@sabika/canonical": "canonical/mod.ts",
  "@sabika/jws": "jws/mod.ts",
  "@sabika/protocol": "protocol/mod.ts",
  "@sabika/client": "client/mod.ts",
  "@sabika/client/hono": "client/hono.ts",
};

/** The members of `deno doc --json` that are used here. */
export interface Documented {
  readonly name: string;
  readonly declarations: readonly {
    readonly kind: string;
    readonly def?: {
      readonly properties?: readonly Member[];
      readonly methods?: readonly Member[];
    };
  }[];
}
interface Member {
  readonly name: string;
  readonly optional?: boolean;
  readonly accessibility?: string;
}

/** Lists the exports of the published packages with their kinds, and the members of interfaces and classes. */
export async function exportedLines(): Promise<string[]> {
  const deno = await ensureDeno();
  const env = { ...process.env, NO_COLOR: "1" };
  const all = await Promise.all(
    Object.entries(ENTRANCES).map(async ([specifier, path]) => {
      const args = ["doc", "--json", join("packages", path)];
      const { nodes } = JSON.parse(await mustRun(deno, args, { cwd: ROOT, env }));
      const [{ symbols }] = Object.values(nodes) as [{ symbols: Documented[] }];
      return linesOf(specifier, symbols);
    }),
  );
  const lines = new Set(all.flat());
  // The members of the protocol's exports are listed for the protocol only.
  const isThere = (line: string) =>
    line.includes(".") && lines.has(line.replace("@sabika/client ", "@sabika/protocol "));
  return [...lines].filter((line) => !line.startsWith("export @sabika/client ") || !isThere(line));
}

/** Lists the exports of one entry point. */
function linesOf(specifier: string, symbols: readonly Documented[]): string[] {
  return symbols.flatMap(({ name, declarations }) =>
    declarations.flatMap(({ kind, def: { properties = [], methods = [] } = {} }) => [
      `export ${specifier} ${name}: ${kind}`,
      ...[...properties, ...methods].filter(({ accessibility }) => accessibility !== "private")
        .map((member) =>
          `export ${specifier} ${name}.${member.name}${
            member.optional === true ? ": optional" : ""
          }`
        ),
    ])
  );
}
