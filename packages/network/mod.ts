/** Resolves host names without using a thread, and makes requests over such connections. */
export { createLookup, lookup } from "./lookup.ts";
export { isLoopbackHost } from "./loopback_host.ts";
export { createPlainFetch, type PlainFetch, plainFetch } from "./plain_fetch.ts";
export { type ResolvedAddress, resolveHost } from "./resolve_host.ts";
