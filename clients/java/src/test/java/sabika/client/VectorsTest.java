package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VectorsTest {
  private final Members canonical = Vectors.read("canonical_string.json");
  private final Members jws = Vectors.read("jws.json");
  private final Members webhook = Vectors.read("webhook.json");
  private final Members numbers = Vectors.read("numbers.json");
  private final Members refusals = Vectors.read("refusals.json");

  @TestFactory
  Stream<DynamicTest> keysSignAndHaveTheirThumbprints() {
    return Vectors.each(Vectors.read("keys.json"), "keys", key -> {
      assertEquals(key.text("key_id"), Signing.thumbprint(Keys.publicKey(key.text("public_key_pem"))));
      Signer signer = Keys.signer(key.text("private_key_pem"), null);
      assertEquals(key.text("key_id"), signer.keyId());
      String signed = Signing.signDetached("x", signer, null);
      Signing.verifyDetached(signed, "x", Keys.publicKey(key.text("public_key_pem")));
    });
  }

  private static String canonicalOf(Members vector) {
    return Signing.canonicalString(
        vector.text("method"), vector.text("url"), vector.text("body").getBytes(UTF_8),
        vector.text("timestamp"), vector.text("nonce"));
  }

  @TestFactory
  Stream<DynamicTest> canonicalStringsAreThoseOfTheVectors() {
    return Vectors.each(canonical, "vectors", vector -> {
      byte[] hash = Keys.sha256(vector.text("body").getBytes(UTF_8));
      assertEquals(vector.text("body_sha256"), HexFormat.of().formatHex(hash));
      String text = canonicalOf(vector);
      assertEquals(vector.text("canonical"), text);
      String key = canonical.text("key");
      String signed = Signing.signDetached(text, Vectors.signer(key), null);
      assertNull(Signing.verifyDetached(signed, text, Vectors.publicKey(key)));
      assertNull(Signing.verifyDetached(vector.text("jws"), text, Vectors.publicKey(key)));
    });
  }

  @TestFactory
  Stream<DynamicTest> partsWithALineFeedAreRefused() {
    return Vectors.each(canonical, "refused", vector -> {
      var refused = assertThrows(IllegalArgumentException.class, () -> canonicalOf(vector));
      assertEquals(vector.text("refusal"), refused.getMessage());
    });
  }

  @TestFactory
  Stream<DynamicTest> timestampsAndNoncesAreJudgedAsInTheVectors() {
    return Vectors.each(canonical, "headers", vector -> {
      String refusal = null;
      try {
        Signing.signRequest(
            "POST", "/", new byte[0], vector.text("timestamp"), vector.text("nonce"),
            Vectors.signer("signer"));
      } catch (IllegalArgumentException refused) {
        refusal = refused.getMessage();
      }
      assertEquals(vector.textOrNull("refusal"), refusal);
    });
  }

  @TestFactory
  Stream<DynamicTest> validSignaturesAreAccepted() {
    return Vectors.each(jws, "valid", vector -> {
      String keyId = Signing.verifyDetached(
          vector.text("jws"), vector.text("payload"), Vectors.publicKey(jws.text("key")));
      assertEquals(vector.textOrNull("key_id"), keyId);
    });
  }

  @TestFactory
  Stream<DynamicTest> invalidSignaturesAreRefusedByTheirCode() {
    return Vectors.each(jws, "invalid", vector -> {
      var refused = assertThrows(SignatureRefusedException.class, () -> Signing.verifyDetached(
          vector.text("jws"), vector.text("payload"), Vectors.publicKey(jws.text("key"))));
      assertEquals(vector.text("refusal"), refused.code());
    });
  }

  private static List<String> secretsOf(Members vector) {
    return ((List<?>) vector.json().get("secrets")).stream().map(String.class::cast).toList();
  }

  @TestFactory
  Stream<DynamicTest> webhooksAreSignedAsInTheVectors() {
    return Vectors.each(webhook, "signatures", vector -> {
      String timestamp = vector.number("timestamp").toPlainString();
      byte[] body = vector.text("body").getBytes(UTF_8);
      String signatures = secretsOf(vector).stream()
          .map(secret -> Webhooks.sign(secret, vector.text("id"), timestamp, body))
          .collect(Collectors.joining(" "));
      assertEquals(vector.text("signature"), signatures);
    });
  }

  @TestFactory
  Stream<DynamicTest> deliveriesAreJudgedAsInTheVectors() {
    return Vectors.each(webhook, "deliveries", vector -> {
      Map<?, ?> headers = vector.inner("headers").json();
      Instant now = Instant.ofEpochSecond(vector.number("now").longValueExact());
      String refusal = null;
      try {
        Webhooks.verify(
            secretsOf(vector), name -> (String) headers.get(name),
            vector.text("body").getBytes(UTF_8), now);
      } catch (WebhookRefusedException refused) {
        refusal = refused.reason();
      }
      assertEquals(vector.textOrNull("refusal"), refusal);
    });
  }

  @TestFactory
  Stream<DynamicTest> secretsAreJudgedAsInTheVectors() {
    return Vectors.each(webhook, "secrets", vector -> {
      boolean valid = true;
      try {
        Webhooks.sign(vector.text("secret"), "evt_1", "1795167000", new byte[0]);
      } catch (IllegalArgumentException refused) {
        valid = false;
      }
      assertEquals(vector.bool("valid"), valid);
    });
  }

  @TestFactory
  Stream<DynamicTest> certificatesHaveTheirThumbprints() {
    return Vectors.each(Vectors.read("certificate_hash.json"), "certificates", vector ->
        assertEquals(
            vector.text("x5t_s256"), Keys.certificateThumbprint(vector.text("certificate_pem"))));
  }

  private Members kindOf(Members vector) {
    return numbers.list("kinds").stream()
        .filter(kind -> kind.text("kind").equals(vector.text("kind"))).findFirst().orElseThrow();
  }

  private int decimalsOf(Members vector) {
    return kindOf(vector).number("decimals").intValueExact();
  }

  private int scaleOf(Members vector) {
    return kindOf(vector).number("scale").intValueExact();
  }

  @TestFactory
  Stream<DynamicTest> validNumbersAreReadExactly() {
    return Vectors.each(numbers, "accepted", vector -> {
      BigDecimal amount = Amounts.parse(vector.text("text"), decimalsOf(vector));
      BigInteger value = amount.scaleByPowerOfTen(scaleOf(vector)).toBigIntegerExact();
      assertEquals(vector.text("value"), value.toString());
    });
  }

  @TestFactory
  Stream<DynamicTest> invalidNumbersAreRefusedByTheirCode() {
    return Vectors.each(numbers, "refused", vector -> {
      var refused = assertThrows(
          Amounts.AmountException.class,
          () -> Amounts.parse(vector.text("text"), decimalsOf(vector)));
      assertEquals(vector.text("refusal"), refused.code());
    });
  }

  @TestFactory
  Stream<DynamicTest> amountsAreWrittenAsInTheVectors() {
    return Vectors.each(numbers, "written", vector -> {
      BigDecimal amount = new BigDecimal(new BigInteger(vector.text("value")), scaleOf(vector));
      BigDecimal written = Amounts.checked(amount, decimalsOf(vector));
      assertEquals("{\"amount\":" + vector.text("text") + "}", Json.write(Map.of("amount", written)));
    });
  }

  @TestFactory
  Stream<DynamicTest> bodiesThatAreNotJsonAreRefused() {
    return Vectors.each(numbers, "bodies", vector -> {
      if (!"malformed_json".equals(vector.textOrNull("refusal"))) Json.read(vector.text("body"));
      else assertThrows(Json.SyntaxException.class, () -> Json.read(vector.text("body")));
    });
  }

  @TestFactory
  Stream<DynamicTest> refusalsAreReadAsInTheVectors() {
    return Vectors.each(refusals, "codes", vector -> {
      int status = vector.number("status").intValueExact();
      var refused = SabikaException.refusal(status, vector.text("body"), null, null, null);
      assertEquals(vector.text("code"), refused.code());
      assertEquals(status, refused.status());
      assertEquals(vector.bool("retryable"), refused.retryable());
      assertEquals(vector.text("title"), refused.title());
    });
  }

  @TestFactory
  Stream<DynamicTest> refusalsOfTheTokenEndpointAreRead() {
    return Vectors.each(refusals, "token", vector -> {
      var refused = SabikaException.refusal(401, vector.text("body"), null, null, null);
      assertEquals(vector.text("code"), refused.code());
      assertEquals(false, refused.retryable());
    });
  }
}
