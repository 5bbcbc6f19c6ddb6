import type { Sql } from "@sabika/database";
import { encodeUtf8 } from "@sabika/protocol";
import { type Caller, idOf, type Reply, type WriteChoices, type WriteKind } from "./caller.ts";

/** Everything that was asked under one Idempotency-Key, and every answer to it. */
export interface Operation {
  readonly caller: Caller;
  readonly kind: WriteKind;
  readonly key: string;
  readonly body: string;
  readonly replies: Reply[];
}

/**
 * Records calls as ok, fail or unknown, and holds what the database says against them: what was
 * acknowledged is there (I6), once, with the same bytes each time (I5); what was refused left
 * nothing (I10); what was unknown turns out to have happened once or never. A refusal speaks of its
 * own attempt alone: one before it that had no answer may come after it (Decision D32).
 */
export class History {
  readonly operations: Operation[] = [];

  /** Makes a call under a key of its own and records it. */
  async call(
    caller: Caller,
    kind: WriteKind,
    body: string,
    choices: WriteChoices = {},
  ): Promise<Reply> {
    return await this.#add(this.begin(caller, kind, body, choices.key), choices);
  }

  /** Records a call that `repeat` will make. */
  begin(
    caller: Caller,
    kind: WriteKind,
    body: string,
    key: string = crypto.randomUUID(),
  ): Operation {
    const operation: Operation = { caller, kind, key, body, replies: [] };
    this.operations.push(operation);
    return operation;
  }

  async #add(operation: Operation, choices: WriteChoices): Promise<Reply> {
    const { caller, kind, body, key } = operation;
    const reply = await caller.write(kind, body, { ...choices, key });
    operation.replies.push(reply);
    return reply;
  }

  /**
   * Repeats a call under its key, several times at once.
   *
   * @returns the answer if there is one; one of those that are unknown if not
   */
  async repeat(operation: Operation, choices: readonly WriteChoices[]): Promise<Reply> {
    const { caller, kind, body, key } = operation;
    const replies = await Promise.all(
      choices.map((one) => caller.write(kind, body, { ...one, key })),
    );
    // What is known is said last.
    replies.sort((a, b) => Number(b.outcome === "unknown") - Number(a.outcome === "unknown"));
    operation.replies.push(...replies);
    return last(operation);
  }

  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { kind, replies } of this.operations) {
      for (const { code } of replies) {
        const name = `${kind} ${code}`;
        counts[name] = (counts[name] ?? 0) + 1;
      }
    }
    return counts;
  }

  /**
   * Repeats each call that has an unknown attempt and no good answer under its key, signed afresh,
   * until its outcome is known. Nothing may be on its way any more.
   */
  async resolve(instances = 1, attempts = 20): Promise<void> {
    const unknown = this.operations.filter(isOpen);
    let at = 0;
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (let operation = unknown[at++]; operation !== undefined; operation = unknown[at++]) {
        let attempt = 0;
        do {
          if (attempt === attempts) {
            throw new Error(`${operation.kind} ${operation.key} stays unknown`);
          }
          await this.#add(operation, { instance: (at + attempt++) % instances });
        } while (last(operation).outcome === "unknown");
      }
    }));
  }

  /**
   * All that the database contradicts. Calls of other histories to the same partners would be
   * found as "not requested".
   */
  async contradictions(sql: Sql): Promise<string[]> {
    const found: string[] = [];
    const callers = new Map(this.operations.map(({ caller }) => [caller.partnerId, caller]));
    for (const partnerId of callers.keys()) {
      const rows = await sql<{ hash: string; kind: string; id: string }[]>`
        select encode(key_hash, 'hex') as hash, resource_kind as kind, resource_id as id
        from idempotency_keys where partner_id = ${partnerId}`;
      const made = new Map(rows.map((row) => [row.hash, row]));
      const known = new Set<string>();
      for (const operation of this.operations) {
        if (operation.caller.partnerId !== partnerId || operation.kind === "probe") continue;
        const hash = await shortHash(operation.key);
        known.add(hash);
        const what = judge(operation, made.get(hash));
        if (what !== undefined) found.push(`${operation.kind} ${operation.key}: ${what}`);
      }
      for (const row of rows) {
        if (!known.has(row.hash)) found.push(`${row.kind} ${row.id}: was not requested`);
      }
    }
    return found;
  }
}

function judge(
  operation: Operation,
  row: { kind: string; id: string } | undefined,
): string | undefined {
  const good = operation.replies.filter((reply) => reply.outcome === "ok");
  const answers = operation.replies.map(({ status, code }) => `${status} ${code}`).join(", ");
  if (last(operation).outcome === "unknown") return `was not resolved (${answers})`;
  if (good.length === 0) {
    return row === undefined ? undefined : `was refused and is there all the same (${answers})`;
  }
  if (row === undefined) return `was acknowledged and is lost (${answers})`;
  if (new Set(good.map(({ body }) => body)).size > 1) return "was answered in two ways";
  if (good.filter(({ isReplay }) => !isReplay).length > 1) return "was made twice";
  const id = idOf(good[0]!);
  return id.endsWith(row.id) ? undefined : `was answered as ${id} and is ${row.id}`;
}

/** Whether an attempt had no answer, and none found what it made. */
function isOpen({ replies }: Operation): boolean {
  return replies.some(({ outcome }) => outcome === "unknown") &&
    !replies.some(({ outcome }) => outcome === "ok");
}

function last(operation: Operation): Reply {
  return operation.replies[operation.replies.length - 1]!;
}

/** As SQL's short_hash. */
async function shortHash(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", encodeUtf8(text)), 0, 16);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
