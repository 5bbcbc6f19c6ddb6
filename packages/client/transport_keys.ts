/** The credentials of a connection, in PEM. */
export interface TransportKeys {
  /** The certificate of the authority that issues the server's certificate. */
  caPem: string;
  /** The partner's certificate. */
  certificatePem: string;
  /** The private key of that certificate; empty if an engine holds it. */
  privateKeyPem: string;
  /**
   * Node only: the OpenSSL engine that holds the private key, by its id in the file of `OPENSSL_CONF`, or by its
   * path, by which a process can load it once, so that `reload` fails.
   */
  privateKeyEngine?: string;
  /** The key's name in that engine. */
  privateKeyIdentifier?: string;
}

/** Makes the options of Node's TLS. */
export function tlsOptions(keys: TransportKeys) {
  const { privateKeyPem, privateKeyEngine, privateKeyIdentifier } = keys;
  const key = privateKeyEngine === undefined
    ? { key: privateKeyPem }
    : { privateKeyEngine, privateKeyIdentifier };
  return { ca: keys.caPem, cert: keys.certificatePem, ...key };
}
