/**
 * Reads `application/x-www-form-urlencoded` strictly: UTF-8, complete escapes, no name twice
 * (RFC 6749 §3.2 and appendix B). A parameter without a value counts as omitted.
 *
 * @returns the parameters, or undefined when the bytes are not such a form
 */
export function parseForm(body: Uint8Array): ReadonlyMap<string, string> | undefined {
  const form = new Map<string, string>();
  const names = new Set<string>();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
  if (text === "") return form;
  for (const pair of text.split("&")) {
    const equals = pair.indexOf("=");
    if (equals <= 0) return undefined;
    const name = decode(pair.slice(0, equals));
    const value = decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined || names.has(name)) return undefined;
    names.add(name);
    if (value !== "") form.set(name, value);
  }
  return form;
}

function decode(text: string): string | undefined {
  if (!FORM_TEXT.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

// Characters that a serialiser (URL standard §5.2) or other clients leave unescaped.
const FORM_TEXT = /^(?:[A-Za-z0-9*\-._~+!'()$,:;@/]|%[0-9A-Fa-f]{2})*$/;
