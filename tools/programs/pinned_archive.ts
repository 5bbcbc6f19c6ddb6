import { readFile } from "node:fs/promises";

/**
 * Throws unless the file has the pinned hash.
 *
 * @param pin `sha256:<hex>` or `sha512:<base64>` (npm's integrity)
 */
export async function checkPin(file: string, pin: string): Promise<void> {
  const [name, expected] = [pin.slice(0, pin.indexOf(":")), pin.slice(pin.indexOf(":") + 1)];
  const bytes = await readFile(file);
  const digest = new Uint8Array(
    await crypto.subtle.digest(name === "sha256" ? "SHA-256" : "SHA-512", bytes),
  );
  const actual = Buffer.from(digest).toString(name === "sha256" ? "hex" : "base64");
  if (actual !== expected) throw new Error(`${file} has not the pinned ${name}: it is not used`);
}
