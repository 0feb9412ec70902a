"""Support vector regression from PEM's three components to one score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from parapluie_gui.arrays import Floats, Numbers, Scores

#: The parameters tried in cross-validation, for standardised components.
GRID = {"C": (0.3, 1.0, 3.0), "gamma": (0.1, 0.3, 1.0), "epsilon": (0.1, 0.3)}

#: Folds of the cross-validation, and maximum number of pairs in it and in the final fit, which cost the square of the
#: number.
FOLDS = 5
MOST_TUNED = 2_000
MOST_FITTED = 20_000

#: Number of pairs predicted at a time, which bounds the memory of the kernel.
_CHUNK = 512


@dataclass(frozen=True, eq=False)
class SupportVectorRegression:
    """Support vector regression with the kernel exp(-gamma |x - y|^2) on standardised components.

    Attributes:
        mean, scale: float64 arrays (3,) that standardise adequacy, fluency and target F1.
        vectors: float32 array (k, 3) of support vectors, standardised.
        weights: float32 array (k,).
        gamma: The kernel's parameter.
        intercept: The constant term.
    """

    mean: Floats
    scale: Floats
    vectors: Numbers
    weights: Numbers
    gamma: float
    intercept: float

    def predict(self, components: Floats) -> Scores:
        """Predict scores from components (n, 3), float64 of shape (n,); NaN if a component is NaN."""
        vectors = self.vectors.astype(np.float64)
        weights = self.weights.astype(np.float64)
        norms = (vectors**2).sum(axis=1)
        scores = np.empty(len(components))
        for start in range(0, len(components), _CHUNK):
            x = (components[start : start + _CHUNK] - self.mean) / self.scale
            distance = (x**2).sum(axis=1)[:, None] + norms - 2 * x @ vectors.T
            scores[start : start + _CHUNK] = np.exp(-self.gamma * distance) @ weights + self.intercept
        return scores


@dataclass(frozen=True)
class RegressionFit:
    """The result of fitting a regression.

    Attributes:
        pairs: Number of pairs in the final fit.
        chosen: The parameters of `GRID` that cross-validation chose.
        pearson: Mean correlation of predicted and human scores over the folds of the cross-validation.
    """

    pairs: int
    chosen: dict[str, float]
    pearson: float


def fit(components: Floats, human: Scores, seed: int) -> tuple[SupportVectorRegression, RegressionFit]:
    """Fit the regression to human scores (scikit-learn's SVR, parameters by cross-validation).

    `components` are adequacy, fluency and target F1, (n, 3), all finite; `human` is in 1..5, (n,). The seed decides
    the folds and, if there are too many pairs, which of them are used.
    """
    from sklearn.model_selection import GridSearchCV, KFold
    from sklearn.svm import SVR

    rng = np.random.default_rng(seed)
    order = rng.permutation(len(human))[:MOST_FITTED]
    mean, scale = components[order].mean(axis=0), components[order].std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    x, y = (components[order] - mean) / scale, human[order]

    def pearson(model: SVR, x: Floats, y: Floats) -> float:
        predicted = model.predict(x)
        return float(np.corrcoef(predicted, y)[0, 1]) if np.ptp(predicted) > 0 and np.ptp(y) > 0 else 0.0

    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(SVR(), {name: list(values) for name, values in GRID.items()}, scoring=pearson, cv=folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=RuntimeWarning)
        search.fit(x[:MOST_TUNED], y[:MOST_TUNED])
    chosen = {name: float(value) for name, value in search.best_params_.items()}
    model = SVR(**chosen).fit(x, y)
    regression = SupportVectorRegression(
        mean,
        scale,
        model.support_vectors_.astype(np.float32),
        model.dual_coef_[0].astype(np.float32),
        chosen["gamma"],
        float(model.intercept_[0]),
    )
    return regression, RegressionFit(len(y), chosen, float(search.best_score_))
