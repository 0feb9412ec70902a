"""The pages of the Analysis tab, in the order of their list."""

from __future__ import annotations

from parapluie_gui.ui.analysis.agreement import AgreementPage
from parapluie_gui.ui.analysis.buckets import BucketsPage
from parapluie_gui.ui.analysis.certificate import CertificatePage
from parapluie_gui.ui.analysis.compare import ComparePage
from parapluie_gui.ui.analysis.corpus import CorpusPage
from parapluie_gui.ui.analysis.curves import CurvesPage
from parapluie_gui.ui.analysis.distributions import DistributionsPage
from parapluie_gui.ui.analysis.errors import ErrorsPage
from parapluie_gui.ui.analysis.grades import GradesPage
from parapluie_gui.ui.analysis.human import HumanPage
from parapluie_gui.ui.analysis.independence import IndependencePage
from parapluie_gui.ui.analysis.mixed_balanced import BalancedPage
from parapluie_gui.ui.analysis.paraphrasus import ParaphrasusPage
from parapluie_gui.ui.analysis.sweep import SweepPage
from parapluie_gui.ui.analysis.systems import SystemsPage
from parapluie_gui.ui.analysis.thresholds import ThresholdsPage

PAGES = (
    DistributionsPage,
    ThresholdsPage,
    CurvesPage,
    IndependencePage,
    ComparePage,
    BucketsPage,
    ErrorsPage,
    BalancedPage,
    AgreementPage,
    HumanPage,
    SystemsPage,
    GradesPage,
    ParaphrasusPage,
    CorpusPage,
    CertificatePage,
    SweepPage,
)
