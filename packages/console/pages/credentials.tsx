import { CREDENTIALS } from "@sabika/office/reads";
import { Id } from "../layout/inline.tsx";
import { listPages } from "../layout/list.tsx";
import { CREDENTIAL_MOODS } from "./moods.ts";

/** All partners' credentials, with a filter for those that end soon. */
export const credentials = listPages({
  read: CREDENTIALS,
  entry: "credentials",
  lengths: [50, 100_000],
  look: ({ words }) => ({
    states: {
      kind: { words: words.credentials },
      state: { words: words.partners.credentialStates, moods: CREDENTIAL_MOODS },
    },
    cells: { id: ({ credentialId }) => <Id text={credentialId} /> },
  }),
});
