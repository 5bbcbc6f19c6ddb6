import { readFile } from "node:fs/promises";
import type { Database } from "@sabika/database";
import { writePrivateFile } from "@sabika/identity/keys";
import { createFileSigner, type FileSigner, openSignedFile } from "@sabika/identity/revocations";
import { type KeyService, readHashingKey } from "@sabika/identity/secrets";
import { readSealedTokenKeys } from "@sabika/identity/tokens";
import {
  decodeBase64Url,
  encodeBase64Url,
  encodeUtf8,
  type Environment,
  sha256Hex,
} from "@sabika/protocol";
import { type Register, type StoredRegister, storeRegister } from "@sabika/service/partners";
import { readStoredPriceSettings, type StoredPriceSettings } from "@sabika/service/prices";
import type { Job } from "./jobs.ts";
import type { ServiceClock } from "./simulation/service_clock.ts";

/** What a server needs of control to start without it (Decision D116). Secrets are sealed, as in control. */
export interface Snapshot {
  readonly environment: Environment;
  readonly register: StoredRegister;
  readonly hashingKey: Uint8Array;
  readonly prices: StoredPriceSettings;
  /** How far a sandbox's clock was set forward. */
  readonly clockAheadMs: number;
  /** The incarnations of the cells that agreed with control. */
  readonly cells: Readonly<Record<string, string>>;
}

/** What is signed: of when the snapshot is, by the service's clock, and the SHA-256 of what follows. */
interface Head {
  readonly asOfMs: number;
  readonly sha256: string;
}

const TYPE = "sabika-snapshot+jws";
/** A starting server has so much less time without control. */
const WRITE_EVERY_MS = 10_000;

/** What a snapshot is made of. */
export interface SnapshotParts {
  readonly file: string;
  readonly environment: Environment;
  /** Control's. */
  readonly databases: { readonly reading: Pick<Database, "sql"> };
  readonly register: Pick<Register, "contents" | "isFresh">;
  readonly secrets: Pick<KeyService, "seal" | "isCurrent">;
  readonly clock: Pick<ServiceClock, "now" | "realNow">;
  /** The incarnations of the cells that agree with control, by their names. */
  readonly agreed: ReadonlyMap<string, string>;
}

/**
 * Makes the job that keeps a snapshot on the disk while control answers, signed as revocations are. What is
 * large is made anew only when it has changed.
 */
export function snapshotJob(
  { file, environment, databases, register, secrets, clock, agreed }: SnapshotParts,
): Job {
  const { reading: { sql } } = databases;
  let signer: FileSigner | undefined;
  let made: { readonly key: string; readonly body: string; readonly sha256: string } | undefined;
  return {
    name: "snapshot",
    everyMs: WRITE_EVERY_MS,
    async run() {
      const contents = register.contents();
      if (contents === undefined || !register.isFresh(clock.now())) return;
      const [hashingKey, prices, tokenKeys] = await Promise.all([
        readHashingKey(sql),
        readStoredPriceSettings(sql),
        readSealedTokenKeys(sql, contents.asOfMs),
      ]);
      const clockAheadMs = clock.now() - clock.realNow();
      const small = { hashingKey, prices, clockAheadMs, cells: Object.fromEntries(agreed) };
      const { revision, revokedTokens } = contents;
      const key = write({ ...small, revision, revokedTokens, tokenKeys });
      if (made?.key !== key) {
        const stored = await storeRegister(contents, tokenKeys);
        const body = write({ ...small, environment, register: stored });
        made = { key, body, sha256: await sha256Hex(encodeUtf8(body)) };
      }
      if (signer === undefined || !secrets.isCurrent(signer.sealedKey)) {
        signer = await createFileSigner(secrets);
      }
      const head: Head = { asOfMs: contents.asOfMs, sha256: made.sha256 };
      const signed = await signer.sign(TYPE, JSON.stringify(head));
      await writePrivateFile(file, signed + made.body);
    },
  };
}

/**
 * Reads a snapshot.
 *
 * @param parts.awayMs how long servers go on without control
 * @param parts.now epoch milliseconds
 * @throws {Error} when there is none, it was changed, is another environment's, or is too old
 */
export async function readSnapshot(
  { file, keys, environment, awayMs, now }: {
    readonly file: string;
    readonly keys: Pick<KeyService, "open">;
    readonly environment: Environment;
    readonly awayMs: number;
    readonly now: () => number;
  },
): Promise<Snapshot> {
  const text = await readFile(file, "utf8");
  const head: Head = JSON.parse(await openSignedFile(keys, TYPE, text));
  const body = text.split("\n").slice(2).join("\n");
  if (await sha256Hex(encodeUtf8(body)) !== head.sha256) {
    throw new Error("the signature does not fit this snapshot");
  }
  const snapshot = read(body) as Snapshot;
  if (snapshot.environment !== environment) {
    throw new Error(`this snapshot is of ${snapshot.environment}`);
  }
  const { asOfMs } = head;
  if (Math.abs(now() + snapshot.clockAheadMs - asOfMs) > awayMs) {
    throw new Error("this snapshot is too old");
  }
  return { ...snapshot, register: { ...snapshot.register, asOfMs } };
}

/** JSON that keeps bytes and bigints apart from other values. */
function write(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, shown) {
    const found = this[name];
    if (found instanceof Uint8Array) return { $bytes: encodeBase64Url(new Uint8Array(found)) };
    return typeof found === "bigint" ? { $bigint: String(found) } : shown;
  });
}

function read(text: string): unknown {
  return JSON.parse(text, (_name, value) => {
    if (typeof value?.$bytes === "string") return decodeBase64Url(value.$bytes);
    return typeof value?.$bigint === "string" ? BigInt(value.$bigint) : value;
  });
}
