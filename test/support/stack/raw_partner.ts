import { openKit } from "@sabika/client";
import { openRaw, type RawResponse } from "../raw_https.ts";

/** A connection of a stack's partner, and a request on it that is asked over and over. */
export async function openRawPartner(
  { kits, baseUrl }: { kits: readonly string[]; baseUrl: string },
  number: number,
  target: string,
  headers: readonly (readonly [string, string])[] = [],
) {
  const { caPem, certificatePem, privateKeyPem } = await openKit(kits[number]!);
  const port = Number(new URL(baseUrl).port);
  const connection = await openRaw({ port, caPem, certificatePem, keyPem: privateKeyPem });
  return {
    connection,
    ask: (): Promise<RawResponse> =>
      connection.send({ method: "GET", target, headers: [["Host", "localhost"], ...headers] }),
  };
}
