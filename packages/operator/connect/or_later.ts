import { UnbookedError } from "@sabika/core/office";
import { LaterError } from "../outcome.ts";

/** What was performed; when it is recorded and a cell is still to book it, that is said. */
export async function orLater<T>(performing: Promise<T>): Promise<T> {
  try {
    return await performing;
  } catch (error) {
    throw error instanceof UnbookedError ? new LaterError(error.message) : error;
  }
}
