"""Messages about pairs without a judge's score, because its answer is not a number or a column is empty."""

from __future__ import annotations

from parapluie_gui.errors import ModelError, TemplateError, join_words, with_advice
from parapluie_gui.models.device import foresee
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template


def nan_error(name: str, under: str, settings: JudgeSettings) -> ModelError:
    """Return the error for a judge that answers every pair with NaN or infinity."""
    advice = "its weights may be damaged. Fetch or copy the model again, or choose a different one"
    if foresee(settings.device, settings.precision)[1] != "float32":
        advice = "choose the precision float32. Otherwise fetch or copy the model again, or choose a different one"
    return ModelError(with_advice(f"{name} answers NaN for every pair{under}", advice))


def nan_notice(name: str, template: str, count: int, settings: JudgeSettings) -> str:
    """Return the message for a judge that answers some pairs with NaN or infinity."""
    precision = foresee(settings.device, settings.precision)[1]
    advice = "" if precision == "float32" else " Choose the precision float32, which can represent larger numbers."
    if precision == "float16":
        advice = " Numbers became too large for float16. Choose the precision bfloat16 or float32."
    pairs = "1 pair has" if count == 1 else f"{count:,} pairs have"
    return f"{pairs} no score under {template}: {name} answered NaN.{advice}"


def missing_column_error(template: Template, column: str) -> TemplateError:
    if column == "reference":
        problem, advice = "each pair's reference, but these pairs have none", "Name its column (--reference)"
    else:
        problem = f'the column "{column}" of each pair, which is missing or empty'
        advice = "Choose a different template, or pairs that have this column"
    return TemplateError(f"{template.name} shows the judge {problem}. {advice}.")


def empty_cells_notice(template: Template, count: int) -> str:
    columns = join_words([f'"{name}"' for name in template.columns])
    pairs = "1 pair has" if count == 1 else f"{count:,} pairs have"
    return f"{pairs} no score under {template.name}, which shows the judge {columns}: a cell is empty."
