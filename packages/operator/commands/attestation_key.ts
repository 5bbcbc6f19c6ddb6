import { buildRouteMap } from "@stricli/core";
import { ATTESTATION_ROLES, type AttestationRole } from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { command } from "../command/command.ts";
import { readCommands } from "../command/read_commands.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { UsageError } from "../outcome.ts";

const add = command<object, [string, string, string]>({
  brief: "Register the public key of an inspector, who signs counts, or of an auditor of reserves",
  more: "The private key stays with its holder. The key is valid once a second person approves.",
  examples: ["attestation-key add inspector 'Gulf Inspection' inspector.pub"],
  args: [
    ["ROLE", ATTESTATION_ROLES.join(" or ")],
    ["HOLDER", "Whose it is, as partners read it"],
    ["FILE", "The public key on P-256, PEM or JWK"],
  ],
  async run(session, _flags, role, holder, file) {
    if (!isRole(role)) throw new UsageError(`the role is ${ATTESTATION_ROLES.join(" or ")}`);
    const key = await readTextFile(file, "the public key");
    const { keyId } = await session.act("attestation-key.add", { role, holder, key });
    return {
      json: { key_id: keyId, role, holder },
      text: `${holder} signs with the key ${keyId} as ${role}\n`,
    };
  },
});

const isRole = (text: string): text is AttestationRole =>
  (ATTESTATION_ROLES as readonly string[]).includes(text);

/** `sabika attestation-key …` */
export const attestationKey = buildRouteMap({
  docs: { brief: "Keys of inspectors and auditors, who sign counts and reserves" },
  routes: {
    add,
    end: acting("attestation-key.end", {
      brief: "End a key now; it stays published, and what it signed before stays valid",
      examples: ["attestation-key end KEY_ID"],
      args: { key: ["KEY_ID", "As in the list"] },
      json: ({ key }) => ({ key_id: key, ended: true }),
      text: ({ key }) => `the key ${key} has ended`,
    }),
    ...readCommands("attestation-key"),
  },
});
