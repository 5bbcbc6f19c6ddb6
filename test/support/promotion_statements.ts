import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../docs/scale.md", import.meta.url));

/**
 * The statements that docs/scale.md has for a cell when control was promoted: those in control, and those
 * in the cell where its copies are made anew.
 *
 * @param connection how the cell reaches control, as libpq reads it
 */
export async function readPromotionStatements(
  { cellId, connection }: { readonly cellId: string; readonly connection: string },
): Promise<{ inControl: string[]; inCell: string[] }> {
  const section = (await readFile(PAGE, "utf8")).split("### When control is promoted")[1]!;
  const blocks = [...section.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, block]) =>
    block!.replace(/'host=[^']*'/, `'${connection}'`)
      .replaceAll(/\b(sabika|sabika_acts)_b\b/g, `$1_${cellId}`)
      .split(";").map((statement) => statement.trim()).filter((statement) => statement !== "")
  );
  const [inControl, inCell] = blocks;
  return { inControl: inControl!, inCell: inCell! };
}
