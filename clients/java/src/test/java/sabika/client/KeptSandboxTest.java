package sabika.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a partner keeps, fetched from a running sandbox and verified. */
class KeptSandboxTest {
  private Client client;

  @BeforeEach
  void openClient() throws IOException {
    client = Client.of(SandboxKit.open());
  }

  @Test
  void whatIsKeptOfAnOrderIsFetchedAndVerified() throws Exception {
    client.fund(new BigDecimal("1000"), null);
    Order order = client.order(client.quote(Side.BUY, new BigDecimal("1"), null).id(), null, null);
    Optional<String> receipt = client.receipt(order.id());
    while (receipt.isEmpty()) { // Its signer may be away.
      Thread.sleep(1000);
      receipt = client.receipt(order.id());
    }
    Vault vault = client.vault();
    List<byte[]> versions =
        LongStream.rangeClosed(1, vault.version()).mapToObj(client::vaultVersion).toList();
    byte[] bars = versions.get(versions.size() - 1);
    assertEquals(vault.hash(), Keys.sha256Hex(bars));
    assertTrue(Versions.verify(versions, Map.of()).ok());
    var verified = Receipts.verify(receipt.get(), client.receiptKeys(), bars, null, null);
    assertEquals(List.of(), verified.faults());
    assertEquals(List.of("signature", "value", "parts", "share", "bars"), verified.holds());
    assertEquals(vault.fineMicrograms(), verified.receipt().pool().fineMicrograms());
    assertEquals("{\"keys\":[]}", client.attestationKeys());
  }

  @Test
  void aReserveIsFetchedAndVerified() throws Exception {
    String day = System.getenv("SABIKA_RESERVE_DAY");
    Assumptions.assumeTrue(day != null, "SABIKA_RESERVE_DAY names no day that has a reserve");
    PublishedReserve reserve = client.reserve(day);
    assertFalse(reserve.attested());
    var verified = Reserves.verify(new KeptReserve(
        reserve, client.receiptKeys(), client.attestationKeys(), null, client.reserveOpening(day),
        null));
    assertEquals(List.of(), verified.faults());
    var refused = assertThrows(SabikaException.class, () -> client.reserve("2000-01-01"));
    assertEquals("not_found", refused.code());
  }
}
