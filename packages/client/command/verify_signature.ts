import { join } from "node:path";
import {
  checkSignedHeaders,
  diagnoseSignature,
  encodeUtf8,
  HEADER,
  importPublicJwk,
  sha256Hex,
  verifySignedRequest,
} from "@sabika/protocol";
import { openKit } from "../kit.ts";
import { importSigningKey } from "../private_key.ts";
import { readTextFile } from "./files.ts";
import { bad, CommandError, good, type Io } from "./io.ts";
import type { PastedMessage } from "./pasted_message.ts";

/** Verifies a pasted request with the kit's key, as the service does (Spec §5), and returns the exit code. */
export async function verifySignature(
  { method, target: signedTarget, headers, bodies }: PastedMessage,
  kitFolder: string,
  io: Io,
): Promise<number> {
  if (method === undefined || signedTarget === undefined) {
    throw new CommandError(
      'the first line must be the method and the URL, such as "POST /v1/orders"',
    );
  }
  const { baseUrl, signingKeyId: keyId } = await openKit(kitFolder);
  const target = signedTarget.startsWith(baseUrl)
    ? signedTarget.slice(baseUrl.length)
    : pathOf(signedTarget);
  const keys = [{ keyId, publicKey: await publicKeyOf(join(kitFolder, "signing.key")) }];
  const checked = checkSignedHeaders({
    timestamp: headers.get(HEADER.timestamp),
    nonce: headers.get(HEADER.nonce),
    signature: headers.get(HEADER.jwsSignature),
  });
  if (checked.ok) {
    for (const body of bodies) {
      const bodySha256 = await sha256Hex(encodeUtf8(body));
      const request = { method, baseUrl, target, bodySha256, headers: checked, keys };
      const verified = await verifySignedRequest(request);
      if (!verified.ok) continue;
      io.print(`${good(io, "the signature fits")}: key ${verified.keyId}`);
      return 0;
    }
  }
  const { message, canonicalString } = await diagnoseSignature({
    method,
    baseUrl,
    target,
    body: encodeUtf8(bodies.at(-1)!),
    timestamp: headers.get(HEADER.timestamp) ?? "",
    nonce: headers.get(HEADER.nonce) ?? "",
    signature: headers.get(HEADER.jwsSignature) ?? "",
    otherHosts: [headers.get("host")].filter((host) => host !== undefined),
    otherNonces: [headers.get(HEADER.idempotencyKey)].filter((key) => key !== undefined),
    keys,
    clientKeys: [await publicKeyOf(join(kitFolder, "client.key"))],
    signedString: headers.get(HEADER.signedString),
  });
  io.print(`${bad(io, "the signature does not fit")}: ${message}`);
  if (canonicalString !== undefined) io.print(`what has to be signed:\n${canonicalString}`);
  return 1;
}

/** Returns the path and query of an absolute URL, or the text itself if it is a path. */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, "");
}

async function publicKeyOf(file: string): Promise<CryptoKey> {
  const { publicKey } = await importSigningKey({ place: file, pem: await readTextFile(file) });
  const imported = await importPublicJwk(publicKey);
  if (!imported.ok) throw new CommandError(`${file} is no P-256 key`);
  return imported.key;
}
