import { type DocumentSettings, type ReferencePage, referencePage } from "@sabika/reference";
import { type Reply, reply } from "../call/reply.ts";

/** GET /docs: the contract for people; made when it is first asked for (Decision D72). */
export function referenceRoute(settings: DocumentSettings): () => Promise<Reply> {
  let page: Promise<ReferencePage> | undefined;
  return async () => {
    const { html, policy } = await (page ??= referencePage(settings));
    return reply(html, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
    });
  };
}
