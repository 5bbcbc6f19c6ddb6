import { buildRouteMap } from "@stricli/core";
import { formatTime } from "@sabika/protocol";
import { command, orArgument, textFlag } from "../command/command.ts";
import { time } from "../command/json.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { list } from "../command/table.ts";
import { ID } from "./arguments.ts";
import { credentialList } from "./credential_list.ts";
import { refreshKit } from "./kit_files.ts";
import { describeEnd, OVERLAP_FLAGS, type OverlapFlags, readOverlap } from "./overlap.ts";

const KEY = [
  "FILE?",
  "A request made with it, or in the sandbox its public key (or --key)",
] as const;
const KEY_FLAGS = {
  key: orArgument(
    textFlag("A request made with it, or in the sandbox its public key", "FILE"),
    {
      question: "In which file is the public key, or a request made with it?",
      otherwise: "give the public key: --key FILE",
    },
  ),
};
const KEY_FORMS =
  "P-256, as a certificate signing request made with it (CN is the client id), which proves that\n" +
  "the partner has the private key. In the sandbox a public key as PEM, JWK or certificate will\n" +
  "do. A key that is another partner's or a certificate's is refused.";

function readKey({ key }: { key?: string }, file: string | undefined): Promise<string> {
  return readTextFile((key ?? file)!, "the key");
}

const add = command<{ key?: string }, [string, string | undefined]>({
  brief: "Register a further public key; the others stay valid",
  more: KEY_FORMS,
  examples: ["signing-key add bank-one signing.csr"],
  flags: KEY_FLAGS,
  args: [ID, KEY],
  async run(session, flags, id, file) {
    const key = await readKey(flags, file);
    const { keyId } = await session.act("signing-key.add", { partner: id, key });
    return { json: { client_id: id, key_id: keyId }, text: `${id} has the signing key ${keyId}\n` };
  },
});

const rotate = command<{ key?: string } & OverlapFlags, [string, string | undefined]>({
  brief: "Register a new public key, and end the others after an overlap",
  more: KEY_FORMS,
  examples: ["signing-key rotate bank-one new.csr --overlap 7d"],
  flags: { ...KEY_FLAGS, ...OVERLAP_FLAGS },
  args: [ID, KEY],
  async run(session, flags, id, file) {
    const key = await readKey(flags, file);
    const overlapMs = await readOverlap(session, flags);
    const { credential, ...ended } = await session.act("signing-key.rotate", {
      partner: id,
      key,
      overlap_ms: overlapMs,
    });
    const old = describeEnd(ended);
    const kit = await refreshKit(session, id, { signing_key_id: credential });
    return {
      json: {
        client_id: id,
        key_id: credential,
        old_ends_at: old.json,
        kit: kit ?? null,
      },
      text: list([["signing key", credential], ["the old one", old.text]]),
    };
  },
});

const retire = command<OverlapFlags, [string, string]>({
  brief: "End a public key, after an overlap or now",
  examples: [
    "signing-key retire bank-one KEY_ID --overlap 1d",
    "signing-key retire bank-one KEY_ID --now",
  ],
  flags: OVERLAP_FLAGS,
  args: [ID, ["KEY_ID", "As in the list"]],
  async run(session, flags, id, keyId) {
    const overlapMs = await readOverlap(session, flags);
    const { endsAtMs } = await session.act("signing-key.retire", {
      partner: id,
      key_id: keyId,
      overlap_ms: overlapMs,
    });
    return {
      json: { client_id: id, key_id: keyId, ends_at: time(endsAtMs) },
      text: `the signing key ${keyId} of ${id} ends ${formatTime(endsAtMs)}\n`,
    };
  },
});

/** `sabika signing-key …` */
export const signingKey = buildRouteMap({
  docs: { brief: "Register, rotate and retire partners' public signing keys" },
  routes: {
    add,
    list: credentialList("signing-key", "signing_key", "List public keys, of all partners or one"),
    rotate,
    retire,
  },
});
