import { encodeUtf8, signCompact } from "@sabika/protocol";
import { importSigningKey } from "../private_key.ts";
import { readTextFile, writeNewFile } from "./files.ts";
import { type Io, row, UsageError } from "./io.ts";

/** The options of all `sabika-client sign …`. */
export const SIGN_OPTIONS = { key: { type: "string" }, out: { type: "string" } } as const;

/** What is signed, and where the signature goes. */
export interface OutsidersSignature {
  /** The type of the JWS. */
  readonly typ: string;
  /** The canonical JSON that is signed. */
  readonly text: string;
  /** What it says, for whoever signs it. */
  readonly says: readonly (readonly [label: string, text: string])[];
  /** The file of the private key. */
  readonly key: string | undefined;
  /** The file of the signature, which is not there yet; undefined: the standard output. */
  readonly out: string | undefined;
}

/** Signs a text as an inspector or auditor does (Decision D106): writes a compact JWS, and returns the exit code. */
export async function signAsOutsider(
  { typ, text, says, key, out }: OutsidersSignature,
  io: Io,
): Promise<number> {
  if (key === undefined) throw new UsageError("the private key is needed: --key FILE");
  const pem = { place: key, pem: await readTextFile(key) };
  const { signingKey, signingKeyId: keyId } = await importSigningKey(pem);
  const jws = await signCompact(encodeUtf8(text), signingKey, { typ, keyId });
  if (out === undefined) {
    io.print(jws);
  } else {
    await writeNewFile(out, `${jws}\n`);
  }
  // The standard output has nothing but the signature.
  const say = out === undefined ? io.printError : io.print;
  for (const [label, value] of [...says, ["key", keyId] as const]) say(row(label, value));
  return 0;
}
