import { buildRouteMap } from "@stricli/core";
import { writePrivateFile } from "@sabika/identity/keys";
import { TOKEN_AUTHS, type TokenAuth } from "@sabika/terms";
import { readSetting } from "@sabika/terms/settings";
import { rename } from "node:fs/promises";
import { formatTime, parseScopes, type Scope, SCOPES } from "@sabika/protocol";
import { confirm } from "../command/ask.ts";
import { command, orArgument, readFlag, textFlag } from "../command/command.ts";
import { time } from "../command/json.ts";
import { UsageError } from "../outcome.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { list } from "../command/table.ts";
import type { Session } from "../connect/session.ts";
import { ID } from "./arguments.ts";
import { credentialList } from "./credential_list.ts";
import { writeCertificate } from "./kit_files.ts";
import { describeEnd, OVERLAP_FLAGS, type OverlapFlags, readOverlap } from "./overlap.ts";

const CSR = ["FILE?", "Its certificate signing request, PEM (or --csr)"] as const;

interface RequestFlags extends TermsFlags {
  csr?: string;
  out?: string;
}

/** The flags that set a certificate's scopes and whether its tokens need the client secret. */
interface TermsFlags {
  scope?: readonly Scope[];
  tokenAuth?: TokenAuth;
}

const TERMS_FLAGS = {
  scope: readFlag(readScopes, "What its tokens may allow, such as read,trade (all)", "SCOPES"),
  tokenAuth: readFlag(
    readTokenAuth,
    "tls_client_auth: it fetches tokens without the client secret (client_secret_post)",
    "METHOD",
  ),
};

function readScopes(input: string): readonly Scope[] {
  const scopes = parseScopes(input.replaceAll(",", " "));
  if (scopes === undefined) throw new SyntaxError(`not scopes of ${SCOPES.join(",")}`);
  return scopes;
}

function readTokenAuth(input: string): TokenAuth {
  const found = TOKEN_AUTHS.find((name) => name === input);
  if (found === undefined) throw new SyntaxError(`not one of ${TOKEN_AUTHS.join(", ")}`);
  return found;
}

function termsOf({ scope, tokenAuth }: TermsFlags) {
  return { scopes: scope, token_auth: tokenAuth };
}

const REQUEST_FLAGS = {
  ...TERMS_FLAGS,
  csr: orArgument(textFlag("Its certificate signing request, PEM", "FILE"), {
    question: "In which file is its certificate signing request?",
    otherwise: "give the request: --csr FILE",
  }),
  out: textFlag("Where the certificate goes (the partner's folder of the data folder)", "FILE"),
};

function readRequest({ csr }: RequestFlags, file: string | undefined): Promise<string> {
  return readTextFile((csr ?? file)!, "the request");
}

const issue = command<RequestFlags, [string, string | undefined]>({
  brief: "Issue a certificate for a partner's request; the others stay valid",
  more: "P-256, signed with its own key, an organisation (O) and the client id as common name\n" +
    "(CN). The certificate is valid for a year, for client authentication alone.",
  examples: [
    "certificate issue bank-one client.csr",
    "certificate issue bank-one --csr client.csr",
    "certificate issue bank-one reporting.csr --scope read --token-auth tls_client_auth",
  ],
  flags: REQUEST_FLAGS,
  args: [ID, CSR],
  async run(session, flags, id, file) {
    const request = await readRequest(flags, file);
    const issued = await session.act("certificate.issue", {
      partner: id,
      csr: request,
      ...termsOf(flags),
    });
    const pem = issued.pem + issued.issuerPem;
    const written = await writeCertificate(session, id, { ...issued, pem }, flags.out);
    return {
      json: {
        client_id: id,
        sha256: issued.hashHex,
        serial: issued.serial,
        valid_until: time(issued.validUntilMs),
        file: written,
      },
      text: list([
        ["certificate", issued.hashHex],
        ["serial", issued.serial],
        ["valid until", formatTime(issued.validUntilMs)],
        ["file", written],
      ]),
    };
  },
});

const rotate = command<RequestFlags & OverlapFlags, [string, string | undefined]>({
  brief: "Issue a certificate for a new request, and end the others after an overlap",
  more: "Its scopes and its way to tokens are those of the last one, unless something is said.",
  examples: [
    "certificate rotate bank-one new.csr --overlap 7d",
    "certificate rotate bank-one new.csr --now",
  ],
  flags: { ...REQUEST_FLAGS, ...OVERLAP_FLAGS },
  args: [ID, CSR],
  async run(session, flags, id, file) {
    const csr = await readRequest(flags, file);
    const overlapMs = await readOverlap(session, flags);
    const { credential, issuerPem, ...ended } = await session.act("certificate.rotate", {
      partner: id,
      csr,
      overlap_ms: overlapMs,
      ...termsOf(flags),
    });
    const old = describeEnd(ended);
    const pem = credential.pem + issuerPem;
    const written = await writeCertificate(session, id, { ...credential, pem }, flags.out);
    return {
      json: {
        client_id: id,
        sha256: credential.hashHex,
        serial: credential.serial,
        valid_until: time(credential.validUntilMs),
        file: written,
        old_ends_at: old.json,
      },
      text: list([
        ["certificate", credential.hashHex],
        ["serial", credential.serial],
        ["file", written],
        ["the old one", old.text],
      ]),
    };
  },
});

const WHICH = ["CERTIFICATE", "Its SHA-256 or serial, or a prefix of 4 digits or more"] as const;

const update = command<TermsFlags, [string, string]>({
  brief: "Change what a certificate's tokens may allow, and whether it needs the client secret",
  more: "Within a second, for tokens that it has already too.",
  examples: [
    "certificate update bank-one 5f3a91c0 --scope read",
    "certificate update bank-one 5f3a --token-auth tls_client_auth",
  ],
  flags: TERMS_FLAGS,
  args: [ID, WHICH],
  async run(session, flags, id, which) {
    if (flags.scope === undefined && flags.tokenAuth === undefined) {
      throw new UsageError("say what to change: --scope or --token-auth");
    }
    const { hashHex, serial } = await session.act("certificate.update", {
      partner: id,
      certificate: which,
      ...termsOf(flags),
    });
    return {
      json: { client_id: id, sha256: hashHex, serial, updated: true },
      text: `the certificate ${serial} of ${id} is changed\n`,
    };
  },
});

const revoke = command<{ crl?: string }, [string, string]>({
  brief: "Revoke a certificate for good; within a second, on open connections too",
  examples: [
    "certificate revoke bank-one 5f3a91c0",
    "certificate revoke bank-one 5f3a --crl crl.pem",
  ],
  flags: { crl: textFlag("Renew this revocation list as well", "FILE") },
  args: [ID, WHICH],
  async run(session, flags, id, which) {
    await confirm(session, `Revoke the certificate ${which} of ${id} for good?`);
    const { hashHex, serial } = await session.act("certificate.revoke", {
      partner: id,
      certificate: which,
    });
    if (flags.crl !== undefined) await replaceFile(flags.crl, (await readLists(session)).pem);
    return {
      json: { client_id: id, sha256: hashHex, serial, crl: flags.crl ?? null },
      text: `the certificate ${serial} of ${id} is revoked\n`,
    };
  },
});

const block = command<{ folder?: string }, [string]>({
  brief: "Block a certificate at the servers while control is away, by the folder that they watch",
  more:
    "Within a second, without a database, and for good. It needs the master key, and writes no\n" +
    "audit entry: revoke the certificate as soon as control is back.",
  examples: [`certificate block ${"5f3a".repeat(16)} --folder /srv/revocations`],
  flags: { folder: textFlag("The folder (SABIKA_REVOCATIONS_FOLDER)", "FOLDER") },
  args: [["CERTIFICATE", "Its whole SHA-256"]],
  async run(session, flags, hashHex) {
    const { env } = session.surroundings;
    const folder = flags.folder ?? readSetting(env, "SABIKA_REVOCATIONS_FOLDER");
    if (folder === undefined) {
      throw new UsageError("say which folder servers watch: --folder FOLDER");
    }
    if (!/^[0-9a-f]{64}$/.test(hashHex)) {
      throw new UsageError("give its SHA-256: 64 digits of 0-9a-f");
    }
    const { createFileSigner, writeRevocations } = await import("@sabika/identity/revocations");
    const keys = await (await session.atDatabase()).keys(session.namedEnvironment());
    await confirm(session, `Block the certificate ${hashHex} at all servers for good?`);
    const file = await writeRevocations(
      { folder, name: `block-${hashHex}`, signer: await createFileSigner(keys) },
      {
        asOfMs: session.nowMs,
        by: `${session.actor.who}, ${session.actor.from}`,
        certificates: [hashHex],
        tokens: [],
        suspended: [],
      },
    );
    return { json: { sha256: hashHex, file }, text: `${file} blocks the certificate ${hashHex}\n` };
  },
});

const crl = command<{ out?: string }, []>({
  brief: "Make the certificate revocation lists, PEM, as the sidecar loads them",
  more: "They are valid for a week. Made at each revocation and every day, they never expire.\n" +
    "The file is replaced in one step.",
  examples: ["certificate crl --out crl.pem", "certificate crl"],
  flags: { out: textFlag("Where they go (shown when left out)", "FILE") },
  async run(session, flags) {
    const lists = await readLists(session);
    if (flags.out !== undefined) await replaceFile(flags.out, lists.pem);
    const json = {
      file: flags.out ?? null,
      revoked: lists.revoked,
      renew_at: time(lists.renewAtMs),
      valid_until: time(lists.validUntilMs),
      ...(flags.out === undefined ? { pem: lists.pem } : {}),
    };
    const text = flags.out === undefined
      ? lists.pem
      : `${flags.out}: ${lists.revoked.length} revoked, valid until ` +
        `${formatTime(lists.validUntilMs)}, to be renewed by ${formatTime(lists.renewAtMs)}\n`;
    return { json, text };
  },
});

async function readLists(session: Session) {
  const { makeRevocationLists } = await import("@sabika/service/partners");
  const { database, authorities } = await session.adminContext();
  return await makeRevocationLists({ sql: database.sql, authorities, nowMs: session.nowMs });
}

async function replaceFile(file: string, pem: string): Promise<void> {
  await writePrivateFile(`${file}.new`, pem);
  await rename(`${file}.new`, file);
}

/** `sabika certificate …` */
export const certificate = buildRouteMap({
  docs: { brief: "Issue, list, rotate, change, revoke and block client certificates" },
  routes: {
    issue,
    list: credentialList("certificate", "certificate", "List certificates, of all partners or one"),
    rotate,
    update,
    revoke,
    block,
    crl,
  },
});
