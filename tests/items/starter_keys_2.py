"""Recomputes the keys of the starter questions of edition 2, as ``starter_keys.py`` does those of the first.

Nothing here reads the question file either: the answers stand on their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import count as numbers_from
from itertools import permutations, product
from statistics import median

from starter_keys import (
    Group,
    count,
    cyclic,
    dihedral,
    entails,
    equivalent,
    listing,
    only,
    relations,
    symmetric,
    table,
    true_rows,
    value,
    verdict,
)

# --------------------------------------------------------------------------- algebra


def characteristic() -> str:
    """Of Z/6Z x Z/4Z: how often (1, 1) must be added up to give zero."""
    return str(next(n for n in numbers_from(1) if n % 6 == n % 4 == 0))


def invertible_mod_3() -> Group:
    def times(m: Sequence[int], n: Sequence[int]) -> tuple[int, ...]:
        (a, b, c, d), (e, f, g, h) = m, n
        return tuple(x % 3 for x in (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h))

    elements = [m for m in product(range(3), repeat=4) if (m[0] * m[3] - m[1] * m[2]) % 3]
    assert len(elements) == 48
    return Group(elements, times, (1, 0, 0, 1))


def irreducible_cubics() -> str:
    """A cubic is reducible just where it has a root."""
    return count(all((x**3 + a * x * x + b * x + c) % 3 for x in range(3)) for a, b, c in product(range(3), repeat=3))


# --------------------------------------------------------------------------- mathematics


def coefficient_of_cube() -> str:
    """(2x - 1)^6 multiplied out, constant term first."""
    found = [1]
    for _ in range(6):
        found = [2 * a - b for a, b in zip([0, *found], [*found, 0], strict=True)]
    return str(found[3])


def never_two_heads() -> str:
    tosses = ["".join(t) for t in product("HT", repeat=10)]
    return str(Fraction(sum("HH" not in t for t in tosses), len(tosses)))


# --------------------------------------------------------------------------- logic


def poets_and_singers() -> str:
    """No poets are bankers, some singers are bankers: try every way to fill or leave empty the eight Venn regions."""
    regions = list(product([True, False], repeat=3))  # poet, banker, singer
    models = [
        [region for region, there in zip(regions, filled, strict=True) if there]
        for filled in product([True, False], repeat=8)
    ]
    fitting = [m for m in models if not any(p and b for p, b, _ in m) and any(s and b for _, b, s in m)]
    return only(
        {
            "Some singers are not poets": all(any(s and not p for p, _, s in m) for m in fitting),
            "No singers are poets": all(not any(s and p for p, _, s in m) for m in fitting),
            "Some poets are not singers": all(any(p and not s for p, _, s in m) for m in fitting),
            "All singers are bankers": all(all(b for _, b, s in m if s) for m in fitting),
        }
    )


def box_of_the_ring() -> str:
    def labels(box: int) -> list[bool]:
        first, second, fourth = box in (2, 3, 5), box != 2, box in (1, 5)
        return [first, second, not first, fourth, not (second and fourth)]

    return only({f"Box {box}": sum(labels(box)) == 2 for box in range(1, 6)})


def transitive_relations() -> str:
    return count(all((x, z) in r for x, y in r for w, z in r if y == w) for r in relations((1, 2)))


# --------------------------------------------------------------------------- physics


def work_of_expansion() -> str:
    """p V^(5/3) stays the same, so that T V^(2/3) does; the work is what the gas loses of its energy 3/2 R T."""
    end = 300 / 8 ** (2 / 3)
    return f"{1.5 * 8.31 * (300 - end) / 1000:.1f} kJ"


def speed_of_satellite() -> str:
    """At twice the distance from the centre gravity is a quarter; v^2 / r equals it."""
    radius = 6.4e6
    return f"{math.sqrt(9.8 / 4 * 2 * radius) / 1000:.1f} km/s"


def pulley_with_mass() -> str:
    """The disc adds I / r^2 = m / 2 to what is moved."""
    return f"{(3.0 - 2.0) * 9.8 / (3.0 + 2.0 + 2.0 / 2):.1f} m/s²"


# --------------------------------------------------------------------------- miscellaneous


def roman(n: int) -> str:
    parts = [("C", 100), ("XC", 90), ("L", 50), ("XL", 40), ("X", 10), ("IX", 9), ("V", 5), ("IV", 4), ("I", 1)]
    written = ""
    for letters, worth in parts:
        written += letters * (n // worth)
        n %= worth
    return written


def in_words(day: date) -> str:
    return f"{day.day} {day.strftime('%B')}"


def next_palindrome() -> str:
    day = next(d for n in numbers_from(1) if (w := f"{(d := date(2020, 2, 2) + timedelta(n)):%Y%m%d}") == w[::-1])
    return f"{in_words(day)} {day.year}"


def knight_from_corner_to_corner() -> str:
    steps = [(a * x, b * y) for x, y in ((1, 2), (2, 1)) for a, b in product((1, -1), repeat=2)]
    reached, moves = {(0, 0)}, 0
    while (7, 7) not in reached:
        reached = {(c + x, r + y) for c, r in reached for x, y in steps if 0 <= c + x < 8 and 0 <= r + y < 8}
        moves += 1
    return str(moves)


# --------------------------------------------------------------------------- geography


def people_after_two_years() -> str:
    people = Fraction(40_000_000)
    for _ in range(2):
        people += people * (26 - 11) / 1000 - 120_000
    return f"{float(people) / 1e6:.2f} million"


def solar_time() -> str:
    """Four minutes for each degree, earlier in the west."""
    minutes = 12 * 60 - 4 * (30 + 20)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def over_the_pole() -> str:
    """50 degrees north and 5,000 of 40,000 km further, which is past the pole and down on the other side."""
    reached = Fraction(50) + Fraction(5_000, 40_000) * 360
    assert reached > 90
    return f"{180 - reached}° N, {180 - 10}° W"


# --------------------------------------------------------------------------- business ethics


def fair_trade_gain() -> str:
    sold = [(400, Fraction("1.55")), (300, Fraction("2.10")), (500, Fraction("1.80"))]
    gain = sum(n * (max(market, Fraction("1.80")) + Fraction("0.20") - market) for n, market in sold)
    return f"{gain} dollars"


def cut_of_the_bonus() -> str:
    most = 20 * median([24, 31, 28, 40, 35, 26, 52]) * 1000
    return f"{480_000 + 0.05 * 3_200_000 - most:,.0f} euros"


def contracts_approved() -> str:
    """Of nine: with an interest, of the others present, in favour."""
    contracts = [(2, 6, 4), (0, 6, 4), (5, 4, 4), (3, 6, 3), (1, 8, 5)]
    return count(present >= 5 and 2 * yes > 9 - tied for tied, present, yes in contracts)


# --------------------------------------------------------------------------- international law


def elected_to_the_court() -> str:
    """Statute Art. 10: an absolute majority of both, permanent members or not."""
    votes = {"I": (130, 7), "II": (101, 8), "III": (90, 12), "IV": (97, 9)}
    elected = [name for name, (assembly, council) in votes.items() if 2 * assembly > 193 and 2 * council > 15]
    return f"{listing(elected)} only"


def time_to_object() -> str:
    """VCLT Art. 20(5): twelve months after notice, or the day of its own consent, whichever is later."""
    notified, consent = date(2018, 5, 10), date(2020, 2, 3)
    last = max(notified.replace(year=2019), consent)
    return f"{in_words(last)} {last.year}"


# --------------------------------------------------------------------------- moral scenarios


def boat_and_quiz() -> str:
    """Wrong: to ask for more than by hours; to announce more points than there were."""
    hourly = Fraction(84, 3 + 2 + 2)
    return verdict((3 * hourly, 2 * hourly) != (36, 24), 7 + 9 + 6 + 8 < 31)


def sauna_and_firewood() -> str:
    """Wrong: more than six hours from a Monday to its Sunday; to charge for more wood than there was."""
    days = {3: 2, 6: 2, 8: 2, 9: 1}
    in_the_week = sum(hours for day, hours in days.items() if 3 <= day < 3 + 7)
    wood = 3 * Fraction(2) * Fraction("1.5") * Fraction("0.5")
    return verdict(in_the_week > 6, 90 * wood < 450)


def lizards_and_gas() -> str:
    """Wrong: to feed them on other days than every third; to ask for more than by kilometers."""
    return verdict(list(range(2, 15, 3)) != [2, 5, 8, 11, 14], Fraction(90 * 260, 340 + 260) < 39)


# --------------------------------------------------------------------------- the checks

CHECKS: dict[str, Callable[[], object]] = {
    "starter-abstract-algebra-19": characteristic,
    "starter-abstract-algebra-20": lambda: str(len(symmetric(4).elements)),
    "starter-abstract-algebra-21": lambda: only({str(x): (5 + x) % 12 == 0 for x in range(12)}),
    "starter-abstract-algebra-22": lambda: invertible_mod_3().of_order(3),
    "starter-abstract-algebra-23": lambda: symmetric(4).of_order(2),
    "starter-abstract-algebra-24": lambda: str(len(dihedral(6).subgroups())),
    "starter-abstract-algebra-25": lambda: str(len(cyclic(12).subgroups())),
    "starter-abstract-algebra-26": irreducible_cubics,
    "starter-high-school-mathematics-19": never_two_heads,
    "starter-high-school-mathematics-20": lambda: count(sum(map(int, str(n))) == 13 for n in range(1, 1000)),
    "starter-high-school-mathematics-21": lambda: f"{Fraction(3, 4) * 100}%",
    "starter-high-school-mathematics-22": lambda: count(
        "NN" not in "".join(letters) for letters in set(permutations("BANANA"))
    ),
    "starter-high-school-mathematics-23": lambda: str(range(7, 1000, 4)[14]),
    "starter-high-school-mathematics-24": coefficient_of_cube,
    "starter-high-school-mathematics-25": lambda: str(max(d for d in range(1, 19) if 18 % d == 24 % d == 0)),
    "starter-high-school-mathematics-26": lambda: only({str(m): 6 - 2 * m == 0 for m in range(-10, 10)}),
    "starter-formal-logic-19": lambda: only({f: entails(["P ∨ Q", "¬P"], f) for f in ("Q", "¬Q", "P", "P ∧ Q")}),
    "starter-formal-logic-20": lambda: only(
        {f: not any(value(f, row) for row in table(f)) for f in ("P ↔ ¬P", "P → ¬P", "¬P ∨ Q", "P ↔ Q")}
    ),
    "starter-formal-logic-21": lambda: true_rows("(P ∧ Q) ∨ (R ∧ S)"),
    "starter-formal-logic-22": box_of_the_ring,
    "starter-formal-logic-23": transitive_relations,
    "starter-formal-logic-24": lambda: str(len(list(product([True, False], repeat=len("PQRS"))))),
    "starter-formal-logic-25": poets_and_singers,
    "starter-formal-logic-26": lambda: only(
        {f: equivalent("(P → R) ∧ (Q → R)", f) for f in ("(P ∨ Q) → R", "(P ∧ Q) → R", "R → (P ∨ Q)", "(P → Q) → R")}
    ),
    "starter-college-physics-19": lambda: f"{1 / 50:.3f} s",
    "starter-college-physics-20": lambda: f"{0.50 * 8.0:.1f} kg m/s",
    "starter-college-physics-21": work_of_expansion,
    "starter-college-physics-22": speed_of_satellite,
    "starter-college-physics-23": lambda: f"{math.degrees(math.asin(math.sin(math.radians(45)) / 1.5)):.1f}°",
    "starter-college-physics-24": lambda: f"{0.5 * 9.8 * 3.0**2:.0f} m",
    "starter-college-physics-25": pulley_with_mass,
    "starter-college-physics-26": lambda: f"{1 / (3 / 6.0):.1f} µF",
    "starter-miscellaneous-20": lambda: f"{3.5 * 60:.0f}",
    "starter-miscellaneous-21": lambda: in_words(date(2021, 1, 1) + timedelta(99)),
    "starter-miscellaneous-22": next_palindrome,
    "starter-miscellaneous-23": lambda: str(sum((8 - size + 1) ** 2 for size in range(1, 9))),
    "starter-miscellaneous-24": knight_from_corner_to_corner,
    "starter-miscellaneous-25": lambda: str(sum(roman(n).count("X") for n in range(1, 201))),
    "starter-miscellaneous-26": lambda: str(int("2F", 16)),
    "starter-high-school-geography-20": solar_time,
    "starter-high-school-geography-22": lambda: f"{30_000_000 / 250_000:.0f}",
    "starter-high-school-geography-23": lambda: f"{21.0 - 6.5 * (2_800 - 400) / 1000:.1f} °C",
    "starter-high-school-geography-25": people_after_two_years,
    "starter-high-school-geography-26": over_the_pole,
    # 149.6 million km at 299,792 km/s
    "starter-global-facts-24": lambda: f"About {149.6e6 / 299_792 / 60:.0f} minutes",
    "starter-business-ethics-22": cut_of_the_bonus,
    "starter-business-ethics-23": fair_trade_gain,
    "starter-business-ethics-24": contracts_approved,
    "starter-international-law-21": elected_to_the_court,
    "starter-international-law-23": time_to_object,
    "starter-moral-scenarios-21": sauna_and_firewood,
    "starter-moral-scenarios-23": lizards_and_gas,
    "starter-moral-scenarios-24": boat_and_quiz,
}
