"""Computes what trades cost in exact decimals, as Decisions D4, D6, D8 and D93 state it.

Reads lines of: side, steps of 0.0001 g, mid price in ten-thousandths of a riyal, spread, fee, VAT on gold and VAT on
the fee in millionths, and other steps. Writes lines of: price in ten-thousandths, fee, VAT on gold, VAT on the fee and
total in halalas, and the total of the other steps.
"""

import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, getcontext

getcontext().prec = 60
HALALA, TEN_THOUSANDTH = Decimal("0.01"), Decimal("0.0001")


def up(amount, unit=HALALA):
    return amount.quantize(unit, ROUND_CEILING)


def down(amount, unit=HALALA):
    return amount.quantize(unit, ROUND_FLOOR)


def terms(side, steps, mid, spread, fee_rate, gold_vat_rate, fee_vat_rate):
    buys = side == "buy"
    price = (up if buys else down)(mid * (1 + spread if buys else 1 - spread), TEN_THOUSANDTH)
    exact = price * steps * TEN_THOUSANDTH
    value = (up if buys else down)(exact)
    fee = up(exact * fee_rate)
    vat = up(fee * fee_vat_rate + (value * gold_vat_rate if buys else 0))
    fee_vat = up(fee * fee_vat_rate)
    total = value + fee + vat if buys else value - fee - vat
    return price, fee, vat - fee_vat, fee_vat, total


for line in sys.stdin:
    side, *numbers, other = line.split()
    steps, mid, *rates = (Decimal(number) for number in numbers)
    rest = [mid * TEN_THOUSANDTH, *(rate / 1_000_000 for rate in rates)]
    price, *parts = terms(side, steps, *rest)
    total = terms(side, Decimal(other), *rest)[-1]
    print(int(price / TEN_THOUSANDTH), *(int(part / HALALA) for part in (*parts, total)))
