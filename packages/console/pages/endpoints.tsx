import { ENDPOINTS } from "@sabika/office/reads";
import { duration } from "../languages/languages.ts";
import { listPages } from "../layout/list.tsx";
import { ENDPOINT_MOODS } from "./moods.ts";

/** How every partner's webhook endpoint stands, the longest behind first. */
export const [endpoints, endpointsFile] = listPages({
  read: ENDPOINTS,
  entry: "endpoints",
  look: ({ words, language }) => ({
    states: {
      status: { words: words.overview.status, moods: ENDPOINT_MOODS },
      failure: { words: words.failures },
    },
    cells: { lag_seconds: ({ lagSeconds }) => duration(language, lagSeconds) },
    more: [{
      head: words.deliveries.link,
      cell: ({ clientId }) => (
        <a
          href={`/${language}/partners/${clientId}/deliveries`}
          aria-label={words.deliveries.title(clientId)}
        >
          {words.deliveries.link}
        </a>
      ),
    }],
  }),
});
