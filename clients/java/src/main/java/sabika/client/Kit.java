package sabika.client;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A partner's credentials and addresses (Decision D43). Its text form has no secrets. */
public final class Kit {
  private final KitValues values;
  private final Signer signer;
  private final SSLContext sslContext;

  private Kit(Builder builder) throws IOException {
    values = new KitValues(builder.folder, builder.values);
    signer = builder.signer == null ? readSigner() : builder.signer;
    String registered = values.text("signing_key_id");
    if (registered != null && !registered.equals(signer.keyId())) {
      throw new IOException(values.named("signing.key") + ": it is not the key that is registered");
    }
    KeyStore.PrivateKeyEntry key = builder.clientKey == null ? readKey("client") : builder.clientKey;
    sslContext = sslContext(key, authorities());
    values.required("environment");
    values.required("client_id");
    String url = values.required("base_url");
    if (!url.startsWith("https://") || url.endsWith("/")) {
      throw new IOException(
          values.named("partner.json") + ": base_url must be https, without a trailing slash");
    }
  }

  /**
   * Opens the kit in a folder and checks it.
   *
   * @throws IOException with the name of the unusable file, never its contents
   */
  public static Kit open(Path folder) throws IOException {
    return builder().folder(folder).build();
  }

  /** Opens the kit of the environment, as {@link Builder#environment} reads it, and checks it. */
  public static Kit open() throws IOException {
    return builder().environment(System.getenv()).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns the folder of the kit; null if it has none. */
  public Path folder() {
    return values.folder();
  }

  /** {@code sandbox} or {@code production}. */
  public String environment() {
    return values.text("environment");
  }

  /** Returns the base URL, which is part of signatures and never rewritten (Decision D20). */
  public String baseUrl() {
    return values.text("base_url");
  }

  public String clientId() {
    return values.text("client_id");
  }

  /** Empty if the certificate alone authenticates the client ({@code tls_client_auth}). */
  String clientSecret() {
    String secret = values.text("client_secret");
    return secret == null ? "" : secret;
  }

  /** The secret for verifying webhooks, {@code whsec_…}, or null. */
  public String webhookSecret() {
    return values.text("webhook_secret");
  }

  /** The URL of the webhook endpoint, or null. */
  public String webhookUrl() {
    return values.text("webhook_url");
  }

  Signer signer() {
    return signer;
  }

  /** The RFC 7638 thumbprint of the signing key. */
  public String signingKeyId() {
    return signer.keyId();
  }

  /** Returns the context for mutual TLS, which trusts only ca.crt and presents client.crt. */
  public SSLContext sslContext() {
    return sslContext;
  }

  /** Makes a context for a webhook receiver on localhost; throws if the kit has no key for it (production). */
  public SSLContext receiverSslContext() throws IOException {
    return sslContext(readKey("receiver"), null);
  }

  @Override
  public String toString() {
    return "Kit[" + folder() + ", " + environment() + ", " + clientId() + "]";
  }

  private Signer readSigner() throws IOException {
    try {
      return Keys.signer(values.file("signing.key"), values.text("signing_key_id"));
    } catch (GeneralSecurityException | ClassCastException wrong) {
      String file = values.named("signing.key");
      throw new IOException(file + ": it holds no P-256 key in PEM (PKCS #8)", wrong);
    }
  }

  private KeyStore.PrivateKeyEntry readKey(String name) throws IOException {
    String keyPem = values.file(name + ".key");
    String certificatePem = values.file(name + ".crt");
    try {
      Certificate[] chain = Keys.certificates(certificatePem).toArray(Certificate[]::new);
      return new KeyStore.PrivateKeyEntry(Keys.privateKey(keyPem), chain);
    } catch (GeneralSecurityException | ClassCastException | IllegalArgumentException wrong) {
      throw mismatch(name, wrong);
    }
  }

  private SSLContext sslContext(KeyStore.PrivateKeyEntry key, KeyStore authorities) throws IOException {
    String name = authorities == null ? "receiver" : "client";
    try {
      Keys.checkPair(key.getPrivateKey(), key.getCertificate().getPublicKey());
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(authorities);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {new SingleKey(key)}, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException wrong) {
      throw mismatch(name, wrong);
    }
  }

  private IOException mismatch(String name, Exception cause) {
    String key = values.named(name + ".key");
    return new IOException(key + ": it does not belong to " + values.named(name + ".crt"), cause);
  }

  private KeyStore authorities() throws IOException {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      int number = 0;
      for (Certificate authority : Keys.certificates(values.file("ca.crt"))) {
        store.setCertificateEntry("ca-" + number++, authority);
      }
      if (number > 0) return store;
    } catch (GeneralSecurityException wrong) {
      throw new IOException(values.named("ca.crt") + ": it holds no certificate in PEM", wrong);
    }
    throw new IOException(values.named("ca.crt") + ": it holds no certificate in PEM");
  }

  /** What a kit is made of. What is not given is read from the folder, if there is one. */
  public static final class Builder {
    private final Map<String, String> values = new HashMap<>();
    private Path folder;
    private Signer signer;
    private KeyStore.PrivateKeyEntry clientKey;

    private Builder() {}

    public Builder folder(Path folder) {
      this.folder = folder;
      return this;
    }

    /**
     * Sets a member of partner.json, such as {@code base_url}, or a file in PEM: {@code ca.crt}, {@code
     * client.crt}, {@code client.key} or {@code signing.key}.
     *
     * @throws IllegalArgumentException for other names
     */
    public Builder value(String name, String text) {
      if (!KitValues.MEMBERS.contains(name) && !KitValues.FILES.contains(name)) {
        throw new IllegalArgumentException("a kit has no " + name);
      }
      values.put(name, text);
      return this;
    }

    /**
     * Reads {@code SABIKA_KIT}, the folder, and variables that are named like the values: {@code
     * SABIKA_KIT_BASE_URL}, {@code SABIKA_KIT_CLIENT_CRT}. In PEM a backslash and an n are a line feed.
     */
    public Builder environment(Map<String, String> variables) {
      String named = variables.getOrDefault("SABIKA_KIT", "");
      if (!named.isEmpty()) folder = Path.of(named);
      KitValues.MEMBERS.forEach(name -> values.put(name, variable(variables, name)));
      KitValues.FILES.forEach(
          name -> values.put(name, variable(variables, name).replace("\\n", "\n")));
      values.values().removeIf(String::isEmpty);
      return this;
    }

    private static String variable(Map<String, String> variables, String name) {
      String upper = name.replace('.', '_').toUpperCase(Locale.ROOT);
      return variables.getOrDefault("SABIKA_KIT_" + upper, "");
    }

    /** Signs requests with a key that may be elsewhere. */
    public Builder signer(Signer signer) {
      this.signer = signer;
      return this;
    }

    /**
     * Presents a certificate whose key may be in a token. The provider of such a key must be registered
     * ({@code Security.addProvider}).
     */
    public Builder clientKey(KeyStore.PrivateKeyEntry entry) {
      clientKey = entry;
      return this;
    }

    /** @throws IOException with the name of the unusable file or value, never its contents */
    public Kit build() throws IOException {
      return new Kit(this);
    }
  }
}
