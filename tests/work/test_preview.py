"""Trying a template on one pair: the exact prompt, the answer and its tokens; nothing is stored."""

from __future__ import annotations

import math

import pytest
from tiny import FEW_TURNS, save_model

from parapluie_gui import places
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import parse_template
from parapluie_gui.work.events import JobFailed, JobFinished, PromptShown
from parapluie_gui.work.gate import WorkGate
from parapluie_gui.work.job import Job
from parapluie_gui.work.runner import JobRunner
from parapluie_gui.work.show_prompt import ShowPrompt

CLOZE = parse_template('name = "C"\nyes = ["yes", "true"]\nno = "no"\ncloze = "{source} [SEP] {hypothesis}? [MASK]"')
ASKED = parse_template('name = "A"\nno = "Not at all"\n[[turn]]\nrole = "user"\ntext = "{source} = {hypothesis}?"')


def events(judge, template):
    heard = []
    job = Job(1, ShowPrompt("A cat sat.", "One cat sat.", judge, template), urgent=True)
    JobRunner(heard.append, WorkGate()).run(job)
    return heard


def test_a_cloze_is_shown_with_the_tokens_of_each_spelling():
    heard = events(JudgeSettings("pocket"), CLOZE)
    (result,) = [event for event in heard if isinstance(event, PromptShown)]
    assert "A cat sat." in result.prompt and "One cat sat." in result.prompt and "[MASK]" in result.prompt
    assert result.tokens == ((("yes", ("yes",)), ("true", ("true",))), (("no", ("no",)),))
    assert result.score == pytest.approx(math.log(result.evidence.p_yes) - math.log(result.evidence.p_no), abs=1e-4)
    assert isinstance(heard[-1], JobFinished)
    assert not places.score_cache().exists()


def test_a_conversation_is_shown_as_the_model_reads_it(tmp_path):
    folder = save_model(tmp_path / "tiny", FEW_TURNS)
    (result,) = [event for event in events(JudgeSettings(str(folder)), ASKED) if isinstance(event, PromptShown)]
    assert "A cat sat. = One cat sat.?" in result.prompt
    (yes,), (no,) = result.tokens
    assert yes[0] == "Yes" and "".join(no[1]).strip() == "Not at all" and len(no[1]) > 1
    assert math.isfinite(result.score)


def test_a_template_for_the_other_kind_of_judge_is_refused():
    assert [event.text for event in events(JudgeSettings("pocket"), ASKED) if isinstance(event, JobFailed)] == [
        "pocket fills gaps in texts, and A is a conversation. Use CLOZE or a different judge."
    ]
