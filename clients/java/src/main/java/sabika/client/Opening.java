package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HexFormat;

/** What a commitment hides (Decision D105). */
record Opening(
    String partner, String day, BigDecimal cash, BigInteger gold, String pool, String salt) {
  static Opening read(String json) {
    StrictMembers opening = StrictMembers.read(json);
    return new Opening(
        opening.text("partner"), opening.text("day"),
        opening.amount("cash", Amounts.SAR_DECIMALS), opening.micrograms("gold_ug"),
        opening.text("pool"), opening.hash("salt"));
  }

  /** The hash of the salt and four lines. */
  String commitment() {
    BigInteger halalas = cash.movePointRight(Amounts.SAR_DECIMALS).toBigIntegerExact();
    String lines = partner + "\n" + day + "\n" + halalas + "\n" + gold + "\n";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(HexFormat.of().parseHex(salt));
    bytes.writeBytes(lines.getBytes(UTF_8));
    return Keys.sha256Hex(bytes.toByteArray());
  }
}
