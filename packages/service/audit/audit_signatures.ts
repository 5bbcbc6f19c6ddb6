import { type Environment, importPublicJwk, thumbprint } from "@sabika/protocol";
import { contentOf, isSignedBy, keyIdOf } from "@sabika/identity/signatures";
import type { PublishedKey, RecordedEntry } from "./audit_record.ts";

/** How far a signature's time may lie outside its key's validity, since clocks differ. */
const SLACK_MS = 301_000;

interface SignatureJudge {
  /** Returns what is wrong with the next entry, in words; undefined when nothing is. */
  judge(entry: RecordedEntry): Promise<string | undefined>;
  /** The entries of acts that needed approval and were carried out without it. */
  undecided(): readonly bigint[];
}

/**
 * Creates a judge of the audit log's entries in order: whether each act is what a person signed with a
 * key of theirs, and nobody approved their own request. Without an environment no signature is right.
 */
export function createSignatureJudge(
  environment: Environment | null,
  keys: readonly PublishedKey[],
): SignatureJudge {
  const byId = new Map(keys.map((key) => [key.keyId, key]));
  const imported = new Map<string, CryptoKey>();
  /** The owner of each key, according to the log. */
  const owners = new Map<string, string>();
  /** The person for whom each unused registration link was made. */
  const links = new Map<string, string>();
  /** Who asked for each act that waited, for what, and whether somebody approved it. */
  const requests = new Map<
    string,
    { requester: string; sha256: string; isApproved: boolean }
  >();
  /** The entries of acts that were carried out and not approved so far. */
  const undecided = new Map<string, bigint>();

  async function publicKey({ keyId, publicJwk }: PublishedKey): Promise<CryptoKey | undefined> {
    if (imported.has(keyId)) return imported.get(keyId);
    const key = await importPublicJwk(publicJwk);
    if (!key.ok || await thumbprint(publicJwk) !== keyId) return undefined;
    imported.set(keyId, key.key);
    return key.key;
  }

  async function judge(
    { auditId, action, actor, act }: RecordedEntry,
    detail: Record<string, unknown>,
  ): Promise<string | undefined> {
    if (act === null) return "what was signed is missing";
    if (act.id !== detail["act"] || act.signature !== detail["signature"]) {
      return "what was signed is another act";
    }
    const keyId = keyIdOf(act) ?? "";
    const key = byId.get(keyId);
    if (action === "operator.passkey.add") {
      // The passkey signs its own registration: the link says whose it is, and is good once.
      const actArguments = JSON.parse(act.argumentsText) as Record<string, unknown>;
      const link = String(actArguments["link_sha256"]);
      if (actArguments["key_id"] !== keyId || links.get(link) !== actor) {
        return `nobody gave ${actor} a link to register its key with`;
      }
      links.delete(link);
      owners.set(keyId, actor);
    }
    if (key === undefined) return `its key ${keyId} is nobody's`;
    if (key.operator !== actor || owners.get(keyId) !== actor) return `its key is not ${actor}'s`;
    const fromMs = key.validFromMs - SLACK_MS;
    const untilMs = (key.validUntilMs ?? Infinity) + SLACK_MS;
    if (act.signedAtMs < fromMs || act.signedAtMs > untilMs) {
      return `its key was not ${actor}'s at that time`;
    }
    const verifying = await publicKey(key);
    const fits = verifying !== undefined && environment !== null &&
      await isSignedBy({ keyId, publicKey: verifying, rpId: key.rpId }, environment, act);
    if (!fits || environment === null) return `its signature is not ${actor}'s`;
    if (action === "approval.request") {
      const sha256 = await contentOf(environment, act);
      requests.set(act.id, { requester: actor, sha256, isApproved: false });
      return undefined;
    }
    if (action === "approval.collect") {
      const waited = requests.get(String(detail["request"]));
      return waited?.requester === actor && waited.isApproved
        ? undefined
        : `${actor} repeats what nobody approved`;
    }
    const isDecision = act.name === "approval.approve";
    if (action !== act.name && !(isDecision && action === "approval.void")) {
      return `${actor} signed ${act.name}`;
    }
    if (isDecision) {
      const { request, sha256 } = JSON.parse(act.argumentsText);
      const waiting = requests.get(request);
      if (waiting === undefined) return "nobody asked for what it approves";
      if (waiting.requester === actor) return `${actor} approved what ${actor} asked for`;
      if (waiting.sha256 !== sha256) return "it approves something else than was asked for";
      waiting.isApproved = true;
      undecided.delete(request);
    }
    if (requests.get(act.id)?.isApproved === false) undecided.set(act.id, auditId);
    return undefined;
  }

  return {
    async judge(entry) {
      const detail = JSON.parse(entry.detail) as Record<string, unknown>;
      const wrong = "act" in detail ? await judge(entry, detail) : undefined;
      if (entry.action === "operator.key.add" || entry.action === "operator.key.rotate") {
        owners.set(String(detail["keyId"]), String(detail["operator"]));
      }
      if (entry.action === "operator.link") {
        links.set(String(detail["link_sha256"]), String(detail["operator"]));
      }
      return wrong;
    },
    undecided: () => [...undecided.values()],
  };
}
