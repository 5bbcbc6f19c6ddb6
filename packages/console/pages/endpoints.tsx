import { ENDPOINTS } from "@sabika/office/reads";
import type { WebhookEndpoint } from "@sabika/protocol";
import type { Call } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { duration } from "../languages/languages.ts";
import { listPages } from "../layout/list.tsx";
import type { Look } from "../layout/read_table.tsx";
import { ENDPOINT_MOODS } from "./moods.ts";

/** The state of every partner's webhook endpoint, the one furthest behind first. */
export const endpoints = listPages({
  read: ENDPOINTS,
  entry: "endpoints",
  look: (call) => ({
    ...endpointLook(call),
    extraColumns: [{
      head: call.words.deliveries.link,
      cell: ({ clientId }) => (
        <a
          href={`/${call.language}/partners/${clientId}/deliveries`}
          aria-label={fill(call.words.deliveries.title, { partner: clientId })}
        >
          {call.words.deliveries.link}
        </a>
      ),
    }],
  }),
});

/** Returns the words, colours and cells of an endpoint's columns, for all pages. */
export function endpointLook({ words, language }: Call): Look<WebhookEndpoint> {
  return {
    states: {
      status: { words: words.overview.status, moods: ENDPOINT_MOODS },
      failure: { words: words.failures },
    },
    cells: { lag_seconds: ({ lagSeconds }) => duration(language, lagSeconds) },
  };
}
