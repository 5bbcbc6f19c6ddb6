package sabika.client;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Exact decimal amounts, read from their text and written as plain text (Decisions D2 to D5): 15
 * significant digits, no exponent, no -0. Amounts that are too precise are refused, never rounded.
 */
public final class Amounts {
  public static final int SAR_DECIMALS = 2;
  public static final int GRAM_DECIMALS = 4;
  public static final int PRICE_DECIMALS = 4;

  private static final int SIGNIFICANT_DIGITS = 15;
  private static final Pattern NUMBER = Pattern.compile("(-?)(0|[1-9][0-9]*)(?:\\.([0-9]+))?");

  private Amounts() {}

  /** Thrown for a text or number that is not a valid amount. */
  public static final class AmountException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    AmountException(String code) {
      super(code);
    }

    /** {@code wrong_form} or {@code too_precise}. */
    public String code() {
      return getMessage();
    }
  }

  /**
   * Reads the text of a JSON number with a limited number of decimals, including trailing zeros.
   *
   * @throws AmountException if the text is not such a number
   */
  public static BigDecimal parse(String text, int decimals) {
    Matcher match = NUMBER.matcher(text);
    if (!match.matches()) throw new AmountException("wrong_form");
    String fraction = match.group(3) == null ? "" : match.group(3);
    if (fraction.length() > decimals) throw new AmountException("too_precise");
    String digits = (match.group(2) + fraction).replaceFirst("^0+", "");
    if (digits.isEmpty() && !match.group(1).isEmpty()) throw new AmountException("wrong_form");
    if (digits.length() > SIGNIFICANT_DIGITS) throw new AmountException("too_precise");
    return new BigDecimal(text);
  }

  /**
   * Returns an amount without trailing zeros, as it is sent.
   *
   * @throws AmountException if it has too many decimals or more than 15 significant digits
   */
  public static BigDecimal checked(BigDecimal amount, int decimals) {
    BigDecimal plain = amount.stripTrailingZeros();
    if (plain.scale() < 0) plain = plain.setScale(0);
    return parse(plain.toPlainString(), decimals);
  }
}
