import { classifyFailure } from "@sabika/database";
import { UnavailableError } from "@sabika/service/trading";
import { notCarriedOut, type Refusal, refuse } from "@sabika/protocol";

/**
 * The refusal for a thrown error. An unreachable database is not the fault of the request, so the refusal
 * says whether the request may have been carried out (Decision D32).
 */
export function refusalOfError(error: unknown): Refusal {
  if (error instanceof UnavailableError) return error.refusal;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  switch (classifyFailure(cause)) {
    case "again":
    case "held":
    case "away":
      return notCarriedOut();
    case "lost":
      return refuse("outcome_unknown", { retryAfterSeconds: 1 });
    case "fatal":
      return refuse("internal_error");
  }
}
