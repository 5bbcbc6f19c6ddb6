import { decodeBase64 } from "./base64.ts";

/** What stands between the lines of a PEM file. */
export interface PemBlock {
  /** What is in it, such as `PRIVATE KEY`. */
  readonly label: string;
  /** The DER. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const PEM = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1-----\s*$/;

/** Reads the one block of a PEM text (RFC 7468 §3), or gives undefined for anything else. */
export function decodePem(text: string): PemBlock | undefined {
  const [, label, lines] = PEM.exec(text) ?? [];
  if (label === undefined || lines === undefined) return undefined;
  const bytes = decodeBase64(lines.replace(/[\r\n]/g, ""));
  return bytes === undefined ? undefined : { label, bytes };
}
