"""What is said of a judge that answers with no number."""

from __future__ import annotations

from parapluie_gui.errors import ModelError, with_advice
from parapluie_gui.models.device import foresee
from parapluie_gui.pluie.judge_settings import JudgeSettings


def no_numbers(name: str, under: str, settings: JudgeSettings) -> ModelError:
    """Return the error of a judge that answers every pair with NaN or infinity."""
    todo = "its weights may be damaged. Fetch or copy the model anew, or choose another one"
    if foresee(settings.device, settings.precision)[1] != "float32":
        todo = "choose the precision float32. If nothing changes, fetch or copy the model anew, or choose another one"
    return ModelError(with_advice(f"{name} answers NaN for every pair{under}", todo))


def some_not_numbers(name: str, template: str, count: int, settings: JudgeSettings) -> str:
    """Return what is said of a judge that answers some pairs with NaN or infinity."""
    precision = foresee(settings.device, settings.precision)[1]
    todo = "" if precision == "float32" else " Choose the precision float32 for numbers of any size."
    if precision == "float16":
        todo = " Numbers grew too large for float16. Choose the precision bfloat16 or float32."
    pairs = "1 pair has" if count == 1 else f"{count:,} pairs have"
    return f"{pairs} no score under {template}: {name} answered NaN.{todo}"
