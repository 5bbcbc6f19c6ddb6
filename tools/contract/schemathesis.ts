import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPython } from "../clients/find_python.ts";
import { runCommandOf, type Subject } from "../clients/subject.ts";
import { ROOT } from "../rules/repository_files.ts";
import { FOLDER, REQUIREMENTS } from "./document.ts";
import { commandLine } from "../programs/command_line.ts";

/** How long fuzzing and sequences of calls may take, after the examples and coverage. */
const SECONDS = 60;

/** schemathesis: thousands of valid and invalid requests generated from the document, with all checks. */
export const schemathesis: Subject = {
  name: "schemathesis",
  async prepare(scratch) {
    const { version, run } = await findPython(REQUIREMENTS);
    return {
      version,
      checks: [{
        name: "every check passes over mutual TLS and token",
        async run(sandbox) {
          const { kit } = await sandbox();
          const partner = JSON.parse(await readFile(join(kit, "partner.json"), "utf8")) as {
            base_url: string;
            client_secret: string;
          };
          const command = run(
            scratch,
            [FOLDER, join(ROOT, "clients", "python", "src")],
            ...commandLine`-m schemathesis.cli
              --config-file ${join(FOLDER, "schemathesis.toml")} run
              ${partner.base_url}/openapi.json --checks all --tls-verify ${join(kit, "ca.crt")}
              --request-cert ${join(kit, "client.crt")}
              --request-cert-key ${join(kit, "client.key")} --max-time ${String(SECONDS)}
              --max-examples 20 --seed 1 --no-color`,
          );
          const env = { ...command.env, SABIKA_KIT: kit, SCHEMATHESIS_HOOKS: "sabika_hooks" };
          const end = await runCommandOf({ ...command, env });
          return {
            ok: end.ok && /\d+ generated, \d+ passed/.test(end.output),
            // Its report shows whole requests.
            output: end.output.replaceAll(partner.client_secret, "[client_secret]"),
          };
        },
      }],
    };
  },
};
