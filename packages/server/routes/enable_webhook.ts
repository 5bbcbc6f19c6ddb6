import type { Trading } from "@sabika/service/trading";
import { enableRequestFromJson, WEBHOOK_ENABLED } from "@sabika/protocol";
import type { SignedWriteCall } from "../call/findings.ts";
import { written } from "../call/reply.ts";
import { signedCommandOf } from "./command.ts";
import { readRequest } from "./read_request.ts";
import { refuseBody } from "./refuse_body.ts";
import type { Route } from "./route.ts";

/** POST /v1/webhook/enable: resumes delivery to the partner's endpoint (Decision D54). */
export function enableWebhookRoute(trading: Trading): Route<SignedWriteCall> {
  return async (call) => {
    const read = readRequest(call, enableRequestFromJson);
    if (!read.ok) return await refuseBody(trading, call, read);
    return written(await trading.enableWebhook(signedCommandOf(call, read)), WEBHOOK_ENABLED.write);
  };
}
