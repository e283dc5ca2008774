"""Distilling: the losses on cases worked out by hand, and the lab."""

from __future__ import annotations

import math

import pytest
import torch

from mha_viz.errors import InputError
from mha_viz.labs.distil import Distilling, grouped_maps, map_loss, run, soft_loss
from mha_viz.labs.lookups import Cases, Training, cases, make_net
from mha_viz.labs.plans import DistilOptions


def test_the_softened_loss_of_a_case_by_hand() -> None:
    """Teacher (3/4, 1/4) after halving its logits, student even: 4 (3/4 ln 3/2 + 1/4 ln 1/2)."""
    teacher = torch.tensor([[[2 * math.log(3.0), 0.0]]])
    wanted = 4 * (0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert float(soft_loss(torch.zeros(1, 1, 2), teacher, 2.0)) == pytest.approx(wanted, abs=1e-6)


def test_who_says_the_same_has_nothing_to_learn() -> None:
    said = torch.randn(5, 4, 8, generator=torch.Generator().manual_seed(0))
    assert float(soft_loss(said + 3.0, said, 2.0)) == pytest.approx(
        0.0, abs=1e-6
    )  # the same for all classes: no matter
    assert float(soft_loss(-said, said, 2.0)) > 0.1


def test_the_loss_is_a_mean_over_cases_and_slots() -> None:
    one = torch.randn(1, 1, 8, generator=torch.Generator().manual_seed(0))
    many = soft_loss(torch.zeros(6, 4, 8), one.expand(6, 4, 8), 3.0)
    torch.testing.assert_close(many, soft_loss(torch.zeros(1, 1, 8), one, 3.0))


def test_maps_are_averaged_in_the_order_given() -> None:
    maps = torch.eye(4).view(1, 4, 1, 4)  # head h looks at token h
    grouped = grouped_maps(maps, torch.tensor([0, 2, 1, 3]), 2)
    assert grouped[0, :, 0].tolist() == [[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]]
    assert float(map_loss(grouped, grouped)) == 0
    assert float(map_loss(maps[:, :2], grouped)) == pytest.approx((0.5 + 0.5) / 2)


class Blind(Cases):
    """Cases whose answers nobody may ask for."""

    @property
    def answers(self) -> torch.Tensor:
        raise AssertionError("the true answers were asked for")


@pytest.mark.parametrize(("task", "maps"), [("classes", False), ("values", False), ("values", True)])
def test_a_student_does_not_look_at_the_true_answers(task: str, maps: bool) -> None:
    teacher = Training(make_net(task, 4, 0), 0, 20)
    student = Distilling(make_net(task, 2, 1), 1, 20, teacher, maps=maps, temperature=2.0)
    given = Blind(*cases(task, 8, torch.Generator().manual_seed(0)))
    said, attended = student.net(given)
    loss = student.loss(said, attended, given)
    wanted, looked = teacher.net(given)
    if task == "values":
        plain = ((said - wanted) ** 2).mean()
        order = teacher.slot_weights().argmax(dim=1).argsort(stable=True)
        near = map_loss(attended.weights, grouped_maps(looked.weights, order, 2))
        torch.testing.assert_close(loss, plain + near if maps else plain)
    torch.autograd.backward(loss)
    assert all(weight.grad is None for weight in teacher.net.parameters())


def test_the_lab_trains_a_teacher_and_its_students() -> None:
    rows = [step.row for step in run(DistilOptions(tasks=("values",), heads=(1, 2), steps=20)) if step.row]
    assert [(row["aim"], row["heads"]) for row in rows] == [
        ("teacher", 8), ("truth", 1), ("answers", 1), ("maps", 1), ("truth", 2), ("answers", 2), ("maps", 2),
    ]  # fmt: skip
    assert len({row["parameters"] for row in rows}) == 1
    assert [row["best"] for row in rows] == [1.0, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5]
    assert len({row["score"] for row in rows}) == 7


def test_a_student_that_cannot_take_over_even_groups_is_refused() -> None:
    with pytest.raises(InputError, match="3 heads cannot take over"):
        next(run(DistilOptions(heads=(3,))))
