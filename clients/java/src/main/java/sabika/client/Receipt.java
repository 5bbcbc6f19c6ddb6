package sabika.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What an order traded, and the share of which bars is owned from then on (Decision D103). Weights are
 * fine micrograms, prices riyals a gram, other amounts riyals.
 *
 * @param balances those after the order
 * @param shareOfPartner the partner's micrograms after the order, of {@code shareOfPool}
 * @param count the last count of the bars; null if there was none
 */
public record Receipt(
    String orderId,
    String partner,
    Instant executedAt,
    Side side,
    BigInteger goldMicrograms,
    Price price,
    Parts parts,
    Balances balances,
    Pool pool,
    BigInteger shareOfPartner,
    BigInteger shareOfPool,
    Count count,
    String requestSha256) {
  static final Pattern SIDE = Pattern.compile("buy|sell");

  private static final Pattern UNIT = Pattern.compile("SAR/g");
  private static final Pattern ORDER_ID = Pattern.compile(
      "ord_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final int PRICE_DECIMALS = 4;

  /**
   * The price of the order.
   *
   * @param mid null unless your terms disclose the spread
   * @param asOf its source's own time; null if not known
   */
  public record Price(
      BigDecimal mid, BigDecimal perGram, String source, Instant asOf, BigInteger number) {
    static Price read(StrictMembers price) {
      price.matching("unit", UNIT);
      return new Price(
          price.isNull("mid") ? null : price.amount("mid", PRICE_DECIMALS),
          price.amount("per_gram", PRICE_DECIMALS),
          price.text("source"),
          price.timeOrNull("as_of"),
          price.micrograms("number"));
    }
  }

  /** A buy's total is the value and the others together, a sale's the value less the others. */
  public record Parts(
      BigDecimal value, BigDecimal fee, BigDecimal goldVat, BigDecimal feeVat, BigDecimal total) {
    static Parts read(StrictMembers parts) {
      return new Parts(
          parts.amount("value", Amounts.SAR_DECIMALS),
          parts.amount("fee", Amounts.SAR_DECIMALS),
          parts.amount("gold_vat", Amounts.SAR_DECIMALS),
          parts.amount("fee_vat", Amounts.SAR_DECIMALS),
          parts.amount("total", Amounts.SAR_DECIMALS));
    }
  }

  /** The version of the pool of bars that was in force. */
  public record Pool(String id, long version, String hash, BigInteger fineMicrograms) {
    static Pool read(StrictMembers pool) {
      return new Pool(
          pool.text("id"), pool.counting("version"), pool.hash("hash"), pool.micrograms("fine_ug"));
    }
  }

  /** A count of the bars of a version. */
  public record Count(long version, Instant at, String by) {
    /** Reads the member {@code count}, which may be null. */
    static Count of(StrictMembers members) {
      if (members.isNull("count")) return null;
      StrictMembers count = members.inner("count");
      return new Count(count.counting("version"), count.time("at"), count.text("by"));
    }
  }

  static Receipt read(StrictMembers members) {
    List<?> share = members.list("share");
    if (share.size() != 2) throw new IllegalArgumentException("share is not a pair");
    return new Receipt(
        members.matching("order_id", ORDER_ID),
        members.text("partner"),
        members.time("executed_at"),
        Side.of(members.matching("side", SIDE)),
        members.micrograms("gold_ug"),
        Price.read(members.inner("price")),
        Parts.read(members.inner("parts")),
        readBalances(members.inner("balances_after")),
        Pool.read(members.inner("pool")),
        StrictMembers.micrograms(share.get(0)),
        StrictMembers.micrograms(share.get(1)),
        Count.of(members),
        members.hash("request_sha256"));
  }

  static Balances readBalances(StrictMembers balances) {
    return new Balances(
        balances.amount("sar", Amounts.SAR_DECIMALS),
        balances.amount("gold_grams", Amounts.GRAM_DECIMALS));
  }

  /** Returns whether the value is price × gold, rounded against the partner (Decision D6). */
  boolean valueIsRight() {
    BigDecimal exact = new BigDecimal(goldMicrograms, 6).multiply(price.perGram);
    var rounding = side == Side.BUY ? RoundingMode.UP : RoundingMode.DOWN;
    return exact.setScale(Amounts.SAR_DECIMALS, rounding).compareTo(parts.value) == 0;
  }

  boolean totalIsRight() {
    BigDecimal beside = parts.fee.add(parts.goldVat).add(parts.feeVat);
    BigDecimal total = side == Side.BUY ? parts.value.add(beside) : parts.value.subtract(beside);
    return total.compareTo(parts.total) == 0;
  }

  boolean shareIsRight() {
    return new BigDecimal(shareOfPartner, 6).compareTo(balances.goldGrams()) == 0
        && shareOfPool.equals(pool.fineMicrograms)
        && shareOfPartner.compareTo(shareOfPool) <= 0;
  }
}
