import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The sidecar's secrets: PEM texts, and the secret that it sends to the service. */
export interface SecretSet {
  /** The server's certificate chain, leaf first. */
  serverCertificate: string;
  /** The key of the server's certificate: PKCS#8, SEC1 or PKCS#1. */
  serverKey: string;
  /** The CA that signs partners' certificates; several while it is replaced. */
  partnerCa: string;
  /** The revocation list of each of these CAs. */
  partnerCrl: string;
  /** 32 to 512 visible ASCII characters; the service knows it too. */
  edgeSecret: string;
}

/** The file of each part inside a set's folder. */
export const SET_FILES: Readonly<Record<keyof SecretSet, string>> = {
  serverCertificate: "server.crt",
  serverKey: "server.key",
  partnerCa: "partner_ca.crt",
  partnerCrl: "partner_ca.crl",
  edgeSecret: "edge_secret",
};

/** Reads a set from its folder. @throws Error when a file is missing */
export async function readSet(folder: string): Promise<SecretSet> {
  const read = (part: keyof SecretSet) => readFile(join(folder, SET_FILES[part]), "utf8");
  return {
    serverCertificate: await read("serverCertificate"),
    serverKey: await read("serverKey"),
    partnerCa: await read("partnerCa"),
    partnerCrl: await read("partnerCrl"),
    edgeSecret: (await read("edgeSecret")).trim(),
  };
}
