import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { askAdmin } from "@sabika/sidecar";
import { HEALTH } from "../../support/service_requests.ts";
import type { StackWorld } from "../stack_world.ts";
import { type Condition, holdingIn, pagingConditions } from "./alert_conditions.ts";

/** What the service said of itself at one moment. */
export interface Statement {
  readonly source: Source;
  /** The partner who asked for `/health`; 0 for what the operators are told. */
  readonly partner: number;
  /** Epoch milliseconds at which it had been said. */
  readonly atMs: number;
  /** Undefined if it was neither, or there was no answer. */
  readonly isWell: boolean | undefined;
  /** The words themselves, as far as they are of trouble. */
  readonly words: string;
}

/** `/ready`: of all instances; `alerts`: the conditions of the rules that wake somebody. */
export type Source = "/health" | "/ready" | "alerts";

const ALERTS = fileURLToPath(new URL("../../../docs/observability/alerts.yaml", import.meta.url));
const EVERY_MS = 1_000;
const PATIENCE_MS = 2_000;

/** Collects what the service says, every second, until it is stopped. */
export async function collectStatements(world: StackWorld) {
  const conditions = pagingConditions(await readFile(ALERTS, "utf8"));
  const statements: Statement[] = [];
  let isOver = false;
  /** Asks again and again; who does not answer holds up no other. */
  const collect = async (source: Source, partner: number, ask: () => Promise<Word>) => {
    for (; !isOver; await pause(EVERY_MS)) {
      const { isWell, words = "" } = await ask().catch((): Word => ({ isWell: undefined }));
      statements.push({ source, partner, atMs: Date.now(), isWell, words });
    }
  };
  const collecting = [
    ...[...world.rich, world.poor].map((caller) =>
      collect("/health", caller.partnerId, async () => {
        const { status } = await caller.sendRaw(HEALTH, { timeoutMs: PATIENCE_MS });
        return { isWell: status === 200 || (status === 503 ? false : undefined) };
      })
    ),
    collect("/ready", 0, () => askReady(world)),
    collect("alerts", 0, () => askAlerts(world, conditions)),
  ];
  return {
    statements,
    async stop(): Promise<readonly Statement[]> {
      isOver = true;
      await Promise.all(collecting);
      return statements;
    },
  };
}

type Word = Pick<Statement, "isWell"> & { readonly words?: string };

async function askReady({ stack, sockets }: StackWorld): Promise<Word> {
  const answers = await Promise.all(
    stack.instances().map(({ name }) =>
      inTime(askAdmin(join(sockets, `${name}.watch.sock`), "/ready"))
    ),
  );
  const words = answers.map(({ text }) => text.trim()).join("; ");
  if (answers.length > 0 && answers.every(({ text }) => text === "ready\n")) {
    return { isWell: true };
  }
  return { isWell: answers.every(({ status }) => status === 503) ? false : undefined, words };
}

async function askAlerts(
  { stack }: StackWorld,
  conditions: readonly Condition[],
): Promise<Word> {
  const targets = await (await fetch(stack.targetsUrl)).json() as {
    targets: [string];
    labels: Record<string, string>;
  }[];
  const holding = await Promise.all(targets.map(async ({ targets: [host], labels }) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const metrics = await fetch(`http://${host}${labels["__metrics_path__"]}`, { signal })
      .then(async (answer) => answer.ok ? await answer.text() : undefined, () => undefined);
    const up = `up{job="${labels["job"]}"} ${Number(metrics !== undefined)}\n`;
    return holdingIn(conditions, up + (metrics ?? ""))
      .map((alert) => `${alert} of ${labels["instance"]}`);
  }));
  const words = holding.flat().join(", ");
  return { isWell: words === "", words };
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  const late = pause(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error("no answer in time");
  });
  return await Promise.race([promise, late]);
}
