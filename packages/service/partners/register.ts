import type { Database } from "@sabika/database";
import type { Secrets } from "@sabika/identity/secrets";
import { readRevokedTokens, readTokenKeys, type TokenKey } from "@sabika/identity/tokens";
import { isValidAt } from "@sabika/terms";
import { MAIN_CELL } from "../cells/cells.ts";
import type { PushedRevocations } from "./pushed_revocations.ts";
import { type Timers, watchControl } from "./watch_control.ts";
import { readPartners } from "./read_partners.ts";
import type { CertificateRecord, PartnerRecord } from "./records.ts";

const RUNTIME_TIMERS: Timers = {
  setTimeout: (run: () => void, ms: number): unknown => setTimeout(run, ms),
  clearTimeout: (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Control does not answer, and partners of other cells are let in all the same (Decision D116). */
export interface ControlAway {
  /** As of when the register is known, epoch milliseconds. */
  readonly sinceMs: number;
  /** Until when they are let in, epoch milliseconds. */
  readonly untilMs: number;
}

/** Everything that a register knows (Decision D116). */
export interface RegisterContents {
  /** Epoch milliseconds: a poll that began then and succeeded. */
  readonly asOfMs: number;
  readonly revision: bigint;
  readonly partners: readonly PartnerRecord[];
  readonly tokenKeys: readonly TokenKey[];
  /** By their `jti`, and when they end, epoch milliseconds. */
  readonly revokedTokens: readonly (readonly [string, number])[];
}

/** An instance's snapshot of all partners in memory, at most one poll behind the database. */
export interface Register {
  /** By the SHA-256 of a certificate, lower-case hex; the caller checks validity and revocation. */
  byCertificate(
    hashHex: string,
  ): { partner: PartnerRecord; certificate: CertificateRecord } | undefined;
  byClientId(clientId: string): PartnerRecord | undefined;
  byPartnerId(partnerId: number): PartnerRecord | undefined;
  /** All partners, as they are now. */
  partners(): PartnerRecord[];
  /** The key that signs access tokens now. */
  signingTokenKey(nowMs: number): TokenKey | undefined;
  /** A key that verifies access tokens, by its id. */
  tokenKey(keyId: string, nowMs: number): TokenKey | undefined;
  /** All token keys that a client may see, including those that become valid soon. */
  tokenKeys(): TokenKey[];
  /** Whether an access token was revoked before its end, by its `jti`. */
  isTokenRevoked(tokenId: string): boolean;
  /**
   * False when the last successful poll is too long ago; then no partner of the cell may be let in. That is 0.9 s,
   * and `awayMs` for partners of another cell than control's own, which is the default, while control is away.
   */
  isFresh(nowMs: number, cellId?: string): boolean;
  /** Undefined while control answers. */
  away(): ControlAway | undefined;
  /** All that is known, as of the last poll that succeeded; undefined before the first. */
  contents(): RegisterContents | undefined;
  /**
   * Reads the current state, by a poll that begins after the call; concurrent calls share one.
   * Rejects when the database does not answer.
   */
  refresh(): Promise<void>;
  /** Stops polling. */
  close(): void;
}

interface RegisterOptions {
  now: () => number;
  /** For tests: milliseconds of a clock that nobody sets, in place of the runtime's own. */
  monotonic?: () => number;
  /** For tests: takes the place of the runtime's own. */
  timers?: Timers;
  /** For tests: pause between polls. */
  pollMs?: number;
  /** How long partners of other cells are let in while control is away, in milliseconds; 0 by default. */
  awayMs?: number;
  /** What another register knew before, to begin with. */
  initial?: RegisterContents | undefined;
  /** What was revoked by the second way. */
  pushed?: Pick<PushedRevocations, "judge" | "isTokenRevoked">;
  /** Called when control is away, and with undefined when it answers again. */
  onAway?: (away: ControlAway | undefined) => void;
  /** Called with the error of each poll that failed. */
  onError?: (error: unknown) => void;
}

/** The queries by which the register reads its contents. */
export interface RegisterReads {
  revision(): Promise<bigint>;
  /** The partners that changed after a revision. */
  partners(afterRevision: bigint): Promise<PartnerRecord[]>;
  tokenKeys(nowMs: number, known: readonly TokenKey[]): Promise<TokenKey[]>;
  revokedTokens(afterRevision: bigint): Promise<{ tokenId: string; validUntilMs: number }[]>;
}

/** A revoked certificate is refused everywhere within a second (F58), so no snapshot is older. */
const REGISTER_STALE_AFTER_MS = 900;

/**
 * Creates the register and begins to poll `register_state.revision`; when it changes, the changed
 * partners are read again. Await `refresh()` once before serving.
 */
export function createRegister(
  options: RegisterOptions & { database: Pick<Database, "sql">; secrets: Secrets },
): Register {
  return followRegister(databaseReads(options.database, options.secrets), options);
}

/** Creates a register like `createRegister`, but reads through `reads`. */
export function followRegister(reads: RegisterReads, options: RegisterOptions): Register {
  const { now, timers = RUNTIME_TIMERS, pollMs = 300, awayMs = 0, pushed } = options;
  const monotonic = options.monotonic ?? (() => performance.now());
  const { byPartnerId, byClientId, byHash, keep } = createIndex();
  const { initial } = options;
  const revokedTokens = new Map<string, number>(initial?.revokedTokens);
  let tokenKeys = [...initial?.tokenKeys ?? []];
  let knownRevision = initial?.revision ?? -1n;
  const asOfMs = initial?.asOfMs ?? Number.NEGATIVE_INFINITY;
  let asOf = { nowMs: asOfMs, monotonicMs: monotonic() + asOfMs - now() };
  initial?.partners.forEach(keep);
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let closed = false;
  let timer: unknown;

  const control = watchControl(timers, () => closed || options.onAway?.(away()));
  const away = () =>
    control.isAway() ? { sinceMs: asOf.nowMs, untilMs: asOf.nowMs + awayMs } : undefined;

  async function readChanges(): Promise<void> {
    const began = { nowMs: now(), monotonicMs: monotonic() };
    const revision = await control.ask(reads.revision);
    if (revision !== knownRevision) {
      // Read after the revision: a change in between is read now, and again by the next poll.
      const [changed, keys, revoked] = await Promise.all([
        reads.partners(knownRevision),
        reads.tokenKeys(began.nowMs, tokenKeys),
        reads.revokedTokens(knownRevision),
      ]);
      changed.forEach(keep);
      for (const [tokenId, endMs] of revokedTokens) {
        if (endMs <= began.nowMs) revokedTokens.delete(tokenId);
      }
      for (const { tokenId, validUntilMs } of revoked) revokedTokens.set(tokenId, validUntilMs);
      tokenKeys = keys;
      knownRevision = revision;
    }
    asOf = began;
  }

  function refresh(): Promise<void> {
    if (current === undefined) return current = readChanges().finally(() => current = undefined);
    // The current poll may have read before the caller's change.
    return next ??= current.catch(() => {}).then(() => {
      next = undefined;
      return refresh();
    });
  }

  async function poll(): Promise<void> {
    await refresh().catch((error) => {
      if (!closed) options.onError?.(error);
    });
    if (!closed) timer = timers.setTimeout(poll, pollMs);
  }
  timer = timers.setTimeout(poll, pollMs);

  return {
    byCertificate(hashHex) {
      const found = byHash.get(hashHex);
      return found && (pushed?.judge(found, asOf.nowMs) ?? found);
    },
    byClientId: (clientId: string) => byClientId.get(clientId),
    byPartnerId: (partnerId: number) => byPartnerId.get(partnerId),
    partners: () => [...byPartnerId.values()],
    signingTokenKey: (nowMs: number) => tokenKeys.find((key) => isValidAt(key, nowMs)),
    tokenKey: (keyId: string, nowMs: number) =>
      tokenKeys.find((key) => key.keyId === keyId && isValidAt(key, nowMs)),
    tokenKeys: () => tokenKeys,
    isTokenRevoked: (tokenId: string) =>
      revokedTokens.has(tokenId) || pushed?.isTokenRevoked(tokenId) === true,
    isFresh(nowMs, cellId = MAIN_CELL) {
      const goesOn = control.isAway() && cellId !== MAIN_CELL;
      const limitMs = goesOn ? Math.max(awayMs, REGISTER_STALE_AFTER_MS) : REGISTER_STALE_AFTER_MS;
      // By both clocks, since a clock that was set back makes an old snapshot look new.
      return Math.abs(nowMs - asOf.nowMs) <= limitMs &&
        monotonic() - asOf.monotonicMs <= limitMs;
    },
    away,
    contents: () =>
      knownRevision < 0n ? undefined : {
        asOfMs: asOf.nowMs,
        revision: knownRevision,
        partners: [...byPartnerId.values()],
        tokenKeys,
        revokedTokens: [...revokedTokens],
      },
    refresh,
    close() {
      closed = true;
      timers.clearTimeout(timer);
    },
  };
}

/** The reads of a database. */
function databaseReads({ sql }: Pick<Database, "sql">, secrets: Secrets): RegisterReads {
  return {
    async revision() {
      const [state] = await sql<{ revision: bigint }[]>`select revision from register_state`;
      return state?.revision ?? 0n;
    },
    partners: (afterRevision) => readPartners(sql, afterRevision),
    tokenKeys: (nowMs, known) => readTokenKeys(sql, secrets, nowMs, known),
    revokedTokens: (afterRevision) => readRevokedTokens(sql, afterRevision),
  };
}

/** The partners, indexed by the keys of the look-ups. */
function createIndex() {
  const byPartnerId = new Map<number, PartnerRecord>();
  const byClientId = new Map<string, PartnerRecord>();
  const byHash = new Map<string, { partner: PartnerRecord; certificate: CertificateRecord }>();
  return {
    byPartnerId,
    byClientId,
    byHash,
    keep(partner: PartnerRecord): void {
      for (const certificate of byPartnerId.get(partner.partnerId)?.certificates ?? []) {
        byHash.delete(certificate.hashHex);
      }
      byPartnerId.set(partner.partnerId, partner);
      byClientId.set(partner.clientId, partner);
      for (const certificate of partner.certificates) {
        byHash.set(certificate.hashHex, { partner, certificate });
      }
    },
  };
}
