package sabika.client;

import java.net.Socket;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Presents one certificate, whose key may be in a token: a key store in memory could not hold that, and
 * the token's own may hold others.
 */
final class SingleKey extends X509ExtendedKeyManager {
  private static final String ALIAS = "kit";
  private final KeyStore.PrivateKeyEntry entry;

  SingleKey(KeyStore.PrivateKeyEntry entry) {
    this.entry = entry;
  }

  /** Returns the alias if the key is of one of the types, such as EC or EC_EC. */
  private String choose(String... types) {
    String algorithm = entry.getPrivateKey().getAlgorithm();
    return Stream.of(types).anyMatch(type -> type.startsWith(algorithm)) ? ALIAS : null;
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return entry.getPrivateKey();
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return Stream.of(entry.getCertificateChain()).toArray(X509Certificate[]::new);
  }

  @Override
  public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
    return choose(types);
  }

  @Override
  public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
    return choose(type);
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    return choose(types);
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    return choose(type);
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return new String[] {ALIAS};
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return new String[] {ALIAS};
  }
}
