"""Recomputes the keys of the starter questions from the facts each question states.

``CHECKS`` maps a question id to a function without arguments that works out the answer (by brute
force, truth tables, exact arithmetic or a formula) and returns the text of the right choice.
Nothing here reads the question file: the answers stand on their own, and
``test_starter_keys.py`` compares the two.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

# --------------------------------------------------------------------------- helpers: texts


def count(truths: Iterable[object]) -> str:
    """How many of them are true."""
    return str(sum(1 for truth in truths if truth))


def only(options: Mapping[str, bool]) -> str:
    """The one option that holds."""
    (right,) = (text for text, holds in options.items() if holds)
    return right


def best(values: Mapping[str, float]) -> str:
    """The name with the greatest value, which no other name may share."""
    top = max(values.values())
    return only({name: value == top for name, value in values.items()})


def listing(names: Sequence[str]) -> str:
    """Names as an English list: "A, B and C"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def spelled(number: int) -> str:
    """A small number as a capitalised word."""
    return ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven"][number]


def verdict(first_wrong: bool, second_wrong: bool) -> str:
    """The answer of a question on two stories."""
    return {
        (True, True): "Both",
        (True, False): "Only the first",
        (False, True): "Only the second",
        (False, False): "Neither",
    }[first_wrong, second_wrong]


# --------------------------------------------------------------------------- helpers: groups


class Group(NamedTuple):
    """A finite group given by its elements, product and identity."""

    elements: Sequence[Any]
    multiply: Callable[[Any, Any], Any]
    identity: Hashable

    def order(self, x: Any) -> int:
        power, n = x, 1
        while power != self.identity:
            power, n = self.multiply(power, x), n + 1
        return n

    def of_order(self, n: int) -> str:
        return count(self.order(x) == n for x in self.elements)

    def power(self, x: Any, n: int) -> Any:
        result: Any = self.identity
        for _ in range(n):
            result = self.multiply(result, x)
        return result

    def generated(self, generators: Iterable[Any]) -> frozenset[Any]:
        reached = frontier = {self.identity}
        generators = list(generators)
        while frontier:
            frontier = {self.multiply(x, g) for x in frontier for g in generators} - reached
            reached = reached | frontier
        return frozenset(reached)

    def subgroups(self) -> set[frozenset[Any]]:
        found = frontier = {self.generated([])}
        while frontier:
            frontier = {self.generated([*h, x]) for h in frontier for x in self.elements if x not in h} - found
            found = found | frontier
        return found


def cyclic(n: int) -> Group:
    return Group(range(n), lambda a, b: (a + b) % n, 0)


def units(n: int) -> Group:
    return Group([a for a in range(n) if math.gcd(a, n) == 1], lambda a, b: a * b % n, 1)


def compose(p: Sequence[int], q: Sequence[int]) -> tuple[int, ...]:
    """First q, then p."""
    return tuple(p[i] for i in q)


def symmetric(n: int) -> Group:
    return Group(list(permutations(range(n))), compose, tuple(range(n)))


def dihedral(n: int) -> Group:
    """The 2n symmetries of the regular n-gon as permutations of its corners."""
    turns = [tuple((i + k) % n for i in range(n)) for k in range(n)]
    flips = [tuple((k - i) % n for i in range(n)) for k in range(n)]
    return Group(turns + flips, compose, tuple(range(n)))


def direct(*groups: Group) -> Group:
    return Group(
        list(product(*(g.elements for g in groups))),
        lambda x, y: tuple(g.multiply(a, b) for g, a, b in zip(groups, x, y, strict=True)),
        tuple(g.identity for g in groups),
    )


def cycles(n: int, *moved: Sequence[int]) -> tuple[int, ...]:
    """The permutation of 1..n (kept as 0..n-1) with these cycles."""
    image = list(range(n))
    for cycle in moved:
        for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            image[a - 1] = b - 1
    return tuple(image)


def partitions(n: int, largest: int | None = None) -> list[list[int]]:
    """The ways to write n as a sum of positive integers, greatest part first."""
    if n == 0:
        return [[]]
    top = min(n, largest or n)
    return [[part, *rest] for part in range(top, 0, -1) for rest in partitions(n - part, part)]


# --------------------------------------------------------------------------- helpers: logic

CONNECTIVES: list[tuple[str, Callable[[bool, bool], bool]]] = [  # loosest first
    ("↔", lambda a, b: a == b),
    ("→", lambda a, b: not a or b),
    ("∨", lambda a, b: a or b),
    ("∧", lambda a, b: a and b),
]


def value(formula: str, row: Mapping[str, bool]) -> bool:
    """The truth value of a formula in one row of its truth table."""
    tokens = re.findall(r"[A-Z]|[¬∧∨→↔()]", formula)

    def binary(level: int) -> bool:
        if level == len(CONNECTIVES):
            return unary()
        symbol, combine = CONNECTIVES[level]
        left = binary(level + 1)
        if tokens and tokens[0] == symbol:
            tokens.pop(0)
            return combine(left, binary(level))
        return left

    def unary() -> bool:
        token = tokens.pop(0)
        if token == "¬":
            return not unary()
        if token == "(":
            inner = binary(0)
            tokens.pop(0)
            return inner
        return row[token]

    return binary(0)


def table(*formulas: str) -> list[dict[str, bool]]:
    """All rows of the truth table over the letters of these formulas."""
    letters = sorted(set(re.findall("[A-Z]", "".join(formulas))))
    return [dict(zip(letters, row, strict=True)) for row in product([True, False], repeat=len(letters))]


def true_rows(*formulas: str) -> str:
    """In how many rows all of them are true."""
    return count(all(value(f, row) for f in formulas) for row in table(*formulas))


def entails(premises: Sequence[str], conclusion: str) -> bool:
    return all(value(conclusion, row) for row in table(*premises, conclusion) if all(value(p, row) for p in premises))


def tautology(formula: str) -> bool:
    return entails([], formula)


def equivalent(a: str, b: str) -> bool:
    return entails([a], b) and entails([b], a)


def relations(domain: Sequence[int]) -> Iterable[set[tuple[int, int]]]:
    """All binary relations on the domain."""
    pairs = [(x, y) for x in domain for y in domain]
    for chosen in product([True, False], repeat=len(pairs)):
        yield {pair for pair, related in zip(pairs, chosen, strict=True) if related}


# --------------------------------------------------------------------------- abstract algebra


def homomorphisms_z4_x_z6_to_s4() -> str:
    """One for each pair of commuting images a, b of the generators with a^4 = b^6 = 1."""
    g = symmetric(4)
    return count(
        g.power(a, 4) == g.power(b, 6) == g.identity and compose(a, b) == compose(b, a)
        for a, b in product(g.elements, repeat=2)
    )


def abelian_groups_of_order_72() -> str:
    """A partition of the exponent for each prime power of 72 = 2^3 * 3^2."""
    assert 2**3 * 3**2 == 72
    return str(len(partitions(3)) * len(partitions(2)))


def matrices_mod_4_of_order_2() -> str:
    def square(m: tuple[int, ...]) -> tuple[int, ...]:
        a, b, c, d = m
        return tuple(x % 4 for x in (a * a + b * c, a * b + b * d, c * a + d * c, c * b + d * d))

    one = (1, 0, 0, 1)
    return count(m != one and square(m) == one for m in product(range(4), repeat=4))


def automorphisms_of_z2_z2_z4() -> str:
    """Images x, y, z of the generators that respect their orders and reach every element."""
    g = direct(cyclic(2), cyclic(2), cyclic(4))
    halves = [x for x in g.elements if g.power(x, 2) == g.identity]
    return count(len(g.generated([x, y, z])) == len(g.elements) for x, y, z in product(halves, halves, g.elements))


def greatest_order_in_a10() -> str:
    """An even permutation has an even number of cycles of even length."""
    even = [p for p in partitions(10) if sum(part % 2 == 0 for part in p) % 2 == 0]
    return str(max(math.lcm(*p) for p in even))


def is_field(n: int) -> bool:
    return all(any(a * b % n == 1 for b in range(n)) for a in range(1, n))


# --------------------------------------------------------------------------- mathematics


def largest_of_three_dice_is_five() -> str:
    throws = list(product(range(1, 7), repeat=3))
    return str(Fraction(sum(max(t) == 5 for t in throws), len(throws)))


def trailing_zeros_of_factorial(n: int) -> str:
    digits = str(math.factorial(n))
    return str(len(digits) - len(digits.rstrip("0")))


def marbles_all_different() -> str:
    draws = list(combinations("RRRRRBBBBGGG", 3))
    return str(Fraction(sum(len(set(d)) == 3 for d in draws), len(draws)))


def fourth_powers_of_roots() -> str:
    """Power sums p_n = r^n + s^n of the roots of x^2 = 5x - 3."""
    sums = [2, 5]
    while len(sums) < 5:
        sums.append(5 * sums[-1] - 3 * sums[-2])
    return str(sums[4])


def triangles_of_perimeter_40() -> str:
    sides = combinations(range(1, 40), 3)
    return count(a + b + c == 40 and a + b > c for a, b, c in sides)


def y_intercept(p: tuple[int, int], q: tuple[int, int]) -> str:
    slope = Fraction(q[1] - p[1], q[0] - p[0])
    return str(p[1] - slope * p[0])


# --------------------------------------------------------------------------- formal logic

Model = list[tuple[bool, ...]]  # the Venn regions that are not empty


def knights() -> str:
    """A knight's statement is true, a knave's is false."""

    def fits(a: bool, b: bool, c: bool, d: bool, e: bool) -> bool:
        n = a + b + c + d + e
        said = (n % 2 == 1, n == 3, a != e, b != e, not c)
        return said == (a, b, c, d, e)

    (solution,) = (row for row in product([True, False], repeat=5) if fits(*row))
    return listing([name for name, knight in zip("ABCDE", solution, strict=True) if knight])


def true_statements_on_the_card() -> str:
    def fits(s1: bool, s2: bool, s3: bool, s4: bool, s5: bool, s6: bool) -> bool:
        n = s1 + s2 + s3 + s4 + s5 + s6
        said = (s4, n % 2 == 0, not (s1 and s4), s1 and not s5, not (s3 and s4), n == 4)
        return said == (s1, s2, s3, s4, s5, s6)

    (solution,) = (row for row in product([True, False], repeat=6) if fits(*row))
    return count(solution)


def denies_for_all() -> str:
    """What is equivalent to "not for all x: P(x)" over every domain of up to three things."""

    def fits(candidate: Callable[[Sequence[bool]], bool]) -> bool:
        domains = (p for n in (1, 2, 3) for p in product([True, False], repeat=n))
        return all(candidate(p) == (not all(p)) for p in domains)

    return only(
        {
            "∃x ¬P(x)": fits(lambda p: any(not x for x in p)),
            "∀x ¬P(x)": fits(lambda p: all(not x for x in p)),
            "¬∃x P(x)": fits(lambda p: not any(p)),
            "∃x P(x)": fits(lambda p: any(p)),
        }
    )


def syllogism() -> str:
    """All A are B, no B are C: try every way to fill or leave empty the eight Venn regions."""
    a, b, c = 0, 1, 2
    regions = list(product([True, False], repeat=3))

    def every(x: int, y: int) -> Callable[[Model], bool]:
        return lambda model: all(thing[y] for thing in model if thing[x])

    def some(x: int, y: int) -> Callable[[Model], bool]:
        return lambda model: any(thing[x] and thing[y] for thing in model)

    models = [
        model
        for filled in product([True, False], repeat=8)
        if every(a, b)(model := [r for r, f in zip(regions, filled, strict=True) if f]) and not some(b, c)(model)
    ]
    return only(
        {
            "No A are C": all(not some(a, c)(m) for m in models),
            "Some A are C": all(some(a, c)(m) for m in models),
            "All C are A": all(every(c, a)(m) for m in models),
            "All B are A": all(every(b, a)(m) for m in models),
        }
    )


def invalid_argument() -> str:
    arguments = [
        (["P → Q", "R → ¬Q"], "P → ¬R"),
        (["P → Q", "Q → R", "¬P"], "¬R"),
        (["P ∨ Q", "P → R", "Q → R"], "R"),
        (["(P ∧ Q) → R", "P", "¬R"], "¬Q"),
    ]
    return only({f"{'; '.join(ps)}; so {c}": not entails(ps, c) for ps, c in arguments})


# --------------------------------------------------------------------------- physics


def spring_below_incline() -> str:
    """Slide d + x down the rough slope into the spring: 0.5 k x^2 = F (d + x)."""
    mass, g, sin, cos, friction, d, k = 2.0, 10.0, 0.60, 0.80, 0.25, 4.0, 100.0
    force = mass * g * (sin - friction * cos)
    x = (force + math.sqrt(force**2 + 2 * k * force * d)) / k
    return f"{x:.2f} m"


def ice_in_water() -> str:
    left = 0.50 * 4190 * 40 - 0.20 * 334_000
    assert left > 0  # all the ice melts
    return f"{left / (0.70 * 4190):.1f} °C"


def cycle_efficiency() -> str:
    """Rectangle in the pV plane, in units of p0 V0; heat in = change of 1.5 pV + work."""
    corners = [(1, 1), (2, 1), (2, 3), (1, 3)]
    work = heat_in = 0.0
    for (p, v), (p_next, v_next) in zip(corners, [*corners[1:], corners[0]], strict=True):
        done = (p + p_next) / 2 * (v_next - v)
        heat = 1.5 * (p_next * v_next - p * v) + done
        work += done
        heat_in += max(heat, 0.0)
    return f"{100 * work / heat_in:.1f} %"


def two_lenses() -> str:
    first = 1 / (1 / 20 - 1 / 30)
    second = 1 / (1 / 15 - 1 / (40 - first))
    return f"{second:.1f} cm"


def composite_mass() -> str:
    gamma = 1 / math.sqrt(1 - 0.60**2)
    energy, momentum = gamma + 1, gamma * 0.60
    return f"{math.sqrt(energy**2 - momentum**2):.2f} m₀"


def activity_falls_to(target: float) -> str:
    half_life = 27 / math.log2(960 / 120)
    return f"{half_life * math.log2(960 / target):.0f} h"


def lost_when_carts_stick() -> str:
    before = 0.5 * 3.0 * 4.0**2
    after = 0.5 * (3.0 + 1.0) * (3.0 * 4.0 / (3.0 + 1.0)) ** 2
    return f"{before - after:.0f} J"


def current_in_three_ohms() -> str:
    pair = 1 / (1 / 6 + 1 / 3)
    total = 12 / (2 + pair)
    return f"{total * pair / 3:.1f} A"


# --------------------------------------------------------------------------- miscellaneous

ENGLISH = [
    *["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
    *["eleven", "twelve", "thirteen", "fourteen", "fifteen"],
    *["sixteen", "seventeen", "eighteen", "nineteen", "twenty"],
]


def roman(numeral: str) -> str:
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    digits = [worth[letter] for letter in numeral]
    following = [*digits[1:], 0]
    return str(sum(-d if d < n else d for d, n in zip(digits, following, strict=True)))


def right_angles_between_hands() -> str:
    """From 2:10 to 8:40; the hands drift apart by 11/2 degrees a minute from twelve o'clock."""
    start, end = 2 * 60 + 10, 8 * 60 + 40
    moments = (Fraction(90 + 180 * k) / Fraction(11, 2) for k in range(24))
    return count(start <= t <= end for t in moments)


def queen_moves(column: int, row: int) -> str:
    return count(
        (c, r) != (column, row) and (c == column or r == row or abs(c - column) == abs(r - row))
        for c, r in product(range(1, 9), repeat=2)
    )


def seven_fifths_above_c() -> str:
    """A perfect fifth is seven semitones."""
    notes = ["C", "C sharp", "D", "D sharp", "E", "F", "F sharp", "G", "G sharp", "A", "A sharp", "B"]
    return notes[7 * 7 % 12]


def same_on_both_scales() -> str:
    (celsius,) = (c for c in range(-273, 1000) if Fraction(9, 5) * c + 32 == c)
    return f"{'Minus ' if celsius < 0 else ''}{abs(celsius)}"


def letter_sum(word: str) -> int:
    return sum(ord(letter) - ord("A") + 1 for letter in word)


# --------------------------------------------------------------------------- geography


def arrival() -> str:
    """Friday 10:30 at UTC+5:45, then 13:45 + 5:50 + 9:25 hours, read at UTC-3:30."""
    start = datetime(2021, 1, 1, 10, 30) - timedelta(hours=5, minutes=45)
    assert start.strftime("%A") == "Friday"
    hours, minutes = 13 + 5 + 9, 45 + 50 + 25
    end = start + timedelta(hours=hours, minutes=minutes) - timedelta(hours=3, minutes=30)
    return end.strftime("%A, %H:%M")


def round_voyage() -> str:
    meridian = 40_000 * 60 / 360
    equator = 40_000 * 45 / 360
    parallel = equator * math.cos(math.radians(60))
    return f"About {round(2 * meridian + equator + parallel, -2):,.0f} km"


def cities_above_400_000() -> str:
    """Rank-size rule: the city of rank r has P / r people; ranks 2 to 5 have 7.7 million."""
    largest = 7_700_000 / sum(Fraction(1, rank) for rank in range(2, 6))
    return count(largest / rank > 400_000 for rank in range(1, 1000))


def antipode(north: int, west: int) -> str:
    return f"{north}° S, {180 - west}° E"


# --------------------------------------------------------------------------- business ethics


def greatest_sum_of_welfare() -> str:
    sizes = (40, 25, 60)
    plans = {"P": (5, -4, 1), "Q": (2, 6, 0), "R": (7, -2, -1), "S": (1, 1, 3)}
    return best(
        {
            f"Plan {name}": sum(n * each for n, each in zip(sizes, effects, strict=True))
            for name, effects in plans.items()
        }
    )


def best_for_the_worst_off() -> str:
    schemes = {
        "K": ((18, 30, 95), 9),
        "L": ((22, 24, 60), 7),
        "M": ((26, 27, 41), 2),
        "N": ((25, 55, 120), 3),
    }
    return best({f"Scheme {name}": min(pay) + bonus for name, (pay, bonus) in schemes.items()})


def gifts_kept() -> str:
    """At most 40 each and 100 per giver; no cash; nothing from Brio in June and July."""
    offers = [
        ("Alto", 35, 1), ("Brio", 45, 2), ("Alto", 40, 3), ("Cora cash", 20, 3), ("Alto", 30, 5),
        ("Brio", 25, 6), ("Brio", 40, 8), ("Alto", 25, 9), ("Cora", 40, 12), ("Alto", 20, 12),
    ]  # fmt: skip
    kept: list[tuple[str, int]] = []
    for giver, worth, month in offers:
        so_far = sum(w for g, w in kept if g == giver)
        bidding = giver == "Brio" and month in (6, 7)
        if worth <= 40 and so_far + worth <= 100 and "cash" not in giver and not bidding:
            kept.append((giver, worth))
    return f"{sum(worth for _, worth in kept)} euros"


def independent_directors() -> str:
    """At the end of 2022; each: last year employed, own shares in %, tie of family, fee in 2022."""
    close = {"parent", "child", "sibling", "spouse"}
    directors: dict[str, tuple[int | None, float, str | None, bool]] = {
        "Adler": (2016, 2, None, False),
        "Boro": (None, 3, None, False),
        "Chen": (None, 0, "sibling", False),
        "Dahl": (None, 0, None, True),
        "Egger": (2019, 0, None, False),
        "Fuchs": (None, 0, "uncle", False),
        "Grau": (None, 0, None, False),
        "Hahn": (2022, 0, None, False),
        "Iven": (None, 1, None, False),
    }
    return count(
        (employed is None or employed < 2018) and shares <= 3 and kin not in close and not fee
        for employed, shares, kin, fee in directors.values()
    )


# --------------------------------------------------------------------------- international law


def budget_vote() -> str:
    """UN Charter Art. 18(2): two thirds of those voting; abstentions do not count."""
    yes, no, abstaining = 120, 58, 15
    assert yes + no + abstaining == 193
    return only(
        {
            "Yes, because 120 is at least two thirds of 178": 3 * yes >= 2 * (yes + no),
            "No, because 120 is less than two thirds of 178": 3 * yes < 2 * (yes + no),
        }
    )


def adopted_by_the_security_council() -> str:
    """UN Charter Art. 27(3): nine votes in favour and no permanent member against."""
    votes = {"I": (14, 1), "II": (9, 0), "III": (8, 0), "IV": (9, 0)}  # for; permanent against
    passed = [name for name, (yes, vetoes) in votes.items() if yes >= 9 and not vetoes]
    return f"{listing(passed)} only"


def zone_of_the_vessel() -> str:
    """UNCLOS Art. 13: a low-tide elevation counts only within 12 miles of mainland or island."""
    elevations, vessel = (10, 20), 25
    baseline = max(at for at in (0, *elevations) if at <= 12)
    distance = vessel - baseline
    return only(
        {
            "Its territorial sea": distance <= 12,
            "Its contiguous zone": 12 < distance <= 24,
            "Its exclusive economic zone, beyond the contiguous zone": 24 < distance <= 200,
            "The high seas, beyond every zone of the State": distance > 200,
        }
    )


# --------------------------------------------------------------------------- moral scenarios


def treasurers() -> str:
    """Wrong: to say that the money collected was just used up when some is left."""
    return verdict(23 * 18 - (300 + 92) > 0, 14 * 35 - (420 + 70) > 0)


def hours_and_debts() -> str:
    """Wrong: to claim more time than was worked, and to deny what is still owed."""
    worked = (12 * 60 + 10) - (8 * 60 + 40) + (16 * 60 + 50) - (13 * 60 + 5)
    return verdict(worked < 7 * 60 + 45, 5 * 85 + 2 * 60 < 600)


def scales_and_bills() -> str:
    """Wrong: to charge for more than was given, and to ask for more than a fair share."""
    charged, fair = Fraction("8.40"), Fraction("3.6") * Fraction("2.40")
    share = Fraction(96 + 14, 4)
    return verdict(charged > fair, Fraction("27.50") > share)


def car_and_cherries() -> str:
    """Wrong: the car taken on a Wednesday; cherries picked before the Thursday allowed."""
    sunday, monday = date(2024, 3, 3), date(2024, 6, 10)
    assert (sunday.strftime("%A"), monday.strftime("%A")) == ("Sunday", "Monday")
    allowed = next(d for k in range(7) if (d := monday + timedelta(k)).strftime("%A") == "Thursday")
    return verdict(date(2024, 3, 6).strftime("%A") == "Wednesday", date(2024, 6, 13) < allowed)


def water_and_tablets() -> str:
    """Wrong: to use more than one's eighth, and to certify a dose that was not given."""
    due = {hour % 24 for hour in range(7, 7 + 24 + 1, 6)}
    return verdict(70 + 95 + 60 + 85 > 2400 / 8, not due <= {7, 13, 19})


# --------------------------------------------------------------------------- the checks

CHECKS: dict[str, Callable[[], object]] = {
    "starter-abstract-algebra-01": lambda: cyclic(18).of_order(6),
    "starter-abstract-algebra-02": homomorphisms_z4_x_z6_to_s4,
    "starter-abstract-algebra-03": lambda: str(cyclic(20).order(5)),
    "starter-abstract-algebra-04": lambda: direct(dihedral(4), cyclic(4)).of_order(4),
    "starter-abstract-algebra-05": lambda: units(40).of_order(2),
    "starter-abstract-algebra-06": lambda: only({str(x): 3 * x % 7 == 1 for x in range(1, 7)}),
    "starter-abstract-algebra-07": lambda: str(len(direct(symmetric(3), cyclic(6)).subgroups())),
    "starter-abstract-algebra-08": abelian_groups_of_order_72,
    "starter-abstract-algebra-09": lambda: str(len({frozenset((a + h) % 12 for h in (0, 4, 8)) for a in range(12)})),
    "starter-abstract-algebra-10": lambda: str(
        symmetric(7).order(compose(cycles(7, [1, 2, 3], [4, 5]), cycles(7, [3, 4, 6, 7])))
    ),
    "starter-abstract-algebra-11": lambda: count(any(a * b % 24 == 0 for b in range(1, 24)) for a in range(1, 24)),
    "starter-abstract-algebra-12": matrices_mod_4_of_order_2,
    "starter-abstract-algebra-13": automorphisms_of_z2_z2_z4,
    "starter-abstract-algebra-14": lambda: only({f"Z/{n}Z": is_field(n) for n in (9, 11, 15, 21)}),
    "starter-abstract-algebra-15": lambda: count(x * x % 840 == 1 for x in range(840)),
    "starter-abstract-algebra-16": lambda: cyclic(30).of_order(30),
    "starter-abstract-algebra-17": lambda: str(symmetric(5).order(cycles(5, [1, 2], [3, 4, 5]))),
    "starter-abstract-algebra-18": greatest_order_in_a10,
    "starter-high-school-mathematics-01": lambda: str(sum(range(1, 40, 2))),
    "starter-high-school-mathematics-02": lambda: count(
        sum(n % d == 0 for d in (4, 6, 15)) == 2 for n in range(1, 2001)
    ),
    "starter-high-school-mathematics-03": lambda: only({str(x): 7 * x - 12 == 30 for x in range(100)}),
    "starter-high-school-mathematics-04": largest_of_three_dice_is_five,
    "starter-high-school-mathematics-05": lambda: trailing_zeros_of_factorial(250),
    "starter-high-school-mathematics-06": lambda: str(Fraction(15, 100) * 240),
    "starter-high-school-mathematics-07": lambda: count(
        "AB" not in (word := "".join(letters)) and "BA" not in word for letters in product("ABC", repeat=8)
    ),
    "starter-high-school-mathematics-08": lambda: y_intercept((2, 3), (6, 11)),
    "starter-high-school-mathematics-09": lambda: str(Fraction(14 * 9, 2)),
    "starter-high-school-mathematics-10": lambda: str(7**2023 % 100),
    "starter-high-school-mathematics-11": lambda: f"{math.log2((2**5) ** 2 / 2**3):.0f}",
    "starter-high-school-mathematics-12": triangles_of_perimeter_40,
    "starter-high-school-mathematics-13": lambda: count(
        n % 11 == 0 and set(str(n)) <= set("13579") for n in range(10_000, 100_000)
    ),
    "starter-high-school-mathematics-14": lambda: str(3**2 + 4 * (5 - 2)),
    "starter-high-school-mathematics-15": fourth_powers_of_roots,
    "starter-high-school-mathematics-16": lambda: count(len(group) == 3 for group in combinations(range(8), 3)),
    "starter-high-school-mathematics-17": lambda: str(sorted([4, 9, 1, 7, 12])[2]),
    "starter-high-school-mathematics-18": marbles_all_different,
    "starter-formal-logic-01": lambda: true_rows("A → B", "C ↔ ¬B", "D ∨ A"),
    "starter-formal-logic-02": lambda: only({f: entails(["P → Q", "P"], f) for f in ("Q", "¬Q", "¬P", "Q → ¬P")}),
    "starter-formal-logic-03": knights,
    "starter-formal-logic-04": lambda: only(
        {f: equivalent("¬(P ∧ ¬Q)", f) for f in ("P → Q", "Q → P", "P ∨ ¬Q", "¬P ∧ Q")}
    ),
    "starter-formal-logic-05": lambda: only(
        {f: equivalent("(P ∧ Q) → R", f) for f in ("¬R → (¬P ∨ ¬Q)", "¬R → (¬P ∧ ¬Q)", "R → (P ∧ Q)", "(¬P ∨ ¬Q) → ¬R")}
    ),
    "starter-formal-logic-06": lambda: count(
        tautology(f)
        for f in (
            "((P → Q) → P) → P",
            "(P → Q) ∨ (Q → R)",
            "((P ∧ Q) → R) → ((P → R) ∧ (Q → R))",
            "(P → (Q → R)) → ((P ∧ Q) → R)",
            "((P ↔ Q) ∨ (Q ↔ R)) ∨ (P ↔ R)",
            "((P → Q) ∧ (R → Q)) → (P → R)",
        )
    ),
    "starter-formal-logic-07": lambda: only(
        {f: value(f, {"P": True, "Q": False}) for f in ("P ∨ Q", "P ∧ Q", "P → Q", "P ↔ Q")}
    ),
    "starter-formal-logic-08": lambda: only(
        {f: entails(["P → (Q ∨ R)", "Q → S", "¬S", "P"], f) for f in ("R ∧ ¬Q", "Q ∧ ¬R", "R → S", "¬P ∨ S")}
    ),
    "starter-formal-logic-09": lambda: true_rows("A → (B ∧ C)", "(C ∨ D) → E", "¬(E ∧ F)", "B ↔ (D ∨ F)"),
    "starter-formal-logic-10": lambda: true_rows("¬((P → Q) → R)"),
    "starter-formal-logic-11": lambda: count(
        all(any((x, y) in r for y in (1, 2)) for x in (1, 2)) for r in relations((1, 2))
    ),
    "starter-formal-logic-12": denies_for_all,
    "starter-formal-logic-13": lambda: only({f: tautology(f) for f in ("P ∨ ¬P", "P ∧ ¬P", "P → ¬P", "¬P → P")}),
    "starter-formal-logic-14": lambda: count(
        {x for x, _ in r} == {1, 2, 3} and {y for _, y in r} != {1, 2, 3} for r in relations((1, 2, 3))
    ),
    "starter-formal-logic-15": syllogism,
    "starter-formal-logic-16": invalid_argument,
    "starter-formal-logic-17": true_statements_on_the_card,
    "starter-formal-logic-18": lambda: true_rows("P ↔ (Q ↔ R)"),
    "starter-college-physics-01": lambda: f"{0.5 * (24 / 8.0) * 8.0**2:.0f} m",
    "starter-college-physics-02": spring_below_incline,
    "starter-college-physics-03": lambda: f"{3 * 4} N",
    "starter-college-physics-04": current_in_three_ohms,
    "starter-college-physics-05": ice_in_water,
    "starter-college-physics-06": lambda: f"{0.5 * 4 * 3**2:.0f} J",
    "starter-college-physics-07": cycle_efficiency,
    "starter-college-physics-08": lambda: f"{340 / 680:.2f} m",
    "starter-college-physics-09": lambda: f"{2 * 6} V",
    "starter-college-physics-10": lambda: f"{math.sqrt(2 * 9.8 * 1.4 / (1 + 2 / 5)):.1f} m/s",
    "starter-college-physics-11": lambda: f"{8 / 2**2:.0f} N",
    "starter-college-physics-12": two_lenses,
    "starter-college-physics-13": composite_mass,
    "starter-college-physics-14": lambda: f"{5 * 9.8:.0f} N",
    "starter-college-physics-15": lambda: activity_falls_to(30),
    "starter-college-physics-16": lambda: f"{60 * 9.8 * 5 / 10:.0f} W",
    "starter-college-physics-17": lambda: f"{36_000 / (2 * 3600):.0f} m/s",
    "starter-college-physics-18": lost_when_carts_stick,
    "starter-miscellaneous-01": lambda: date(2003, 2, 14).strftime("%A"),
    "starter-miscellaneous-03": lambda: str(sum(len(word) for word in ENGLISH)),
    "starter-miscellaneous-05": lambda: roman("MCMXLIV"),
    "starter-miscellaneous-06": right_angles_between_hands,
    "starter-miscellaneous-08": lambda: queen_moves(4, 4),
    "starter-miscellaneous-09": lambda: count(
        date(year, month, 13).strftime("%A") == "Friday" for year in range(2010, 2015) for month in range(1, 13)
    ),
    "starter-miscellaneous-12": lambda: f"{calendar.monthrange(2021, 4)[1]} days",
    "starter-miscellaneous-14": lambda: count(
        letter in "eE"
        for letter in "The seven elderly engineers were never seen repairing the green sewer beneath the stone bridge."
    ),
    "starter-miscellaneous-15": same_on_both_scales,
    "starter-miscellaneous-16": seven_fifths_above_c,
    "starter-miscellaneous-17": lambda: best(
        {word: letter_sum(word) for word in ("TWENTY", "SYSTEM", "STUPOR", "VORTEX")}
    ),
    "starter-high-school-geography-01": lambda: f"{6 * 50_000 / 100_000:.0f} km",
    "starter-high-school-geography-02": arrival,
    "starter-high-school-geography-04": lambda: f"About {70 / ((34 - 6) / 10):.0f} years",
    "starter-high-school-geography-05": lambda: f"{90 - 50 - 23.5}°",
    "starter-high-school-geography-07": round_voyage,
    "starter-high-school-geography-12": cities_above_400_000,
    "starter-high-school-geography-15": lambda: antipode(35, 120),
    "starter-business-ethics-04": greatest_sum_of_welfare,
    "starter-business-ethics-05": best_for_the_worst_off,
    "starter-business-ethics-07": gifts_kept,
    "starter-business-ethics-13": independent_directors,
    "starter-international-law-06": budget_vote,
    "starter-international-law-09": adopted_by_the_security_council,
    "starter-international-law-17": zone_of_the_vessel,
    "starter-moral-scenarios-03": treasurers,
    "starter-moral-scenarios-06": hours_and_debts,
    "starter-moral-scenarios-09": scales_and_bills,
    "starter-moral-scenarios-14": car_and_cherries,
    "starter-moral-scenarios-17": water_and_tablets,
}
