import { type Environment, importPublicJwk, thumbprint } from "@sabika/protocol";
import type { PublishedKey, RecordedEntry } from "./audit_record.ts";
import { isSignedBy, keyIdOf } from "./signed_act.ts";

/** How far a signature's time may be from the database's, which checked it. */
const SLACK_MS = 301_000;

/**
 * Judges the signatures of the audit log, entry by entry in their order: whether each act is what a
 * person signed, with a key that was theirs then, and that no person approved their own.
 */
export function createSignatureJudge(
  environment: Environment | null,
  keys: readonly PublishedKey[],
): (entry: RecordedEntry) => Promise<string | undefined> {
  const byId = new Map(keys.map((key) => [key.keyId, key]));
  const imported = new Map<string, CryptoKey>();
  /** Whose each key is, as the log itself says. */
  const owners = new Map<string, string>();
  /** Who asked for each act that waited, and who approved it. */
  const requests = new Map<string, { requester: string; approver?: string }>();

  async function publicKey({ keyId, publicJwk }: PublishedKey): Promise<CryptoKey | undefined> {
    if (imported.has(keyId)) return imported.get(keyId);
    const key = await importPublicJwk(publicJwk);
    if (!key.ok || await thumbprint(publicJwk) !== keyId) return undefined;
    imported.set(keyId, key.key);
    return key.key;
  }

  async function judge(
    { action, actor, act }: RecordedEntry,
    detail: Record<string, unknown>,
  ): Promise<string | undefined> {
    if (act === null) return "what was signed is missing";
    if (act.id !== detail["act"] || act.signature !== detail["signature"]) {
      return "what was signed is another act";
    }
    const keyId = keyIdOf(act) ?? "";
    const key = byId.get(keyId);
    if (key === undefined) return `its key ${keyId} is nobody's`;
    if (key.operator !== actor || owners.get(keyId) !== actor) return `its key is not ${actor}'s`;
    const fromMs = key.validFromMs - SLACK_MS;
    const untilMs = (key.validUntilMs ?? Infinity) + SLACK_MS;
    if (act.signedAtMs < fromMs || act.signedAtMs > untilMs) {
      return `its key was not ${actor}'s at that time`;
    }
    const verifying = await publicKey(key);
    const fits = verifying !== undefined && environment !== null &&
      await isSignedBy({ keyId, publicKey: verifying }, environment, act);
    if (!fits) return `its signature is not ${actor}'s`;
    if (action === "approval.request") {
      requests.set(act.id, { requester: actor });
      return undefined;
    }
    if (action !== act.name) return `${actor} signed ${act.name}`;
    if (action === "approval.approve") {
      const { request } = JSON.parse(act.argumentsText);
      const waiting = requests.get(request);
      if (waiting?.requester === actor) return `${actor} approved what ${actor} asked for`;
      if (waiting !== undefined) waiting.approver = actor;
    }
    const waited = requests.get(act.id);
    return waited !== undefined && waited.approver === undefined ? "nobody approved it" : undefined;
  }

  return async (entry) => {
    const detail = JSON.parse(entry.detail) as Record<string, unknown>;
    const wrong = "act" in detail ? await judge(entry, detail) : undefined;
    if (entry.action === "operator.key.add" || entry.action === "operator.key.rotate") {
      owners.set(String(detail["keyId"]), String(detail["operator"]));
    }
    return wrong;
  };
}
