import { assert } from "@std/assert";
import type { Database } from "@sabika/database";
import {
  ATTESTATION_TYPE,
  encodeUtf8,
  importPrivatePem,
  RESERVE_ATTESTATION,
  signCompact,
} from "@sabika/protocol";
import { findReserve, makeReserves } from "@sabika/service/reserves";
import { actAs } from "./acts.ts";
import { random } from "./random.ts";
import type { TestAdmin } from "./test_admin.ts";
import { registerOutsider } from "./test_outsider.ts";

const HOUR_MS = 3_600_000;

/** Makes the first reserve, of a day that has ended; returns the day. */
export async function makeFirstReserve(
  { database }: { readonly database: Database },
): Promise<string> {
  const day = new Date(Date.now() - 45 * HOUR_MS).toISOString().slice(0, 10);
  const noonMs = Date.parse(day) + 33 * HOUR_MS;
  assert((await makeReserves({ control: database, cells: [database], random }, noonMs)).made === 1);
  return day;
}

/** Signs what an auditor signs of a reserve, the kept one unless `change` says otherwise. */
export async function signAttestation(
  { database: { sql } }: { readonly database: Pick<Database, "sql"> },
  day: string,
  { keyId, privatePem }: { readonly keyId: string; readonly privatePem: string },
  { typ = ATTESTATION_TYPE, ...change }: { typ?: string; day?: string; hash?: string } = {},
): Promise<string> {
  const kept = await findReserve(sql, day);
  const key = await importPrivatePem(privatePem);
  assert(kept !== undefined && key.ok);
  const text = RESERVE_ATTESTATION.write({ day, hash: kept.hash, ...change });
  return await signCompact(encodeUtf8(text), key.key, { typ, keyId });
}

/** Has a new auditor attest a new reserve; returns its day. */
export async function attestFirstReserve(admin: TestAdmin): Promise<string> {
  const day = await makeFirstReserve(admin);
  const signature = await signAttestation(admin, day, await registerOutsider(admin, "auditor"));
  const attested = await actAs(admin, "reserve.attest", { day, signature });
  assert(attested.ok, JSON.stringify(attested));
  return day;
}
