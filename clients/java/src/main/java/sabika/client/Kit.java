package sabika.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.interfaces.ECPrivateKey;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A partner's credentials and addresses (Decision D43). Its text form has no secrets. */
public final class Kit {
  private static final char[] NO_PASSWORD = {};

  private final Path folder;
  private final Map<?, ?> partner;
  private final ECPrivateKey signingKey;
  private final SSLContext sslContext;

  private Kit(Path folder) throws IOException {
    this.folder = folder;
    partner = readPartner(folder.resolve("partner.json"));
    signingKey = readSigningKey();
    sslContext = openSslContext("client", true);
    required("environment");
    required("client_id");
    if (!baseUrl().startsWith("https://") || baseUrl().endsWith("/")) {
      throw new IOException(folder.resolve("partner.json") + ": base_url must be https, without a trailing slash");
    }
  }

  /**
   * Opens a partner kit and checks it.
   *
   * @throws IOException with the name of the unusable file, never its contents
   */
  public static Kit open(Path folder) throws IOException {
    return new Kit(folder);
  }

  public Path folder() {
    return folder;
  }

  /** {@code sandbox} or {@code production}. */
  public String environment() {
    return text("environment");
  }

  /** Returns the base URL, which is part of signatures and never rewritten (Decision D20). */
  public String baseUrl() {
    return String.valueOf(text("base_url"));
  }

  public String clientId() {
    return text("client_id");
  }

  /** Empty if the certificate alone authenticates the client ({@code tls_client_auth}). */
  String clientSecret() {
    String secret = text("client_secret");
    return secret == null ? "" : secret;
  }

  /** The secret for verifying webhooks, {@code whsec_…}, or null. */
  public String webhookSecret() {
    return text("webhook_secret");
  }

  /** The URL of the webhook endpoint, or null. */
  public String webhookUrl() {
    return text("webhook_url");
  }

  ECPrivateKey signingKey() {
    return signingKey;
  }

  /** The RFC 7638 thumbprint of the signing key; null if the kit does not name it. */
  public String signingKeyId() {
    return text("signing_key_id");
  }

  /** Returns the context for mutual TLS, which trusts only ca.crt and presents client.crt. */
  public SSLContext sslContext() {
    return sslContext;
  }

  /** Makes a context for a webhook receiver on localhost; throws if the kit has no key for it (production). */
  public SSLContext receiverSslContext() throws IOException {
    return openSslContext("receiver", false);
  }

  @Override
  public String toString() {
    return "Kit[" + folder + ", " + environment() + ", " + clientId() + "]";
  }

  private String text(String name) {
    return partner.get(name) instanceof String text && !text.isEmpty() ? text : null;
  }

  private void required(String name) throws IOException {
    if (text(name) == null) {
      throw new IOException(folder.resolve("partner.json") + ": " + name + " is missing");
    }
  }

  private static Map<?, ?> readPartner(Path file) throws IOException {
    try {
      if (Json.read(Files.readString(file)) instanceof Map<?, ?> members) return members;
    } catch (Json.SyntaxException malformed) {
      // The exception below says so.
    }
    throw new IOException(file + ": not a valid partner.json; take it from the kit again");
  }

  private ECPrivateKey readSigningKey() throws IOException {
    Path file = folder.resolve("signing.key");
    try {
      return Keys.privateKey(Files.readString(file));
    } catch (GeneralSecurityException | ClassCastException wrong) {
      throw new IOException(file + ": it holds no P-256 key in PEM (PKCS #8)", wrong);
    }
  }

  private SSLContext openSslContext(String name, boolean trustsKit) throws IOException {
    Path keyFile = folder.resolve(name + ".key");
    Path certificateFile = folder.resolve(name + ".crt");
    String keyPem = Files.readString(keyFile);
    String certificatePem = Files.readString(certificateFile);
    try {
      PrivateKey key = Keys.privateKey(keyPem);
      Certificate[] chain = Keys.certificates(certificatePem).toArray(Certificate[]::new);
      checkPair(key, chain[0]);
      KeyStore keyStore = KeyStore.getInstance("PKCS12");
      keyStore.load(null, null);
      keyStore.setKeyEntry(name, key, NO_PASSWORD, chain);
      KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(keyStore, NO_PASSWORD);
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trustsKit ? authorities() : null);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | ClassCastException | IndexOutOfBoundsException wrong) {
      throw new IOException(keyFile + ": it does not belong to " + certificateFile, wrong);
    }
  }

  private KeyStore authorities() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    int number = 0;
    for (Certificate authority : Keys.certificates(Files.readString(folder.resolve("ca.crt")))) {
      store.setCertificateEntry("ca-" + number++, authority);
    }
    return store;
  }

  /** Checks that key and certificate fit, which a key store does not: the handshake would fail instead. */
  private static void checkPair(PrivateKey key, Certificate certificate)
      throws GeneralSecurityException {
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(key);
    byte[] signed = signature.sign();
    signature.initVerify(certificate);
    if (!signature.verify(signed)) throw new GeneralSecurityException("another key");
  }
}
