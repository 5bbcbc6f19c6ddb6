import { setTimeout as pause } from "node:timers/promises";
import { mapConcurrently, readIncarnation } from "@sabika/database";
import {
  CellError,
  createCells,
  type OpenCells,
  verifyCell,
  verifyCopies,
} from "@sabika/service/cells";
import { compareCell, summariseDifferences } from "@sabika/service/mending";
import { SchemaError } from "@sabika/service/schema";
import type { Register } from "@sabika/service/partners";
import { SettingsError } from "@sabika/terms/settings";
import { jobFailed } from "./jobs.ts";
import type { Log } from "./logging/log.ts";
import { checkDatabase, openPools, type ServiceDatabases } from "./open_databases.ts";
import { createOpened, type Opened } from "./opened.ts";
import type { ServiceSettings } from "./settings.ts";

const LOOK_EVERY_MS = 5_000;

/** The parameters of `openCells`. */
interface CellsParts {
  readonly settings: ServiceSettings;
  readonly control: ServiceDatabases;
  readonly register: Pick<Register, "away" | "byPartnerId">;
  /** The incarnations of the cells that agreed with control when they were last compared; kept up to date. */
  readonly agreed: Map<string, string>;
  readonly log: Log;
  readonly opened: Opened;
}

/**
 * Opens the service's connections to the cells other than control's own (Decision D53). A cell that is
 * away, outdated, misnamed, no longer copied to, or different from what control knows stops no other:
 * its partners are refused until a later check succeeds. Open cells are checked as well: a cell that was
 * restarted, restored or replaced is verified and compared again.
 */
export async function openCells(parts: CellsParts): Promise<OpenCells<ServiceDatabases>> {
  const { settings, control, register, log, opened } = parts;
  const cells = createCells(control, (partnerId) => register.byPartnerId(partnerId)?.cellId);
  const ending = new AbortController();
  const { signal } = ending;
  opened.add(() => ending.abort());
  const onError = jobFailed(log);

  async function follow(cellId: string, look: () => Promise<void>): Promise<void> {
    for (;;) {
      await pause(settings.cellCheckMs ?? LOOK_EVERY_MS, undefined, { signal });
      await look().catch((error) => onError(`cell ${cellId}`, error));
    }
  }

  await mapConcurrently(settings.cellUrls ?? [], async ([cellId, url]) => {
    const look = lookAfter({ ...parts, cells, cellId, url, signal });
    await look();
    // Rejected when the service stops.
    follow(cellId, look).catch(() => {});
  });
  return cells;
}

/** Checks a cell: opens it if it is right, and closes it if it turns out to be wrong. */
function lookAfter(
  { settings, control, cells, cellId, url, log, opened, signal, register, agreed }:
    & CellsParts
    & {
      readonly cells: OpenCells<ServiceDatabases>;
      readonly cellId: string;
      readonly url: string;
      readonly signal: AbortSignal;
    },
): () => Promise<void> {
  let current = open();
  let isOpen = false;
  /** The identities of the two databases that were compared last. */
  let compared: string | undefined;

  function open() {
    const parts = createOpened();
    opened.add(() => parts.close());
    return { databases: openPools(url, settings, parts), close: () => parts.close() };
  }

  async function check(): Promise<void> {
    const { trading: database } = current.databases;
    await checkDatabase(database, settings);
    await verifyCell({ database, cellId, control: control.trading.sql });
    const differences = await compareCell({
      control: control.trading.sql,
      cell: database.sql,
      cellId,
      pause: (ms) => pause(ms, undefined, { signal }),
    });
    if (differences.length === 0) return;
    throw new CellError(
      `it differs from what control knows: ${summariseDifferences(differences)}; ` +
        `\`sabika cell compare ${cellId}\` lists them`,
    );
  }

  /** The cell can be used from now on. */
  function openCell(): void {
    if (isOpen) return;
    isOpen = true;
    cells.add(cellId, current.databases);
    log("info", "cell_open", { cell: cellId });
  }

  /** Closes the cell; when it is opened again, everything gets new connections. */
  async function closeCell(): Promise<void> {
    isOpen = false;
    agreed.delete(cellId);
    const before = current;
    current = open();
    await cells.remove(cellId);
    await before.close();
  }

  return async () => {
    try {
      const { trading } = current.databases;
      const incarnation = await readIncarnation(trading);
      // Nobody put back what has run on since; it is compared when control answers again.
      if (register.away() !== undefined && agreed.get(cellId) === incarnation) {
        if (!isOpen) await checkDatabase(trading, settings);
        return openCell();
      }
      // After a promotion of control, the cell may have copies that control no longer knows.
      const identity = `${await readIncarnation(control.trading)}; ${incarnation}`;
      if (isOpen) await verifyCopies(trading.sql, control.trading.sql);
      if (isOpen && identity === compared) return;
      await check();
      compared = identity;
      agreed.set(cellId, incarnation);
    } catch (error) {
      // An open cell that does not answer is reconnected automatically, and checked then.
      if (isOpen && !isExpected(error)) return;
      if (!signal.aborted) log("warning", "cell_away", { cell: cellId, reason: reasonOf(error) });
      if (isOpen) await closeCell();
      return;
    }
    openCell();
  };
}

function isExpected(error: unknown): error is Error {
  return error instanceof CellError || error instanceof SchemaError ||
    error instanceof SettingsError;
}

function reasonOf(error: unknown): string {
  return isExpected(error)
    ? error.message
    : String((error as { code?: unknown } | undefined)?.code ?? "unknown");
}
