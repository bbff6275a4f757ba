import pytest

from shop.discount import discounted, percent


@pytest.mark.parametrize(
    ("count", "off"), [(1, 0), (2, 0), (3, 5), (4, 5), (5, 10), (9, 10), (10, 15), (50, 15)]
)
def test_the_discount_begins_with_the_stated_number_of_pieces(count, off):
    assert percent(count) == off


def test_three_pieces_cost_five_per_cent_less():
    assert discounted(100, 3) == 285
