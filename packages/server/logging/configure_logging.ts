import { configure, getLogger, type LogLevel as LogtapeLevel } from "@logtape/logtape";
import { type Log, logLine } from "./log.ts";

/**
 * Sets LogTape up for this process: JSON lines to `write`, gathered while one turn of the event
 * loop lasts, so that a busy server writes few large pieces.
 */
export async function configureLogging(
  write: (text: string) => void,
  lowestLevel: LogtapeLevel = "info",
): Promise<Log> {
  let gathered = "";
  const flush = () => {
    const text = gathered;
    gathered = "";
    write(text);
  };
  await configure({
    reset: true,
    sinks: {
      lines: (record) => {
        if (gathered === "") setImmediate(flush);
        gathered += logLine(
          record.timestamp,
          record.level,
          String(record.rawMessage),
          record.properties,
        );
      },
    },
    loggers: [
      { category: ["sabika"], sinks: ["lines"], lowestLevel },
      { category: ["logtape", "meta"], sinks: ["lines"], lowestLevel: "error" },
    ],
  });
  const logger = getLogger(["sabika", "server"]);
  return (level, event, fields) => {
    logger[level](event, fields === undefined ? {} : { ...fields });
  };
}
