import { mayDo } from "@sabika/terms";
import { PARTNERS } from "@sabika/office/reads";
import { listPages } from "../layout/list.tsx";
import { ENDPOINT_MOODS } from "./moods.ts";

/** Every partner, with its holdings and the state of its endpoint. */
export const partners = listPages({
  read: PARTNERS,
  entry: "partners",
  look: ({ words }) => ({
    states: {
      status: { words: words.partners.statuses, moods: { active: "good", suspended: "bad" } },
      endpoint: { words: words.overview.status, moods: ENDPOINT_MOODS },
    },
  }),
  above: ({ language, viewer, words }) =>
    mayDo(viewer.roles, "partner.create") && (
      <p>
        <a href={`/${language}/admission`}>{words.admission.title}</a>
      </p>
    ),
});
