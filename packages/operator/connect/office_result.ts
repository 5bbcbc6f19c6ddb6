import { isJsonObject, JsonNumber, type JsonValue } from "@sabika/protocol";
import { camelOf } from "../case.ts";

/** Members with a unit in their names are amounts, written as the text of whole minor units. */
const AMOUNT = /(?:Halalas|Micrograms|TenThousandths|Ppm)$/;

/** Turns the office's JSON into the act's result: names in camel case, amounts as `bigint`. */
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
