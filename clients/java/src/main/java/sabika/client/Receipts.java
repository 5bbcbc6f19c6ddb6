package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Verifies receipts, which name the bars that are owned, without a network (Decision D103). */
public final class Receipts {
  private Receipts() {}

  /** A receipt that a published key signed, and whether that key had ended before. */
  private record Opened(Receipt receipt, boolean hasEnded) {}

  /**
   * Verifies that a published key signed a receipt, and that it fits what its holder has kept. What is null is
   * not checked, but for {@code keys}.
   *
   * @param jws the receipt
   * @param keys the JSON of /.well-known/sabika-receipt-keys.json
   * @param bars the JSON of the pool's version, byte for byte, or null
   * @param order the JSON of your order as it was answered, or null
   * @param signed the string that you signed ({@link Signing#canonicalString}), or null
   * @throws IllegalArgumentException if keys or order are something else
   */
  public static VerifiedReceipt verify(
      String jws, String keys, byte[] bars, String order, String signed)
      throws GeneralSecurityException {
    List<SignedText.Key> published = SignedText.readKeys(keys);
    KeptOrder kept = order == null ? null : KeptOrder.read(StrictMembers.read(order));
    Opened opened;
    try {
      opened = open(jws, published);
    } catch (SignedText.RefusedException refused) {
      return new VerifiedReceipt(null, List.of(), List.of(refused.getMessage()));
    }
    Receipt receipt = opened.receipt();
    Findings found = new Findings();
    found.add("signature", opened.hasEnded() ? "key_ended" : null);
    found.add("value", receipt.valueIsRight() ? null : "value_wrong");
    found.add("parts", receipt.totalIsRight() ? null : "parts_do_not_sum");
    found.add("share", receipt.shareIsRight() ? null : "share_wrong");
    if (kept != null) found.add("order", kept.judge(receipt));
    if (signed != null) {
      boolean fits = Keys.sha256Hex(signed.getBytes(UTF_8)).equals(receipt.requestSha256());
      found.add("request", fits ? null : "other_request");
    }
    if (bars != null) found.add("bars", PoolVersion.judge(receipt.pool(), bars));
    return new VerifiedReceipt(receipt, List.copyOf(found.holds), List.copyOf(found.faults));
  }

  private static final class Findings {
    private final List<String> holds = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();

    void add(String check, String fault) {
      if (fault == null) holds.add(check);
      else faults.add(fault);
    }
  }

  private static Opened open(String jws, List<SignedText.Key> keys)
      throws SignedText.RefusedException, GeneralSecurityException {
    SignedText signed = SignedText.open(jws, "sabika-receipt", keys);
    try {
      Receipt receipt = Receipt.read(StrictMembers.read(signed.payload()));
      Instant until = signed.key().validUntil();
      return new Opened(receipt, until != null && receipt.executedAt().isAfter(until));
    } catch (IllegalArgumentException malformed) {
      throw new SignedText.RefusedException("malformed");
    }
  }

  /** The members of a kept order that its receipt must have too; those that were absent are null. */
  private record KeptOrder(
      String id, Instant executedAt, Side side, BigDecimal gold, BigDecimal perGram, BigDecimal mid,
      String source, Instant asOf, BigDecimal fee, BigDecimal goldVat, BigDecimal feeVat,
      BigDecimal vat, BigDecimal total, Balances balances) {
    static KeptOrder read(StrictMembers order) {
      return new KeptOrder(
          order.text("id"),
          order.time("executed_at"),
          Side.of(order.matching("side", Receipt.SIDE)),
          order.amount("gold_grams", Amounts.GRAM_DECIMALS),
          order.amount("price_per_gram_sar", 4),
          optional(order, "mid_price_sar", 4),
          order.has("price_source") ? order.text("price_source") : null,
          order.has("price_as_of") ? order.time("price_as_of") : null,
          order.amount("fee_sar", Amounts.SAR_DECIMALS),
          optional(order, "gold_vat_sar", Amounts.SAR_DECIMALS),
          optional(order, "fee_vat_sar", Amounts.SAR_DECIMALS),
          order.amount("vat_sar", Amounts.SAR_DECIMALS),
          order.amount("total_sar", Amounts.SAR_DECIMALS),
          order.has("balances") ? Receipt.readBalances(order.inner("balances")) : null);
    }

    private static BigDecimal optional(StrictMembers order, String name, int decimals) {
      return order.has(name) ? order.amount(name, decimals) : null;
    }

    /** Returns the fault; null if there is none. */
    String judge(Receipt receipt) {
      if (!id.equals(receipt.orderId())) return "other_order";
      Receipt.Parts parts = receipt.parts();
      Receipt.Price price = receipt.price();
      boolean fits = executedAt.equals(receipt.executedAt())
          && side == receipt.side()
          && same(gold, new BigDecimal(receipt.goldMicrograms(), 6))
          && same(perGram, price.perGram())
          && same(mid, price.mid())
          && (source == null || source.equals(price.source()))
          && (asOf == null || asOf.equals(price.asOf()))
          && same(fee, parts.fee())
          && same(goldVat, parts.goldVat())
          && same(feeVat, parts.feeVat())
          && same(vat, parts.goldVat().add(parts.feeVat()))
          && same(total, parts.total())
          && (balances == null || same(balances.sar(), receipt.balances().sar())
              && same(balances.goldGrams(), receipt.balances().goldGrams()));
      return fits ? null : "order_differs";
    }

    /** Returns whether an amount was absent or is the same, however it is written. */
    private static boolean same(BigDecimal kept, BigDecimal value) {
      return kept == null || value != null && kept.compareTo(value) == 0;
    }
  }
}
