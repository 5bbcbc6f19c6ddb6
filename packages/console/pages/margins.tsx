import { MARGINS } from "@sabika/office/reads";
import { listPages } from "../layout/list.tsx";

/** What orders earned the house, by partner and day or hour. */
export const margins = listPages({
  read: MARGINS,
  entry: "margins",
  look: ({ words }) => ({ states: { by: { words: words.margins } } }),
});
