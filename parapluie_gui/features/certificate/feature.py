"""Tests of scores on pairs whose answer is known."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Command, Feature, FeaturePart

FEATURE = Feature(
    name="certificate",
    package=__package__,
    about="tests scores on pairs whose answer is known",
    commands=(
        Command(
            name="certify",
            place="command:run",
            options="command:CertifyOptions",
            about="test scores on pairs whose answer is known",
            group="Judge the scores",
            examples=(
                "certify bleu --pairs 200",
                "certify bleu meteor --pairs 200 --json",
                "certify --judge pocket --pairs 200",
            ),
            offline=True,
            after="analyse",
        ),
    ),
    analyses=(
        AnalysisPart("certificate", "analysis:CertificateAnalysis", after="corpus", page="page:CertificatePage"),
    ),
    functions=(FeaturePart("certify", "api:certify"),),
    window="window:CertificateWindow",
    actions=(
        Action(
            "certificate.show",
            (),
            "Certificate…",
            tip="Test the selected metrics and templates on pairs whose answer is known",
        ),
    ),
    manual=("certificate",),
)
