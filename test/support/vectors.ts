import { readFileSync } from "node:fs";
import process from "node:process";

const COMMITTED = new URL("../../docs/vectors/", import.meta.url);

/** Reads a file of docs/vectors, or of the folder with more of them that `npm run clients` makes. */
export function readVectors(name: string): string {
  const folder = process.env["SABIKA_VECTORS"];
  return readFileSync(
    folder === undefined ? new URL(name, COMMITTED) : `${folder}/${name}`,
    "utf8",
  );
}
