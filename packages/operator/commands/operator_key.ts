import { buildRouteMap } from "@stricli/core";
import { writePrivateFile } from "@sabika/identity/keys";
import { makePersonsKey } from "@sabika/identity/signatures";
import { OPERATORS } from "@sabika/office/reads";
import { access } from "node:fs/promises";
import { acting } from "../command/acting.ts";
import { command, neededFlag } from "../command/command.ts";
import { type Json, time } from "../command/json.ts";
import { listing } from "../command/listing.ts";
import { text } from "../command/parsers.ts";
import { readTextFile } from "../command/read_text_file.ts";
import { RefusedError } from "../outcome.ts";
import { readAll } from "../reads/read.ts";
import { NAME } from "./arguments.ts";

const outFlag = (brief: string) =>
  neededFlag(text, brief, "FILE", {
    question: "In which file shall your private key be?",
    otherwise: "say where your private key goes: --out FILE",
  });

/** Returns `out`; throws a `RefusedError` if it exists, so that no file is overwritten. */
async function newFile(out: string): Promise<string> {
  if (await access(out).then(() => true, () => false)) {
    throw new RefusedError("already_exists", `${out} is there already`);
  }
  return out;
}

const make = command<{ out: string }, [string | undefined]>({
  brief: "Make your own key in a file, mode 0600; with a NAME, register its public key as well",
  more: "Without a NAME no database is needed: give what is shown to an administrator, who runs\n" +
    "`operator key add`. The private key is nobody's but yours, and is nowhere else.",
  examples: ["operator key make --out amal.key", "operator key make amal --out amal.key"],
  flags: { out: outFlag("Where the private key goes") },
  args: [["NAME?", "Whose it is"]],
  async run(session, { out }, name) {
    const file = await newFile(out);
    const { privatePem, publicPem } = await makePersonsKey();
    await writePrivateFile(file, privatePem);
    if (name === undefined) {
      return { json: { file, key_id: null, public_key: publicPem }, text: publicPem };
    }
    const { keyId } = await session.act("operator.key.add", { operator: name, key: publicPem });
    return {
      json: { file, key_id: keyId, public_key: publicPem },
      text: `${name} signs with ${file}, whose key is ${keyId}\n`,
    };
  },
});

const add = command<object, [string, string]>({
  brief: "Register a person's public key; their others stay valid",
  examples: ["operator key add amal amal.pub"],
  args: [NAME, ["FILE", "Their public key, PEM or JWK"]],
  async run(session, _flags, name, file) {
    const key = await readTextFile(file, "the public key");
    const { keyId } = await session.act("operator.key.add", { operator: name, key });
    return { json: { operator: name, key_id: keyId }, text: `${name} has the key ${keyId}\n` };
  },
});

const rotate = command<{ out: string }, []>({
  brief: "Put a new key in place of your own, which ends now",
  more: "Signed with the old one. The new one goes to --out; change its name afterwards.",
  examples: ["operator key rotate --operator-key amal.key --out amal-2.key"],
  flags: { out: outFlag("Where the new private key goes") },
  async run(session, { out }) {
    const file = await newFile(out);
    const { privatePem, publicPem } = await makePersonsKey();
    await writePrivateFile(file, privatePem);
    const { keyId } = await session.act("operator.key.rotate", { key: publicPem });
    return { json: { file, key_id: keyId }, text: `you sign with ${file} from now on\n` };
  },
});

const end = acting("operator.key.end", {
  brief: "End a person's key now, such as one that was lost",
  examples: ["operator key end amal KEY_ID"],
  args: { operator: NAME, key_id: ["KEY_ID", "As in the list"] },
  json: (input) => ({ ...input, ended: true }),
  text: ({ key_id: keyId }) => `${keyId} has ended`,
});

const list = command<object, []>({
  brief: "List everybody's public keys, ended ones too: with --json, as they are published",
  examples: ["operator key list", "operator key list --json > keys.json"],
  async run(session) {
    const people = await readAll(session, OPERATORS);
    const keys = people.flatMap(({ name, keys }) => keys.map((key) => ({ name, ...key })));
    return listing(keys, [
      ["operator", "NAME", (key) => key.name],
      ["key_id", "KEY", (key) => key.keyId],
      ["valid_from", "VALID FROM", (key) => time(key.validFromMs)],
      ["valid_until", "VALID UNTIL", (key) => time(key.validUntilMs)],
      ["rp_id", "PASSKEY AT", (key) => key.rpId],
      ["public_jwk", null, (key) => key.publicJwk as unknown as Json],
    ]);
  },
});

/** `sabika operator key …` */
export const operatorKey = buildRouteMap({
  docs: { brief: "People's keys, with which they sign what they do" },
  routes: { make, add, rotate, end, list },
});
