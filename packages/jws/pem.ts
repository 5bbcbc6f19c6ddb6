import { decodeBase64 } from "./base64.ts";

/** The content of a PEM file. */
export interface PemBlock {
  /** The kind of content, such as `PRIVATE KEY`. */
  readonly label: string;
  /** The DER. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const PEM = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END \1-----\s*$/;

/** Reads a PEM text with a single block (RFC 7468 §3); undefined for anything else. */
export function decodePem(text: string): PemBlock | undefined {
  const [, label, lines] = PEM.exec(text) ?? [];
  if (label === undefined || lines === undefined) return undefined;
  const bytes = decodeBase64(lines.replace(/[\r\n]/g, ""));
  return bytes === undefined ? undefined : { label, bytes };
}
