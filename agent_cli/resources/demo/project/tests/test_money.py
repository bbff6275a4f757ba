from shop.money import euros


def test_cents_have_two_digits():
    assert euros(1205) == "12.05 EUR"


def test_a_debt_has_a_sign():
    assert euros(-5) == "-0.05 EUR"
