package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProviderException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KitTest {
  private Kit kit;

  @BeforeEach
  void openKit() throws IOException {
    kit = SandboxKit.open();
  }

  @Test
  void aKitDoesNotShowItsSecrets() {
    assertTrue(kit.toString().contains(kit.clientId()));
    assertFalse(kit.toString().contains(kit.clientSecret()));
    assertFalse(kit.toString().contains(kit.webhookSecret()));
  }

  @Test
  void aKitWithAWrongFileIsRefusedByItsName(@TempDir Path folder) throws IOException {
    assertThrows(IOException.class, () -> Kit.open(folder));
    try (Stream<Path> files = Files.list(kit.folder())) {
      for (Path file : files.toList()) Files.copy(file, folder.resolve(file.getFileName()));
    }
    Files.writeString(folder.resolve("client.key"), Files.readString(folder.resolve("signing.key")));
    var mixed = assertThrows(IOException.class, () -> Kit.open(folder));
    assertTrue(mixed.getMessage().contains("client.key"), mixed.getMessage());
    Files.writeString(folder.resolve("signing.key"), "no key");
    var broken = assertThrows(IOException.class, () -> Kit.open(folder));
    assertTrue(broken.getMessage().contains("signing.key"), broken.getMessage());
    Files.writeString(folder.resolve("partner.json"), "[]");
    var other = assertThrows(IOException.class, () -> Kit.open(folder));
    assertTrue(other.getMessage().contains("partner.json"), other.getMessage());
  }

  /** Makes variables of all values of the kit, PEM on one line. */
  private Map<String, String> variables() throws Exception {
    Map<String, String> variables = new HashMap<>();
    Members partner = Members.of(Json.read(Files.readString(kit.folder().resolve("partner.json"))));
    for (String name : KitValues.MEMBERS) {
      variables.put("SABIKA_KIT_" + name.toUpperCase(Locale.ROOT), partner.text(name));
    }
    for (String name : KitValues.FILES) {
      String pem = Files.readString(kit.folder().resolve(name)).replace("\n", "\\n");
      variables.put("SABIKA_KIT_" + name.toUpperCase(Locale.ROOT).replace('.', '_'), pem);
    }
    return variables;
  }

  @Test
  void aKitIsReadFromTheEnvironment() throws Exception {
    Kit found = Kit.builder().environment(variables()).build();
    assertNull(found.folder());
    assertTrue(Client.of(found).probe("{}").verified());
    Map<String, String> variables =
        Map.of("SABIKA_KIT", kit.folder().toString(), "SABIKA_KIT_BASE_URL", "https://bank.test");
    found = Kit.builder().environment(variables).build();
    assertEquals("https://bank.test", found.baseUrl());
    assertEquals(kit.signingKeyId(), found.signingKeyId());
  }

  @Test
  void aValueThatIsWrongIsNamed() throws Exception {
    List<List<String>> wrongs = List.of(
        List.of("CLIENT_ID", "", "partner.json"),
        List.of("CA_CRT", "", "ca.crt"),
        List.of("CA_CRT", "no certificate", "ca.crt"),
        List.of("CLIENT_KEY", variables().get("SABIKA_KIT_SIGNING_KEY"), "client.key"),
        List.of("SIGNING_KEY", variables().get("SABIKA_KIT_CLIENT_KEY"), "signing.key"),
        List.of("SIGNING_KEY", "no key", "signing.key"));
    for (List<String> wrong : wrongs) {
      Map<String, String> variables = variables();
      variables.put("SABIKA_KIT_" + wrong.get(0), wrong.get(1));
      Kit.Builder builder = Kit.builder().environment(variables);
      IOException refused = assertThrows(IOException.class, builder::build);
      assertTrue(refused.getMessage().startsWith(wrong.get(2)), refused.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> Kit.builder().value("client.pem", ""));
  }

  @Test
  void aSignerThatFailsIsAskedAgain() throws IOException {
    AtomicInteger failures = new AtomicInteger(1);
    Signer signer = Signer.of(kit.signingKeyId(), data -> {
      if (failures.getAndDecrement() > 0) throw new ProviderException("the token was removed");
      return kit.signer().sign(data);
    });
    AtomicInteger pauses = new AtomicInteger();
    Client client = Client.builder(Kit.builder().folder(kit.folder()).signer(signer).build())
        .sleeper(pause -> pauses.incrementAndGet()).build();
    assertTrue(client.probe("{}").verified());
    assertEquals(1, pauses.get());
    failures.set(6);
    var failed = assertThrows(
        Refused.SignerFailed.class, () -> client.withdraw(new BigDecimal("1"), null, "w"));
    assertTrue(failed.getCause() instanceof ProviderException);
    assertEquals("w", failed.idempotencyKey());
  }

  @Test
  void aSignerThatIsNotRegisteredIsRefused() {
    Kit.Builder builder =
        Kit.builder().folder(kit.folder()).signer(Signer.of("A".repeat(43), data -> new byte[64]));
    IOException refused = assertThrows(IOException.class, builder::build);
    assertTrue(refused.getMessage().contains("not the key that is registered"), refused.getMessage());
  }
}
