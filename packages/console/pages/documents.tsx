import { DOCUMENTS } from "@sabika/office/reads";
import type { Call } from "../call.ts";
import { Code, Id } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { DOCUMENT_MOODS } from "./moods.ts";

/** Documents on file about partners, with a filter for those that ended or end soon. */
export const documents = listPages({
  read: DOCUMENTS,
  entry: "documents",
  look: documentLook,
});

/** Returns the words, colours and cells of a document's columns, for all pages. */
export function documentLook({ words: { partnerFile } }: Call) {
  return {
    states: {
      kind: { words: partnerFile.kinds },
      state: { words: partnerFile.documentStates, moods: DOCUMENT_MOODS },
    },
    cells: {
      issued_on: ({ issuedOn }: { issuedOn: string }) => <Code text={issuedOn} />,
      valid_until: ({ validUntil }: { validUntil: string | null }) => (
        <Code text={validUntil ?? "–"} />
      ),
      sha256: ({ sha256 }: { sha256: string }) => <Id text={sha256} />,
    },
  };
}
