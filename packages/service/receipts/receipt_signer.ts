import { encodeUtf8, RECEIPT, RECEIPT_TYPE, signCompact } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { openReceiptKey, type SigningReceiptKey } from "@sabika/identity/receipts";
import type { Secrets } from "@sabika/identity/secrets";
import { readLastCounts } from "../vault/last_counts.ts";
import type { OrderFacts } from "./order_facts.ts";
import { receiptOf } from "./receipt_of.ts";

/** Signs the receipts of orders. */
export interface ReceiptSigner {
  /**
   * Signs a receipt for each of some orders of which everything is kept.
   *
   * @throws {SignerAwayError} while there is no key, or control or the key service does not answer
   */
  sign(orders: readonly OrderFacts[]): Promise<string[]>;
  /**
   * Signs another document by the same key, as a compact JWS of this type.
   *
   * @throws {SignerAwayError} while there is no key, or control or the key service does not answer
   */
  signText(typ: string, text: string): Promise<string>;
}

/** No receipt can be signed now. */
export class SignerAwayError extends Error {
  /** @param cause why */
  constructor(cause: unknown) {
    super("the signer of receipts is away", { cause });
  }
}

/** The key is read again after so long; one that has ended is valid for minutes. */
const KEY_KEPT_MS = 2_000;

/** After a failure the key service is left alone for so long. */
const LEFT_ALONE_MS = 2_000;

/** Creates a signer with the deployment's receipt key, which is in control. `now` is epoch milliseconds. */
export function createReceiptSigner({ control: { sql }, secrets, now }: {
  control: Pick<Database, "sql">;
  secrets: Pick<Secrets, "open">;
  now: () => number;
}): ReceiptSigner {
  let known: SigningReceiptKey | undefined;
  let knownAtMs = -Infinity;
  let failed: { readonly atMs: number; readonly error: unknown } | undefined;

  async function openKey(): Promise<SigningReceiptKey> {
    const nowMs = now();
    if (known !== undefined && Math.abs(nowMs - knownAtMs) < KEY_KEPT_MS) return known;
    known = await openReceiptKey(sql, secrets, known);
    if (known === undefined) throw new Error("there is no receipt key yet");
    knownAtMs = nowMs;
    return known;
  }

  const signAs = (typ: string, text: string, { keyId, privateKey }: SigningReceiptKey) =>
    signCompact(encodeUtf8(text), privateKey, { typ, keyId });

  async function unlessAway<T>(run: () => Promise<T>): Promise<T> {
    if (failed !== undefined && Math.abs(now() - failed.atMs) < LEFT_ALONE_MS) {
      throw new SignerAwayError(failed.error);
    }
    try {
      const done = await run();
      failed = undefined;
      return done;
    } catch (error) {
      failed = { atMs: now(), error };
      throw new SignerAwayError(error);
    }
  }

  return {
    async sign(orders) {
      if (orders.length === 0) return [];
      return await unlessAway(async () => {
        const times = orders.map(({ executedAtMs }) => executedAtMs);
        const period = { fromMs: Math.min(...times), toMs: Math.max(...times) };
        const [key, countAt] = await Promise.all([openKey(), readLastCounts(sql, period)]);
        const signed: string[] = [];
        // One after another: requests wait for the same thread.
        for (const order of orders) {
          const receipt = receiptOf(order, countAt(order.poolId!, order.executedAtMs));
          signed.push(await signAs(RECEIPT_TYPE, RECEIPT.write(receipt), key));
        }
        return signed;
      });
    },
    signText: (typ, text) => unlessAway(async () => signAs(typ, text, await openKey())),
  };
}
