import { change, line, type Value } from "./line.ts";
import { type Describe, ofPartner } from "./subject.ts";

const urlOf = (url: string | null): Value => url === null ? { word: "none" } : { text: url };

/** Another URL for a partner's events. */
export const describeUrl: Describe<
  { readonly url: string; readonly in_flight: number | undefined }
> = ofPartner(({ input: { url, in_flight }, partner: { webhookUrl } }) => [
  change("webhook_url", urlOf(webhookUrl), { text: url }),
  ...in_flight === undefined ? [] : [line("in_flight", { count: in_flight })],
]);

/** What is done to a partner's endpoint as it is. */
export const describeEndpoint: Describe<object> = ofPartner(({ partner: { webhookUrl } }) => [
  line("webhook_url", urlOf(webhookUrl)),
]);

/** An event that is sent again. */
export const describeEvent: Describe<{ readonly event: string }> = ofPartner((
  { input: { event }, partner: { webhookUrl } },
) => [line("event", { text: event }), line("webhook_url", urlOf(webhookUrl))]);
