import { classifyFailure } from "@sabika/database";
import { CellError } from "./verify_cell.ts";

/** Whether an error says that a database cannot be reached now, or was caused by one that does. */
export function isAway(error: unknown): boolean {
  if (error instanceof CellError || /away|lost/.test(classifyFailure(error))) return true;
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}
