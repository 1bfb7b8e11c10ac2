"""The rank tables against their definitions, computed with other means."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from neardup.errors import DataFileError
from neardup.tables import container
from neardup.tables import ranks as rank_table


@pytest.fixture(scope="module")
def table():
    return rank_table.load()


def test_exponential_ranks_follow_the_definition_in_floats(table):
    # A double may round the other way next to a half; it is never further off.
    floats = [1024 * (math.log2(-math.log((i + 0.5) / 65_536)) + 18) for i in range(65_536)]
    assert np.abs(table.exponential - np.array(floats)).max() <= 0.5 + 1e-9


@pytest.mark.parametrize("i", [0, 1, 2, 255, 4_096, 24_109, 32_768, 65_000, 65_534, 65_535])
def test_exponential_ranks_follow_the_definition_with_60_digits(table, i):
    with localcontext() as context:
        context.prec = 60
        uniform = (Decimal(i) + Decimal("0.5")) / 65_536
        exact = 1024 * ((-uniform.ln()).ln() / Decimal(2).ln() + 18)
        assert table.exponential[i] == int(exact.to_integral_value())


def test_known_values(table):
    assert table.exponential[[0, 32_768, 65_535]].tolist() == [22_076, 17_891, 1_024]
    assert table.class_weights[[0, 1, 16, 254, 255]].tolist() == [0, 96, 1_536, 24_384, 25_000]


def test_a_larger_hash_never_ranks_later(table):
    assert (table.exponential[:-1] >= table.exponential[1:]).all()


def test_weights_ascend_with_frequency_and_the_unknown_come_last(table):
    assert (np.diff(table.class_weights.astype(int)) > 0).all()


def test_a_rank_has_16_bits(table):
    assert int(table.exponential.max()) + int(table.class_weights.max()) < 65_536
    assert int(table.exponential.max()) + int(rank_table.class_weights(2.5).max()) < 65_536


def test_the_shipped_weights_are_those_of_alpha_one_and_a_half(table):
    assert (rank_table.class_weights(1.5) == table.class_weights).all()


def test_weights_of_another_alpha():
    assert rank_table.class_weights(1)[[0, 1, 254, 255]].tolist() == [0, 64, 16_256, 25_000]
    # 1024 · 0.1 · 5 / 16 = 32 and 1024 · 0.7 · 1 / 16 = 44.8, as decimals
    assert rank_table.class_weights(0.1)[5] == 32
    assert rank_table.class_weights(0.7)[1] == 45
    assert not rank_table.class_weights(0)[:255].any()


@pytest.mark.parametrize("alpha", [-0.1, 2.6, 100])
def test_an_alpha_that_leaves_16_bits_is_refused(alpha):
    with pytest.raises(ValueError, match=r"alpha is .*: it must be between 0 and 2\.5"):
        rank_table.class_weights(alpha)


def test_arrays_are_read_only(table):
    assert not table.exponential.flags.writeable
    assert not table.class_weights.flags.writeable
    assert not rank_table.class_weights(1.25).flags.writeable


def test_a_payload_of_another_length_is_refused(tmp_path):
    path = tmp_path / "rank16.bin"
    container.write(path, rank_table.KIND, rank_table.VERSION, bytes(100))
    with pytest.raises(DataFileError, match="found a payload of 100 bytes, expected 131584 bytes"):
        rank_table.read(path)
