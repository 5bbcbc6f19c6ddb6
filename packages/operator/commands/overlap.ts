import { formatTime } from "@sabika/protocol";
import { readFlag, switchFlag } from "../command/command.ts";
import { confirm } from "../command/ask.ts";
import { time } from "../command/json.ts";
import { UsageError } from "../outcome.ts";
import { duration } from "../command/parsers.ts";
import type { Session } from "../connect/session.ts";

/** How long old credentials stay valid beside the new one; `overlap` in milliseconds. */
export interface OverlapFlags {
  overlap?: number;
  now: boolean;
}

/** How the flags of `OverlapFlags` are parsed and described. */
export const OVERLAP_FLAGS = {
  overlap: readFlag(duration, "How long the old one stays valid (7d)", "TIME"),
  now: switchFlag("End the old one now, without overlap"),
};

/** When the old credentials end, in JSON and for people; null when there were none. */
export function describeEnd(ended: { oldEndsAtMs: number; oldCount: number }) {
  const { oldEndsAtMs, oldCount } = ended;
  return oldCount === 0
    ? { json: null, text: "there was none" }
    : { json: time(oldEndsAtMs), text: `ends ${formatTime(oldEndsAtMs)}` };
}

const WEEK_MS = 7 * 86_400_000;

/** Reads the overlap in milliseconds, a week by default; asks before `--now` makes it 0. */
export async function readOverlap(session: Session, flags: OverlapFlags): Promise<number> {
  if (flags.now && flags.overlap !== undefined) {
    throw new UsageError("--overlap and --now exclude one another");
  }
  if (flags.now) await confirm(session, "End the old one now? Calls that use it are refused.");
  return flags.now ? 0 : flags.overlap ?? WEEK_MS;
}
