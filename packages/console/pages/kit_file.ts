import type { ResultOf } from "@sabika/office/acts";
import type { Call, Page } from "../call.ts";
import { download } from "../download.ts";
import { actOutcome } from "./acts.tsx";

/**
 * The encrypted kit of a partner that somebody has just admitted, as a file, while its outcome is kept; after that
 * the page that says what came of the act.
 */
export const kitFile: Page = {
  path: "/acts/:id{[0-9a-f-]{36}}/kit",
  act: "partner.create",
  async show(call) {
    const file = findFile(call);
    return file === undefined
      ? await actOutcome.show(call)
      : download(file.name, "application/octet-stream", file.text);
  },
};

function findFile({ context, viewer, outcomes }: Call) {
  const kept = outcomes.find(context.req.param("id") ?? "", viewer.operatorId);
  if (kept?.name !== "partner.create") return undefined;
  const { outcome } = kept;
  if (!("ok" in outcome) || !outcome.ok || !("done" in outcome.value)) return undefined;
  return (outcome.value.done as ResultOf<"partner.create">).file ?? undefined;
}
