/** The kinds of partners' writes, by which health is judged. */
export type WriteKind = "order" | "quote" | "withdrawal" | "cancellation" | "funding" | "other";

const KIND_OF: Readonly<Record<string, WriteKind>> = {
  "/v1/orders": "order",
  "/v1/quotes": "quote",
  "/v1/withdrawals": "withdrawal",
  "/v1/withdrawals/:id/cancel": "cancellation",
  "/sandbox/fund": "funding",
};

/** The seconds that are looked back on. */
const WINDOW_SECONDS = 10;

/** A kind of write fails when a greater share of them was not carried out, or may not have been. */
export const FAILING_SHARE = 0.1;

/** The share of a kind of write that failed in a cell in the last seconds, from 0 to 1. */
export interface FailedShare {
  readonly cellId: string;
  readonly kind: WriteKind;
  readonly share: number;
}

/** How many writes of each kind were carried out in the last seconds, and how many failed (Decision D16). */
export interface WriteShares {
  /** Records a write that was carried out, or that failed or may have failed. */
  note(write: { cellId: string; route: string; worked: boolean }): void;
  /** The shares of the kinds of which there were writes. */
  shares(): readonly FailedShare[];
  /** The shares above {@link FAILING_SHARE}. */
  failing(): readonly FailedShare[];
}

interface Second {
  second: number;
  worked: number;
  failed: number;
}

/**
 * Creates the counts, a bucket for each second.
 *
 * @param monotonic milliseconds of a clock that nobody sets
 */
export function createWriteShares(monotonic: () => number): WriteShares {
  const kinds = new Map<string, { cellId: string; kind: WriteKind; seconds: Second[] }>();

  function shares(): readonly FailedShare[] {
    const oldest = Math.floor(monotonic() / 1_000) - WINDOW_SECONDS;
    return Array.from(kinds.values()).flatMap(({ cellId, kind, seconds }) => {
      const recent = seconds.filter(({ second }) => second > oldest);
      const failed = recent.reduce((sum, bucket) => sum + bucket.failed, 0);
      const all = failed + recent.reduce((sum, bucket) => sum + bucket.worked, 0);
      return all === 0 ? [] : [{ cellId, kind, share: failed / all }];
    });
  }

  return {
    note({ cellId, route, worked }) {
      const kind = KIND_OF[route] ?? "other";
      const name = `${kind} ${cellId}`;
      const counted = kinds.get(name) ?? { cellId, kind, seconds: [] };
      kinds.set(name, counted);
      const { seconds } = counted;
      const second = Math.floor(monotonic() / 1_000);
      let bucket = seconds.at(-1);
      if (bucket?.second !== second) {
        bucket = { second, worked: 0, failed: 0 };
        seconds.push(bucket);
        if (seconds.length > WINDOW_SECONDS) seconds.shift();
      }
      if (worked) bucket.worked++;
      else bucket.failed++;
    },
    shares,
    failing: () => shares().filter(({ share }) => share > FAILING_SHARE),
  };
}
