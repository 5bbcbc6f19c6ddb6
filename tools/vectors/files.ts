import { join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import { canonicalStringVectors } from "./canonical_string.ts";
import { certificateHashVectors } from "./certificate_hash.ts";
import { jwsVectors } from "./jws.ts";
import { keyVectors } from "./keys.ts";
import { numberVectors } from "./numbers.ts";
import { refusalVectors } from "./refusals.ts";
import { renderVectorFile } from "./vector_file.ts";
import { webhookVectors } from "./webhook.ts";

export const VECTORS_FOLDER = join(ROOT, "docs", "vectors");

/** Makes all files anew: their texts by their names. */
export async function makeVectorFiles(): Promise<Map<string, string>> {
  const files = {
    "canonical_string.json": await canonicalStringVectors(),
    "certificate_hash.json": await certificateHashVectors(),
    "jws.json": await jwsVectors(),
    "keys.json": await keyVectors(),
    "numbers.json": numberVectors(),
    "refusals.json": refusalVectors(),
    "webhook.json": await webhookVectors(),
  };
  return new Map(Object.entries(files).map(([name, file]) => [name, renderVectorFile(file)]));
}
