import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SETTINGS } from "@sabika/terms/settings";
import { application } from "@sabika/operator";
import { ERROR_CODES, RETRYABLE, STATUS_OF } from "@sabika/protocol";
import { openApiDocument } from "@sabika/reference";
import { ROOT } from "../rules/repository_files.ts";
import { commandLines, type CommandTree, helpLines } from "./command_lines.ts";
import { exportedLines } from "./exported_lines.ts";
import { openApiLines } from "./open_api_lines.ts";

/**
 * Lists the public surface (docs/versioning.md): a sorted line for each endpoint, member, error code,
 * setting, command, flag, and export of a published package.
 */
export async function surfaceLines(): Promise<string[]> {
  const document = openApiDocument({ environment: "sandbox", baseUrl: "https://127.0.0.1:8443" });
  const lines = [
    ...ERROR_CODES.map((code) =>
      `code ${code}: ${STATUS_OF[code]}${RETRYABLE[code] ? " again" : ""}`
    ),
    ...Object.keys(SETTINGS).map((name) => `setting ${name}`),
    ...openApiLines(document),
    ...commandLines("sabika", application.root as unknown as CommandTree),
    ...await clientCommandLines(),
    ...await exportedLines(),
  ];
  return [...new Set(lines)].sort();
}

/** Lists the partner's commands, each of which has a file with its help. */
async function clientCommandLines(): Promise<string[]> {
  const folder = join(ROOT, "packages", "client", "command");
  const list = await readFile(join(folder, "run.ts"), "utf8");
  const [, names = ""] = /COMMANDS[^{]*\{([^}]*)\}/.exec(list) ?? [];
  const found = await Promise.all(
    (names.match(/\w+/g) ?? []).map(async (name) =>
      helpLines(`sabika-client ${name}`, await readFile(join(folder, `${name}.ts`), "utf8"))
    ),
  );
  return found.flat();
}
