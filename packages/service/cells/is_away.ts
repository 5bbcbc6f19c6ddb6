import { classifyFailure } from "@sabika/database";
import { CellError } from "./verify_cell.ts";

/** Whether what was thrown says that a database cannot be asked now, or that it comes from that. */
export function isAway(error: unknown): boolean {
  if (error instanceof CellError || /away|lost/.test(classifyFailure(error))) return true;
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}
