import { buildRouteMap } from "@stricli/core";
import { ASKED_CREDENTIALS } from "@sabika/office/reads";
import { command, neededFlag } from "../command/command.ts";
import { text } from "../command/parsers.ts";
import { readCommands } from "../command/read_commands.ts";
import type { Session } from "../connect/session.ts";
import { notFound } from "../outcome.ts";
import { readAll } from "../reads/read.ts";

const REQUEST = ["REQUEST", "Its id, as in the list"] as const;

const issue = command<object, [string]>({
  brief: "Carry out a partner's request: certify or register the key, and end the one that asked",
  more:
    "It is `certificate rotate` or `signing-key rotate`, with what the partner signed, and ends no\n" +
    "other of the partner's. The partner fetches the certificate itself.",
  examples: ["credential-request issue cr_01a1f85e-29a6-7440-a1da-ccc3cd98406e"],
  args: [REQUEST],
  async run(session, _flags, request) {
    const { clientId: partner, kind, csr, overlapSeconds, keyId } = await find(session, request);
    const terms = { partner, overlap_ms: overlapSeconds * 1000, request };
    if (kind === "certificate") await session.act("certificate.rotate", { ...terms, csr });
    else await session.act("signing-key.rotate", { ...terms, key: csr });
    return {
      json: { id: request, client_id: partner, kind, key_id: keyId, status: "issued" },
      text: `${partner} has a new ${NAMES[kind]} with the key ${keyId}\n`,
    };
  },
});

const refuse = command<{ reason: string }, [string]>({
  brief: "Refuse a partner's request; the partner reads why",
  examples: [
    "credential-request refuse cr_01a1f85e-29a6-7440-a1da-ccc3cd98406e --reason 'call us first'",
  ],
  flags: { reason: neededFlag(text, "Why", "TEXT", { question: "Why?" }) },
  args: [REQUEST],
  async run(session, { reason }, request) {
    const { clientId: partner } = await find(session, request);
    await session.act("credential.refuse", { partner, request, reason });
    return {
      json: { id: request, client_id: partner, status: "refused" },
      text: `the request of ${partner} is refused\n`,
    };
  },
});

const NAMES = { certificate: "certificate", signing_key: "signing key" } as const;

/** `sabika credential-request …` */
export const credentialRequest = buildRouteMap({
  docs: { brief: "Issue or refuse the certificates and signing keys that partners ask for" },
  routes: { issue, ...readCommands("credential-request"), refuse },
});

async function find(session: Session, request: string) {
  const all = await readAll(session, ASKED_CREDENTIALS);
  const found = all.find(({ id }) => id === request);
  if (found === undefined) throw notFound(`request ${request}`);
  return found;
}
