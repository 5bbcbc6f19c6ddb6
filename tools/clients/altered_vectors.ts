import { join } from "node:path";
import { makeAlteredVectors } from "../../test/support/altered/altered_vectors.ts";
import { runPostgreSQL } from "../programs/run_postgresql.ts";

/** Makes the vectors of a run below `folder`: docs/vectors and those of a service whose rows were altered. */
export async function makeVectors(folder: string): Promise<string> {
  const vectors = join(folder, "vectors");
  const postgresql = await runPostgreSQL({ durable: false });
  try {
    await makeAlteredVectors(vectors, postgresql.url);
  } finally {
    await postgresql.stop();
  }
  return vectors;
}
