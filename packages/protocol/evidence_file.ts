import { importPublicJwk, type PublicJwk, thumbprint } from "../jws/mod.ts";
import { parseHalalas } from "./amounts.ts";
import { isId } from "./ids.ts";
import {
  type DatedKey,
  type EvidenceFault,
  judgeEvidence,
  type SignedFact,
} from "./judge_evidence.ts";
import type { SignedEvidence } from "./resources/evidence.ts";
import { parseTime } from "./times.ts";

/** The public key of a partner as evidence is exported with it; times are epoch milliseconds. */
export interface ExportedKey extends Omit<DatedKey, "publicKey"> {
  /** The key; its thumbprint is `keyId`. */
  readonly publicJwk: PublicJwk;
}

/** The beginning of an export: its period, epoch milliseconds, and the partners' keys. */
export interface EvidenceFileHead {
  /** `sandbox` or `production`. */
  readonly environment: string;
  /** The first moment of receipt. */
  readonly fromMs: number;
  /** The first moment after the period. */
  readonly untilMs: number;
  /** All keys that each partner has had, by its client id. */
  readonly keys: Readonly<Record<string, readonly ExportedKey[]>>;
}

/** An exported order, withdrawal or cancellation. */
export interface ExportedFact {
  /** The partner's client id. */
  readonly clientId: string;
  /** What it asked for. */
  readonly fact: SignedFact;
  /** The request as it came; null when none is kept. */
  readonly evidence: SignedEvidence | null;
  /** False for what was booked before evidence was kept. */
  readonly isDemanded: boolean;
}

/** A fact of an export whose evidence does not show that the partner asked for it. */
export interface EvidenceFinding {
  /** The partner's client id. */
  readonly clientId: string;
  /** `order`, `withdrawal` or `cancellation`. */
  readonly kind: SignedFact["kind"];
  /** The id of the order or withdrawal. */
  readonly id: string;
  /** What is wrong. */
  readonly fault: EvidenceFault;
}

/** What the judge of an export has found. */
export interface JudgedEvidence {
  /** The beginning of the export. */
  readonly head: EvidenceFileHead;
  /** How many orders, withdrawals and cancellations it has. */
  readonly facts: number;
  /** How many of them were booked before evidence was kept, and have none. */
  readonly withoutEvidence: number;
  /** What is wrong; empty when all is well. */
  readonly findings: readonly EvidenceFinding[];
}

/** Judges an export of evidence, line by line. */
export interface EvidenceJudge {
  /** Judges the next line. Throws a SyntaxError when it is none of an export. */
  add(line: string): Promise<void>;
  /** Returns what was found. Throws a SyntaxError when the export's end is missing. */
  end(): JudgedEvidence;
}

/**
 * Creates a judge of an export of evidence, which needs nothing but the export's own text: whether each partner
 * asked for exactly what is in it. That the keys are the partner's, and that nothing was left out, only
 * somebody else's record can show.
 *
 * @example
 * const judge = createEvidenceJudge();
 * for (const line of text.split("\n")) await judge.add(line);
 * console.log(judge.end().findings);
 */
export function createEvidenceJudge(): EvidenceJudge {
  let head: EvidenceFileHead | undefined;
  let end: number | undefined;
  let facts = 0;
  let withoutEvidence = 0;
  const keys = new Map<string, readonly DatedKey[]>();
  const findings: EvidenceFinding[] = [];
  return {
    async add(line) {
      if (line === "") return;
      const json: unknown = JSON.parse(line);
      if (!isObject(json) || end !== undefined) throw new SyntaxError(NO_EXPORT);
      if (head === undefined) {
        head = readHead(json);
        for (const [clientId, all] of Object.entries(head.keys)) {
          keys.set(clientId, await importKeys(all));
        }
        return;
      }
      if ("end" in json) {
        end = Number(json["end"]);
        return;
      }
      facts++;
      const { clientId, fact, evidence, isDemanded } = readFact(json);
      if (evidence === null && !isDemanded) {
        withoutEvidence++;
        return;
      }
      const fault = await judgeEvidence(fact, evidence, keys.get(clientId) ?? []);
      if (fault !== undefined) findings.push({ clientId, kind: fact.kind, id: fact.id, fault });
    },
    end() {
      if (head === undefined) throw new SyntaxError(NO_EXPORT);
      if (end !== facts) throw new SyntaxError("the end of the export is missing");
      return { head, facts, withoutEvidence, findings };
    },
  };
}

async function importKeys(exported: readonly ExportedKey[]): Promise<DatedKey[]> {
  const keys: DatedKey[] = [];
  for (const { publicJwk, ...key } of exported) {
    const imported = await importPublicJwk(publicJwk);
    if (!imported.ok || await thumbprint(publicJwk) !== key.keyId) {
      throw new SyntaxError(`the key ${key.keyId} is not what its name says`);
    }
    keys.push({ ...key, publicKey: imported.key });
  }
  return keys;
}

const NO_EXPORT = "this is no export of evidence";
const NO_FACT = "the export has a line that is no order, withdrawal or cancellation";

type Json = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readHead(json: Json): EvidenceFileHead {
  const keys = json["keys"];
  if (json["sabika_evidence"] !== 1 || !isObject(keys)) {
    throw new SyntaxError(NO_EXPORT);
  }
  return {
    environment: String(json["environment"]),
    fromMs: timeOf(json["from"]),
    untilMs: timeOf(json["until"]),
    keys: Object.fromEntries(
      Object.entries(keys as Record<string, readonly Json[]>).map(([clientId, all]) => [
        clientId,
        all.map((key) => ({
          keyId: String(key["key_id"]),
          publicJwk: key["public_jwk"] as PublicJwk,
          validFromMs: timeOf(key["valid_from"]),
          validUntilMs: key["valid_until"] === null ? null : timeOf(key["valid_until"]),
        })),
      ]),
    ),
  };
}

function readFact(json: Json): ExportedFact {
  const kept = json["evidence"];
  const evidence = isObject(kept)
    ? {
      keyId: String(kept["key_id"]),
      timestampSeconds: Number(kept["timestamp"]),
      nonce: String(kept["nonce"]),
      url: String(kept["url"]),
      body: String(kept["body"]),
      signature: String(kept["signature"]),
    }
    : null;
  return {
    clientId: String(json["client_id"]),
    fact: readSignedFact(json),
    evidence,
    isDemanded: json["must_have_evidence"] !== false,
  };
}

function readSignedFact(json: Json): SignedFact {
  const { kind, id, quote_id: quoteId } = json;
  const clientReference = (json["client_reference"] ?? null) as string | null;
  const receivedAtMs = timeOf(json["received_at"]);
  if (!isText(id)) throw new SyntaxError(NO_FACT);
  if (kind === "order" && isId("ord", id) && isText(quoteId) && isId("qt", quoteId)) {
    return { kind, id, receivedAtMs, quoteId, clientReference };
  }
  const amount = parseHalalas(String(json["amount_sar"]));
  if (kind === "withdrawal" && isId("wd", id) && amount.ok) {
    return { kind, id, receivedAtMs, amountHalalas: amount.value, clientReference };
  }
  if (kind === "cancellation" && isId("wd", id)) return { kind, id, receivedAtMs };
  throw new SyntaxError(NO_FACT);
}

function timeOf(value: unknown): number {
  const ms = typeof value === "string" ? parseTime(value) : undefined;
  if (ms === undefined) throw new SyntaxError("the export has something else where a time must be");
  return ms;
}
