"""What is said of pairs that have no score of a judge: no numbers came, or nothing could be shown to it."""

from __future__ import annotations

from parapluie_gui.errors import ModelError, TemplateError, join_words, with_advice
from parapluie_gui.models.device import foresee
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template


def no_numbers(name: str, under: str, settings: JudgeSettings) -> ModelError:
    """Return the error of a judge that answers every pair with NaN or infinity."""
    todo = "its weights may be damaged. Fetch or copy the model anew, or choose another one"
    if foresee(settings.device, settings.precision)[1] != "float32":
        todo = "choose the precision float32. If nothing changes, fetch or copy the model anew, or choose another one"
    return ModelError(with_advice(f"{name} answers NaN for every pair{under}", todo))


def some_not_numbers(name: str, template: str, count: int, settings: JudgeSettings) -> str:
    """Return the message for a judge that answers some pairs with NaN or infinity."""
    precision = foresee(settings.device, settings.precision)[1]
    todo = "" if precision == "float32" else " Choose the precision float32 for numbers of any size."
    if precision == "float16":
        todo = " Numbers grew too large for float16. Choose the precision bfloat16 or float32."
    pairs = "1 pair has" if count == 1 else f"{count:,} pairs have"
    return f"{pairs} no score under {template}: {name} answered NaN.{todo}"


def without_column(template: Template, column: str) -> TemplateError:
    if column == "reference":
        what, todo = "each pair's reference, and there is none here", "Name its column (--reference)"
    else:
        what = f'the column "{column}" of each pair, and there is none of that name here, or it is empty'
        todo = "Choose another template, or pairs that have this column"
    return TemplateError(f"{template.name} shows the judge {what}. {todo}.")


def empty_cells(template: Template, count: int) -> str:
    columns = join_words([f'"{name}"' for name in template.columns])
    pairs = "1 pair has" if count == 1 else f"{count:,} pairs have"
    return f"{pairs} no score under {template.name}, which shows the judge {columns}: a cell there is empty."
