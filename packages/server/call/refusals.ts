import { refuse } from "@sabika/protocol";

/** Nothing was done; the caller may try again soon (Decision D32). */
export const SERVICE_UNAVAILABLE = refuse("service_unavailable", { retryAfterSeconds: 1 });
