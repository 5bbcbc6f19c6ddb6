import { isJsonObject, JsonNumber, type JsonValue } from "@sabika/protocol";
import { camelOf } from "../case.ts";

/** Amounts stand as texts of whole minor units, with the unit in the name of their member. */
const AMOUNT = /(?:Halalas|Micrograms|TenThousandths|Ppm)$/;

/** What came of an act, as the act gives it, of the JSON that the office writes it as. */
export function resultOf(json: JsonValue | undefined, name = ""): unknown {
  if (json === undefined) return null;
  if (json instanceof JsonNumber) return Number(json.text);
  if (typeof json === "string") return AMOUNT.test(name) ? BigInt(json) : json;
  if (Array.isArray(json)) {
    return (json as readonly JsonValue[]).map((item) => resultOf(item, name));
  }
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    [...json].map(([snake, member]) => {
      const camel = camelOf(snake.replaceAll("_", "-"));
      return [camel, resultOf(member, camel)];
    }),
  );
}
