package sabika.client;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Provider;
import java.security.Security;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The kit of a running sandbox's partner, as npm run clients names it in variables. */
final class SandboxKit {
  private static Kit ofToken;

  private SandboxKit() {}

  static Transport connection(Kit kit) {
    return HttpTransport.of(kit, Duration.ofSeconds(15), HttpClient.Builder.NO_PROXY);
  }

  /** Returns the folder of the kit; a test is left out if there is no sandbox. */
  static Path folder() {
    String folder = System.getenv("SABIKA_KIT");
    Assumptions.assumeTrue(folder != null, "SABIKA_KIT names no kit of a running sandbox");
    return Path.of(folder);
  }

  /** Opens the kit; if {@code SABIKA_TOKEN_MODULE} is set, its keys are in that token, SoftHSM's. */
  static synchronized Kit open() throws IOException {
    Path folder = folder();
    String module = System.getenv("SABIKA_TOKEN_MODULE");
    if (module == null) return Kit.open(folder);
    try {
      if (ofToken == null) ofToken = openToken(module, folder);
      return ofToken;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static Kit openToken(String module, Path folder)
      throws IOException, GeneralSecurityException {
    Provider provider = Security.getProvider("SunPKCS11")
        .configure("--name = bank\nlibrary = " + module + "\nslotListIndex = 0\n");
    Security.addProvider(provider);
    Path keyless = Path.of(System.getenv("SABIKA_TOKEN_KIT"));
    KeyStore imported = load(provider);
    for (String name : List.of("client", "signing")) put(imported, folder, keyless, name);
    KeyStore store = load(provider);
    // The folder has neither client.key nor signing.key.
    return Kit.builder()
        .folder(keyless)
        .clientKey(entry(store, "client"))
        .signer(Signer.of(entry(store, "signing")))
        .build();
  }

  private static KeyStore load(Provider provider) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS11", provider);
    store.load(null, System.getenv("SABIKA_TOKEN_PIN").toCharArray());
    return store;
  }

  /** Puts a key of the kit into the token, with its certificate, as keytool does. */
  private static void put(KeyStore store, Path folder, Path keyless, String name)
      throws IOException, GeneralSecurityException {
    Certificate[] chain = Keys.certificates(Files.readString(keyless.resolve(name + ".crt")))
        .toArray(Certificate[]::new);
    var key = Keys.privateKey(Files.readString(folder.resolve(name + ".key")));
    store.setKeyEntry("bank " + name, key, null, chain);
  }

  /** Reads an entry, whose key has no bytes here. */
  private static KeyStore.PrivateKeyEntry entry(KeyStore store, String name)
      throws GeneralSecurityException {
    var entry = (KeyStore.PrivateKeyEntry) store.getEntry("bank " + name, null);
    assertNull(entry.getPrivateKey().getEncoded());
    return entry;
  }
}
