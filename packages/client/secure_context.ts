import { createSecureContext, type SecureContext } from "node:tls";
import { tlsOptions, type TransportKeys } from "./transport_keys.ts";

const contexts = new WeakMap<TransportKeys, SecureContext>();

/**
 * Returns Node's context for connections with these keys. It is made once, because a process can load an OpenSSL
 * engine by its path only once.
 *
 * @throws Error of OpenSSL if it cannot use the keys
 */
export function secureContextOf(keys: TransportKeys): SecureContext {
  let context = contexts.get(keys);
  if (context === undefined) {
    context = createSecureContext(tlsOptions(keys));
    contexts.set(keys, context);
  }
  return context;
}
