import { Refused } from "@sabika/office";
import { openEvidence, writeEvidenceFile } from "@sabika/office/oversight";
import { type ExportedFact, RECEIPT_MEDIA_TYPE } from "@sabika/protocol";
import type { Call, Page } from "../call.ts";
import { download, linesAnswer } from "../download.ts";
import { readFilter } from "../layout/filter.tsx";
import { readStory } from "./trade.tsx";

/** The signed requests behind orders and withdrawals, of a partner and a period, as `sabika evidence export` writes them. */
export const evidenceFile: Page = {
  path: "/evidence.jsonl",
  act: "trade.read",
  async show(call) {
    const { wrong, narrowed: { clientId, fromMs = 0, toMs = call.now() } } = await readFilter(call);
    if (wrong !== undefined) throw new Refused("invalid_request", wrong);
    return await answer(call, clientId ?? "all", { clientId, fromMs, untilMs: toMs });
  },
};

/** The signed request of one order, in the same form. */
export const orderEvidenceFile: Page = {
  path: "/orders/:order{ord_[0-9a-f-]+}/evidence.jsonl",
  act: "trade.read",
  async show(call) {
    const story = await readStory(call);
    if (!story) return undefined;
    const { receivedAtMs: fromMs, trade: { id, clientId } } = story;
    return await answer(call, id, { clientId, fromMs, untilMs: fromMs + 1 }, id);
  },
};

/** The receipt of one order as it was signed (Decision D103). */
export const receiptFile: Page = {
  path: "/orders/:order{ord_[0-9a-f-]+}/receipt.jws",
  act: "trade.read",
  async show(call) {
    const story = await readStory(call);
    if (story?.receipt == null) return undefined;
    return download(`${story.trade.id}.jws`, RECEIPT_MEDIA_TYPE, story.receipt);
  },
};

/** Answers the evidence of a period; of one order alone if its id is given. */
async function answer(
  { database: control, environment, office, viewer }: Call,
  name: string,
  period: Parameters<typeof openEvidence>[1],
  orderId?: string,
): Promise<Response | undefined> {
  const { openCell } = office.readContext(viewer);
  const opened = await openEvidence({ control, openCell }, period);
  if (opened === undefined) return undefined;
  const { fromMs, untilMs } = period;
  const head = { environment, fromMs, untilMs, keys: opened.keys };
  const facts = orderId === undefined ? opened.facts : only(opened.facts, orderId);
  return linesAnswer(`sabika-evidence-${name}.jsonl`, async (write) => {
    for await (const line of writeEvidenceFile(head, facts)) await write(line);
  });
}

async function* only(
  facts: AsyncIterable<ExportedFact>,
  id: string,
): AsyncIterable<ExportedFact> {
  for await (const kept of facts) if (kept.fact.id === id) yield kept;
}
