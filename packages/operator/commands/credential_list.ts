import { dueWarning } from "@sabika/service/without-database";
import { CREDENTIALS, PARTNERS_CREDENTIALS } from "@sabika/office/reads";
import type { CredentialView } from "@sabika/office/wire";
import { type CredentialKind, formatTime } from "@sabika/protocol";
import { membersOf } from "../command/columns.ts";
import { command } from "../command/command.ts";
import type { Json } from "../command/json.ts";
import { table } from "../command/table.ts";
import { readAll } from "../reads/read.ts";

const OF_CERTIFICATES = ["serial", "scope", "token_auth"];

/** Makes the command that lists one kind of credentials, of all partners or one. */
export function credentialList(noun: string, kind: CredentialKind, brief: string) {
  return command<object, [string | undefined]>({
    brief,
    examples: [`${noun} list`, `${noun} list bank-one --json`],
    args: [["ID?", "The partner's client id"]],
    async run(session, _flags, clientId) {
      const all = clientId === undefined
        ? await readAll(session, CREDENTIALS)
        : await readAll(session, PARTNERS_CREDENTIALS, { path: { partner: clientId } });
      const found = all.filter((credential) => credential.kind === kind);
      return { json: found.map(credentialJson), text: credentialTable(found, session.nowMs) };
    },
  });
}

/** Whether the partner is warned by now that the credential ends soon. */
export function endsSoon(credential: CredentialView, nowMs: number): boolean {
  return dueWarning(credential, nowMs) !== undefined;
}

/** A credential as JSON; only certificates have the members in `OF_CERTIFICATES`. */
export function credentialJson(credential: CredentialView): Json {
  const members = Object.entries(membersOf(CREDENTIALS, credential));
  const isShown = ([name]: readonly [string, Json]) =>
    credential.serial !== null || !OF_CERTIFICATES.includes(name);
  return Object.fromEntries(members.filter(isShown));
}

/** A table of credentials, which marks those that end soon. */
export function credentialTable(credentials: readonly CredentialView[], nowMs: number): string {
  return table(
    ["PARTNER", "KIND", "ID", "SERIAL", "SCOPE", "STATE", "VALID UNTIL"],
    credentials.map((credential) => [
      credential.clientId,
      credential.kind,
      credential.credentialId,
      credential.serial,
      credential.tokenAuth === "tls_client_auth"
        ? `${credential.scope} (no secret)`
        : credential.scope,
      credential.state,
      credential.validUntilMs === null ? null : formatTime(credential.validUntilMs) +
        (endsSoon(credential, nowMs) ? "  (soon)" : ""),
    ]),
  );
}
