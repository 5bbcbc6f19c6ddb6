import type { AnySql } from "@sabika/database";
import {
  checkLeavingBars,
  checkNewBars,
  type LeavingBar,
  MOST_BARS,
  type NewBar,
  sumFine,
} from "@sabika/service/vault";
import { readWeightListLines } from "@sabika/terms/weight-list";
import { fineOf, readNewBars } from "./new_bars.ts";

/** A line of a weight list: its bar as it was read, and why it would be refused. */
export interface PreviewedLine {
  readonly line: number;
  readonly serial: string;
  readonly bar: NewBar | undefined;
  readonly fineMicrograms: bigint;
  /** A sentence; undefined if nothing is wrong. */
  readonly detail: string | undefined;
}

/** What `vault.bars.add` or `vault.bar.replace` would say of a weight list, line by line. */
export interface BarsPreview {
  readonly lines: readonly PreviewedLine[];
  /** What is wrong with the list as a whole, a sentence. */
  readonly detail: string | undefined;
  /** Of the bars that were read. */
  readonly fineMicrograms: bigint;
}

/** What `vault.bar.replace` would say of the bars that leave, and of those that come. */
export interface ReplacementPreview extends BarsPreview {
  readonly leaving: readonly LeavingBar[];
  readonly leavingMicrograms: bigint;
}

/** Reads a weight list for people who are about to enter it: what is wrong is said of each line. */
export async function previewBars(
  sql: AnySql,
  text: string,
  leaving: readonly string[] = [],
): Promise<BarsPreview> {
  const list = readWeightListLines(text);
  if (!list.ok) {
    return { lines: [], detail: `line ${list.line} ${list.detail}`, fineMicrograms: 0n };
  }
  const bars = readNewBars(list.lines.flatMap(({ bar }) => bar ?? []));
  const refusals = await checkNewBars(sql, bars, leaving);
  let next = 0;
  const lines = list.lines.map(({ line, serial, bar: read, detail }): PreviewedLine => {
    if (read === undefined) {
      const says = `line ${line} ${detail}`;
      return { line, serial, bar: undefined, fineMicrograms: 0n, detail: says };
    }
    const [bar, refusal] = [bars[next]!, refusals[next]];
    next++;
    return { line, serial, bar, fineMicrograms: fineOf(bar), detail: refusal };
  });
  const isMany = lines.length === 0 || lines.length > MOST_BARS;
  return {
    lines,
    detail: isMany ? `1 to ${MOST_BARS} bars at once` : undefined,
    fineMicrograms: sumFine(lines),
  };
}

/** Reads what is to be replaced, and the weight list of what is to come for it. */
export async function previewReplacement(
  sql: AnySql,
  serials: readonly string[],
  text: string,
): Promise<ReplacementPreview> {
  const leaving = await checkLeavingBars(sql, serials);
  const preview = await previewBars(sql, text, serials);
  const leavingMicrograms = leaving.reduce((sum, { bar }) => sum + (bar?.fineMicrograms ?? 0n), 0n);
  const isMany = serials.length === 0 || serials.length > MOST_BARS;
  const isLess = preview.fineMicrograms < leavingMicrograms;
  return {
    ...preview,
    detail: preview.detail ??
      (isMany
        ? `1 to ${MOST_BARS} bars at once`
        : isLess
        ? "the new bars have less fine gold than the old ones"
        : undefined),
    leaving,
    leavingMicrograms,
  };
}
