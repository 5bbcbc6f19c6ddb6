import type { Section } from "./section.ts";

/** Converts `unix:/path` or `address:port` to Envoy's form of an address. */
export function addressSection(text: string): Section {
  if (text.startsWith("unix:")) return { pipe: { path: text.slice("unix:".length) } };
  const at = text.lastIndexOf(":");
  const address = text.slice(0, at).replace(/^\[|\]$/g, "");
  return { socket_address: { address, port_value: Number(text.slice(at + 1)) } };
}
