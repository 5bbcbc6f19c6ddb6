package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Provider;
import java.security.Security;
import java.security.cert.Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trades with keys in SoftHSM, by the JDK's SunPKCS11; npm run clients makes the token. */
class TokenIT {
  private static final Path KIT = Path.of(System.getenv("SABIKA_KIT"));
  private static final Path KEYLESS = Path.of(System.getenv("SABIKA_TOKEN_KIT"));
  private static final char[] PIN = System.getenv("SABIKA_TOKEN_PIN").toCharArray();

  private static KeyStore open(Provider provider) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS11", provider);
    store.load(null, PIN);
    return store;
  }

  /** Puts a key of the kit into the token, with its certificate, as keytool does. */
  private static void put(KeyStore store, String name) throws Exception {
    Certificate[] chain = Keys.certificates(Files.readString(KEYLESS.resolve(name + ".crt")))
        .toArray(Certificate[]::new);
    store.setKeyEntry(
        "bank " + name, Keys.privateKey(Files.readString(KIT.resolve(name + ".key"))), null, chain);
  }

  /** Reads an entry, whose key has no bytes here. */
  private static KeyStore.PrivateKeyEntry entry(KeyStore store, String name) throws Exception {
    var entry = (KeyStore.PrivateKeyEntry) store.getEntry("bank " + name, null);
    assertNull(entry.getPrivateKey().getEncoded());
    return entry;
  }

  @Test
  void anOrderIsSignedAndSentWithKeysOfAToken() throws Exception {
    String library = System.getenv("SABIKA_TOKEN_MODULE");
    Provider provider = Security.getProvider("SunPKCS11")
        .configure("--name = bank\nlibrary = " + library + "\nslotListIndex = 0\n");
    Security.addProvider(provider);
    KeyStore imported = open(provider);
    for (String name : List.of("client", "signing")) put(imported, name);

    KeyStore store = open(provider);
    // The folder has neither client.key nor signing.key.
    Kit kit = Kit.builder()
        .folder(KEYLESS)
        .clientKey(entry(store, "client"))
        .signer(Signer.of(entry(store, "signing")))
        .build();
    Client client = Client.of(kit);
    client.fund(new BigDecimal("1000"), null);
    Quote quote = client.quote(Side.BUY, new BigDecimal("1"), null);
    assertEquals("executed", client.order(quote.id(), null, null).status());
  }
}
