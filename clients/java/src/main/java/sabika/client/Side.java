package sabika.client;

/** The direction of a trade from the partner's point of view. */
public enum Side {
  /** Money out, gold in. */
  BUY("buy"),
  /** Gold out, money in. */
  SELL("sell");

  private final String wire;

  Side(String wire) {
    this.wire = wire;
  }

  String wire() {
    return wire;
  }

  static Side of(String wire) {
    return wire.equals(BUY.wire) ? BUY : SELL;
  }
}
