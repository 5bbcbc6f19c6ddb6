/**
 * Fills the places of a catalogue's text: `{time} ago` and `{ time: "3 min" }` give `3 min ago`.
 *
 * @throws {Error} when a place has no value
 */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, place: string) => {
    const value = values[place];
    if (value === undefined) throw new Error(`no value for {${place}} in “${text}”`);
    return String(value);
  });
}
