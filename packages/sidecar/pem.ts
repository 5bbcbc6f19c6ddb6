/** Finds the blocks with this label in a PEM text; text between the blocks is left out. */
export function pemBlocks(text: string, label: string): string[] {
  const block = new RegExp(`-----BEGIN ${label}-----[A-Za-z0-9+/=\\s]+-----END ${label}-----`, "g");
  return text.match(block) ?? [];
}

/** Decodes a PEM block. @throws Error when it is not base64 */
export function pemBytes(block: string): Uint8Array<ArrayBuffer> {
  const text = atob(block.replace(/-----[A-Z0-9 ]+-----|\s/g, ""));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
