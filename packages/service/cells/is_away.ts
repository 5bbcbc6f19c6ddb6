import { classifyFailure } from "@sabika/database";
import { CellError } from "./verify_cell.ts";

/** Whether an error, or one of its causes, says that a database cannot be reached now. */
export function isAway(error: unknown): boolean {
  if (error instanceof CellError || /away|lost/.test(classifyFailure(error))) return true;
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}
