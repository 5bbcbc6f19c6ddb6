import type { Database } from "@sabika/database";
import { createFileSigner, type FileSigner, writeRevocations } from "@sabika/identity/revocations";
import type { Secrets } from "@sabika/identity/secrets";
import type { Job } from "@sabika/server";
import { readRevoked, registerState } from "@sabika/service/partners";
import { drizzle } from "@sabika/database";

/** Servers are to refuse what was revoked within a second. */
const EVERY_MS = 300;

/**
 * Makes the job that signs what is revoked in control, and writes it into a folder that servers watch, at its start
 * and whenever the register changes (Decision D116). Several offices may write the same file.
 */
export function revocationsJob(
  { database: { sql }, secrets, folder }: {
    /** Control's. */
    readonly database: Pick<Database, "sql">;
    readonly secrets: Pick<Secrets, "seal" | "isCurrent">;
    readonly folder: string;
  },
): Job {
  let published: bigint | undefined;
  let signer: FileSigner | undefined;
  return {
    name: "revocations",
    everyMs: EVERY_MS,
    async run() {
      const [state] = await drizzle(sql).select().from(registerState);
      const { revision } = state!;
      if (revision === published) return;
      // Read after the revision: what is revoked in between is read now, and again by the next run.
      const revoked = await readRevoked(sql);
      if (signer === undefined || !secrets.isCurrent(signer.sealedKey)) {
        signer = await createFileSigner(secrets);
      }
      await writeRevocations({ folder, name: "office", signer }, { ...revoked, by: "office" });
      published = revision;
    },
  };
}
