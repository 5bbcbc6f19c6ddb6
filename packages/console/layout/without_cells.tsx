import type { AwayCell } from "@sabika/office/oversight";
import { fill } from "../languages/fill.ts";
import type { Messages } from "../languages/languages.ts";

/** An alert that names the cells whose part a page lacks; nothing when it lacks none. */
export function WithoutCells({ words, away }: { words: Messages; away: readonly AwayCell[] }) {
  if (away.length === 0) return null;
  const cells = away.map(({ cellId }) => cellId).join(", ");
  return <p role="alert" class="wrong">{fill(words.withoutCells.missing, { cells })}</p>;
}
