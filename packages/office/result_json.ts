/**
 * Returns an act's result as values for JSON: names in snake_case, and amounts as texts of whole minor
 * units, the unit in their name: `amount_halalas: "150000"`.
 */
export function resultJson(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(resultJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [snakeCase(name), resultJson(member)]),
  );
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
