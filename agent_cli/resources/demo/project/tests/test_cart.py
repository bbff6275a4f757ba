import pytest

from shop.cart import Cart
from shop.receipt import receipt


def test_an_empty_cart_costs_nothing():
    assert Cart().total() == 0


def test_what_is_not_for_sale_cannot_be_added():
    with pytest.raises(KeyError):
        Cart().add("yacht")


def test_a_receipt_lists_pieces_and_the_total():
    cart = Cart()
    cart.add("bread")
    cart.add("apple", 2)
    assert receipt(cart) == "2 x apple\n1 x bread\ntotal 4.00 EUR"
