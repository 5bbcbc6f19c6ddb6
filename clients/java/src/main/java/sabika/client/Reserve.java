package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/**
 * What was owed at the end of a day in Riyadh, and what was there for it (Decision D105). Amounts are riyals.
 *
 * @param previous the hash of the reserve before; null for the first
 * @param commitments one to the balances of each partner
 * @param bank null if nobody entered its balance
 */
public record Reserve(
    String day,
    String previous,
    List<String> commitments,
    BigDecimal bank,
    BigDecimal inTransit,
    BigDecimal obligations,
    List<Pool> pools) {
  /**
   * The gold of a pool, in fine micrograms.
   *
   * @param version 0 before the first bar
   * @param count the last count of the bars; null if there was none
   */
  public record Pool(
      String id, long version, BigInteger fine, BigInteger obligations, Receipt.Count count) {
    static Pool read(StrictMembers pool) {
      return new Pool(
          pool.text("id"), pool.countingOrZero("version"), pool.micrograms("fine_ug"),
          pool.micrograms("obligations_ug"), Receipt.Count.of(pool));
    }
  }

  static Reserve read(StrictMembers members) {
    StrictMembers cash = members.inner("cash");
    Reserve reserve = new Reserve(
        members.text("day"),
        members.isNull("previous") ? null : members.hash("previous"),
        members.hashes("commitments"),
        cash.isNull("bank") ? null : cash.amount("bank", Amounts.SAR_DECIMALS),
        cash.amount("in_transit", Amounts.SAR_DECIMALS),
        cash.amount("obligations", Amounts.SAR_DECIMALS),
        members.objects("pools").stream().map(Pool::read).toList());
    if (isRising(reserve.commitments) && isRising(reserve.pools.stream().map(Pool::id).toList())) {
      return reserve;
    }
    throw new IllegalArgumentException("not sorted, or one is there twice");
  }

  private static boolean isRising(List<String> texts) {
    for (int i = 1; i < texts.size(); i++) {
      byte[] before = texts.get(i - 1).getBytes(UTF_8);
      if (Arrays.compareUnsigned(before, texts.get(i).getBytes(UTF_8)) >= 0) return false;
    }
    return true;
  }
}
