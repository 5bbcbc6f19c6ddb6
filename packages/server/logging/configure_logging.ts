import { configure, getLogger, type LogLevel as LogtapeLevel } from "@logtape/logtape";
import { type Log, logLine } from "./log.ts";

/** A log that is gathered for a moment before it is written. */
export interface GatheredLog {
  readonly log: Log;
  /** Writes what has been gathered, now. Call it before the process ends. */
  flush(): void;
}

/** Lines wait this long at most, and no longer once there are so many characters of them. */
const WAIT_MS = 25;
const GATHERED_LENGTH = 32_768;

/**
 * Sets LogTape up for this process: JSON lines to `write`. A write is a system call that blocks
 * when it goes to a pipe, so a busy server writes few large pieces.
 */
export async function configureLogging(
  write: (text: string) => void,
  lowestLevel: LogtapeLevel = "info",
): Promise<GatheredLog> {
  let gathered = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = gathered;
    gathered = "";
    if (text !== "") write(text);
  };
  await configure({
    reset: true,
    sinks: {
      lines: (record) => {
        gathered += logLine(
          record.timestamp,
          record.level,
          String(record.rawMessage),
          record.properties,
        );
        if (gathered.length >= GATHERED_LENGTH) flush();
        else timer ??= setTimeout(flush, WAIT_MS);
      },
    },
    loggers: [
      { category: ["sabika"], sinks: ["lines"], lowestLevel },
      { category: ["logtape", "meta"], sinks: ["lines"], lowestLevel: "error" },
    ],
  });
  const logger = getLogger(["sabika", "server"]);
  const log: Log = (level, event, fields) => {
    logger[level](event, fields === undefined ? NO_FIELDS : fields as Record<string, unknown>);
  };
  return { log, flush };
}

const NO_FIELDS: Record<string, unknown> = {};
