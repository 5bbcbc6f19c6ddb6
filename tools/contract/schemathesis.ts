import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommandOf } from "../clients/language.ts";
import { type Judge, resultOf } from "./judge.ts";
import { FOLDER, pythonPackages } from "./python_packages.ts";

/** How long fuzzing and sequences of calls may take; examples and coverage come before that. */
const SECONDS = 60;

/** schemathesis: thousands of requests made from the document, right and wrong ones, all checks. */
export const schemathesis: Judge = {
  name: "schemathesis",
  async prepare(scratch) {
    const python = await pythonPackages();
    return async ({ kit }) => {
      const partner = JSON.parse(await readFile(join(kit, "partner.json"), "utf8")) as {
        base_url: string;
        client_secret: string;
      };
      const command = python(
        ...["-m", "schemathesis.cli", "--config-file", join(FOLDER, "schemathesis.toml"), "run"],
        ...[`${partner.base_url}/openapi.json`, "--checks", "all"],
        ...["--tls-verify", join(kit, "ca.crt"), "--request-cert", join(kit, "client.crt")],
        ...["--request-cert-key", join(kit, "client.key"), "--max-time", String(SECONDS)],
        ...["--max-examples", "20", "--seed", "1", "--no-color"],
      );
      const env = { ...command.env, SABIKA_KIT: kit, SCHEMATHESIS_HOOKS: "sabika_hooks" };
      const end = await runCommandOf({ ...command, cwd: scratch, env });
      // It shows the whole of a request that something was found with.
      end.output = end.output.replaceAll(partner.client_secret, "[client_secret]");
      const [cases = "no"] = /\d+ generated, \d+ passed/.exec(end.output) ?? [];
      const name = `every check passes over mutual TLS and token: ${cases}`;
      return {
        results: [resultOf(name, { ...end, ok: end.ok && cases !== "no" })],
        output: end.output,
      };
    };
  },
};
