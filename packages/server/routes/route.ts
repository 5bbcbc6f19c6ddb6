import type { CertifiedCall, SignedCall } from "../call.ts";
import type { Answer } from "../reply.ts";

/** What an endpoint does with a call that has passed its door; `id` is the last part of the path. */
export type Route = (call: CertifiedCall, id: string) => Answer | Promise<Answer>;

/** The same behind the door of the signed endpoints. */
export type SignedRoute = (call: SignedCall, id: string) => Answer | Promise<Answer>;
