import { WireFormatError } from "./form.ts";
import { JsonSyntaxError } from "./parse_json.ts";

/** Returns what `read` reads; undefined where that is no JSON, or of another form. */
export function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireFormatError || error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
