import process from "node:process";
import { reckon } from "./reckon.ts";

/** Something that is measured, with about how many seconds it takes. */
export interface Part {
  name: string;
  seconds: number;
}

/** Where progress is shown. */
export interface Screen {
  write(text: string): unknown;
  /** Whether somebody looks at it: then a bar stays below the lines. */
  isTTY?: boolean;
  columns?: number;
}

/** Says on standard error what is going on, so that standard output stays the table. */
export type Progress = ReturnType<typeof startProgress>;

const BAR = 24;
const CLEAR_LINE = "\r\x1b[K";

/**
 * Progress with the seconds since the start before each line and, where somebody looks at it, a bar with
 * the time left below; a pipe gets the lines alone.
 *
 * @param parts what comes, in its order; without any there is no bar
 */
export function startProgress(
  nowMs: () => number,
  parts: readonly Part[] = [],
  screen: Screen = process.stderr,
) {
  const startMs = nowMs();
  const took: number[] = [];
  let current: { name: string; beganMs: number } | undefined;
  const isDrawn = screen.isTTY === true && parts.length > 0;

  function bar(): string {
    if (current === undefined) return "";
    const { share, secondsLeft } = reckon({
      expected: parts.map(({ seconds }) => seconds),
      took,
      elapsed: (nowMs() - current.beganMs) / 1000,
    });
    const full = Math.floor(share * BAR);
    const drawn = "#".repeat(full) + ".".repeat(BAR - full);
    const words = `[${drawn}] ${Math.floor(share * 100)} %  ${current.name}, ${
      inWords(secondsLeft)
    }`;
    return words.slice(0, (screen.columns ?? 80) - 1);
  }
  const redraw = () => void screen.write(CLEAR_LINE + bar());
  const timer = isDrawn ? setInterval(redraw, 1_000) : undefined;
  timer?.unref?.();

  return {
    say(line: string) {
      const seconds = Math.round((nowMs() - startMs) / 1000);
      const text = `${String(seconds).padStart(5)} s  ${line}\n`;
      screen.write(isDrawn ? CLEAR_LINE + text + bar() : text);
    },
    /** The next part begins, and the one before is over. */
    begin(name: string) {
      if (current !== undefined) took.push((nowMs() - current.beganMs) / 1000);
      current = { name, beganMs: nowMs() };
      if (isDrawn) redraw();
    },
    /** All is over: the bar goes away. */
    end() {
      clearInterval(timer);
      current = undefined;
      if (isDrawn) screen.write(CLEAR_LINE);
    },
  };
}

function inWords(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds / 5) * 5} s left`;
  return `${Math.round(seconds / 60)} min left`;
}
