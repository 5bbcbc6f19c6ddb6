package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ReceiptsTest {
  private final Members file = Vectors.read("receipt.json");
  private final String good = file.list("receipts").get(0).text("jws");
  private final String keys = Vectors.jsonOf(file.inner("keys").json().get("published"));

  @TestFactory
  Stream<DynamicTest> receiptsAreJudgedAsInTheVectors() {
    return Vectors.each(file, "receipts", vector -> {
      String bars = vector.textOrNull("bars");
      String order = vector.textOrNull("order");
      String request = vector.textOrNull("request");
      VerifiedReceipt verified = Receipts.verify(
          vector.text("jws"),
          Vectors.jsonOf(file.inner("keys").json().get(vector.text("keys"))),
          bars == null ? null : file.inner("bars").inner(bars).text("text").getBytes(UTF_8),
          order == null ? null : Vectors.jsonOf(file.inner("orders").json().get(order)),
          request == null ? null : signed(file.inner("requests").inner(request)));
      assertEquals(vector.json().get("holds"), verified.holds());
      assertEquals(vector.json().get("faults"), verified.faults());
      assertEquals(verified.faults().isEmpty(), verified.ok());
    });
  }

  @Test
  void barsAndRequestsHaveTheHashesOfTheVectors() {
    for (Object one : file.inner("bars").json().values()) {
      Members bars = Members.of(one);
      assertEquals(bars.text("sha256"), Keys.sha256Hex(bars.text("text").getBytes(UTF_8)));
    }
    for (Object one : file.inner("requests").json().values()) {
      Members request = Members.of(one);
      assertEquals(request.text("sha256"), Keys.sha256Hex(signed(request).getBytes(UTF_8)));
    }
  }

  @Test
  void receiptsHaveExactValues() throws Exception {
    Receipt receipt = Receipts.verify(good, keys, null, null, null).receipt();
    assertEquals(BigInteger.valueOf(1_500_000), receipt.goldMicrograms());
    assertEquals(new BigDecimal("735.27"), receipt.parts().total());
    assertEquals("inspector-1", receipt.count().by());
  }

  @Test
  void keysOrAnOrderOfAnotherFormAreAMistakeOfTheCaller() {
    for (String wrong : List.of("", "{}", "{\"keys\": [{}]}", "{\"keys\": [], \"keys\": []}")) {
      assertThrows(
          IllegalArgumentException.class, () -> Receipts.verify(good, wrong, null, null, null));
    }
    assertThrows(
        IllegalArgumentException.class, () -> Receipts.verify(good, keys, null, "{}", null));
  }

  private static String signed(Members request) {
    return Signing.canonicalString(
        "POST", request.text("url"), request.text("body").getBytes(UTF_8),
        request.number("timestamp").toPlainString(), request.text("nonce"));
  }
}
