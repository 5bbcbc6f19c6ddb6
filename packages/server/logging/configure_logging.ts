import { configure, getLogger, type LogLevel as LogtapeLevel } from "@logtape/logtape";
import { type Log, logLine } from "./log.ts";

/** A log whose lines are buffered briefly before they are written. */
export interface GatheredLog {
  readonly log: Log;
  /** Writes the buffered lines now. Call it before the process ends. */
  flush(): void;
}

/** Lines are written after this time, or as soon as the buffer has this many characters. */
const WAIT_MS = 25;
const GATHERED_LENGTH = 32_768;

/**
 * Sets up LogTape for this process: JSON lines to `write`. A write to a pipe is a system call that
 * blocks, so a busy server makes few large writes.
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
