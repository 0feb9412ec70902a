"""The prompt, letter by letter and token by token, in every family's chat format."""

from __future__ import annotations

import dataclasses
import json

import pytest
from mistral_common.protocol.instruct.messages import AssistantMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

from parapluie_gui.errors import TemplateError
from parapluie_gui.models.catalogue import ModelFiles
from parapluie_gui.pluie.encoding import PromptEncoder
from parapluie_gui.pluie.judge import pluie_signature
from parapluie_gui.pluie.rendering import RenderedTemplate, TemplateRenderer, common_prefix
from parapluie_gui.pluie.templates import Template
from parapluie_gui.pluie.turns import ChatTurn

SYSTEM = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
INSTRUCTION = "You will receive two sentences A and B. Do these two sentences mean the same thing?"
ONE_WORD = ' Answer with only one word "yes" or "no".'
PLEASE = "Please provide the sentences for me to evaluate."
EXAMPLES = (
    'A: "Amrozi accused his brother , whom he called " the witness " , of deliberately distorting his evidence ."; '
    "B: \"Amrozi accused his brother , whom he disparagingly referred to as 'the liar witness', of intentionally "
    'twisting his testimony ."',
    "No",
    'A: "Pennmakkal is an Indian Malayalam film from 1966, produced by J. Sasikumar and directed by KP Kottarakkara."; '
    "B: \"The Indian Malayalam film 'Pennmakkal', released in 1966, was produced by J. Sasikumar and directed by KP "
    'Kottarakkara."',
    "Yes",
    'A: "Sorkin , who faces charges of conspiracy to obstruct justice and lying to a grand jury , was to have been '
    'tried separately."; B: "Despite being accused of conspiring to obstruct justice and perjury, Sorkin was supposed '
    'to stand trial on his own."',
    "No",
    'A: "Gilroy police and FBI agents described Gehring as cooperative , but said Saturday that he had revealed '
    'nothing about what had happened to the children ."; B: "Although Gilroy police and FBI agents reported that '
    "Gehring was cooperative , he hadn't disclosed any information about the children's whereabouts or what had "
    'happened to them as of Saturday ."',
    "No",
    'A: "Whereas "e" the electric charge of the particle and A is the magnetic vector potential of the electromagnetic '
    'field."; B: "The electric charge of the particle is denoted by "e", and the magnetic vector potential of the '
    "electromagnetic field is denoted by 'A'.\"",
    "Yes",
    'A: "The Jidanul River is a tributary of the Jiul de Vest River in Romania."; B: "The Jidanul River is a mere '
    'insignificant stream that flows into the grand Jiul de Vest River in Romania."',
    "No",
)


def ids_of(rendering: RenderedTemplate) -> list[list[tuple[int, ...]]]:
    """Return the ids of every spelling of yes, and of no."""
    return [[each.ids for each in side] for side in rendering.spellings]


def first_tokens(rendering: RenderedTemplate) -> list[int]:
    return [side[0].ids[0] for side in rendering.spellings]


def user(text: str) -> str:
    return f"<|im_start|>user\n{text}<|im_end|>\n"


def assistant(text: str) -> str:
    return f"<|im_start|>assistant\n{text}<|im_end|>\n"


ASKED = "<|im_start|>assistant\n"
CHATML = {
    "DIRECT": SYSTEM + user(INSTRUCTION + ONE_WORD) + assistant(PLEASE) + user('A: "One."; B: "Two."') + ASKED,
    "FS-DIRECT": SYSTEM
    + user(INSTRUCTION + ONE_WORD)
    + assistant(PLEASE)
    + "".join((user, assistant)[number % 2](text) for number, text in enumerate(EXAMPLES))
    + user('A: "One."; B: "Two."')
    + ASKED,
    "INDIRECT": SYSTEM
    + user(INSTRUCTION)
    + assistant(PLEASE)
    + user('A: "One."; B: "Two."')
    + assistant("They differ.")
    + user('Summarize your answer with only one word "yes" or "no".')
    + ASKED,
    "P1": "<|im_start|>system\nYou are a helpful Assistant.<|im_end|>\n"
    + user(
        "Are the following sentences paraphrases?\n\nSentence 1: One.\nSentence 2: Two.\n\nAnswer with 'Yes' or 'No'"
    )
    + ASKED,
}
TEMPLATES = ("DIRECT", "INDIRECT", "FS-DIRECT", "P1", "P2", "P3", "P1-ICL_K4", "P2-ICL_K4", "P3-ICL_K4")
FORMATS = ("llama", "llama2", "mistral", "mistral-first", "qwen2", "gemma", "mamba")


@pytest.mark.parametrize("name", CHATML)
def test_chatml_text_is_exact(name, tokenizers, templates):
    frame = TemplateRenderer(tokenizers("qwen2")).render(templates[name]).frame
    assert frame.fill("One.", "Two.", "They differ.") == (CHATML[name], False)


def test_indirect_opens_the_judges_turn(tokenizers, templates):
    before = TemplateRenderer(tokenizers("qwen2")).render(templates["INDIRECT"]).before
    opening = SYSTEM + user(INSTRUCTION) + assistant(PLEASE) + user('A: "One."; B: "Two."') + ASKED
    assert before.fill("One.", "Two.") == (opening, False)


def test_fs_direct_has_fourteen_turns_and_the_question(templates):
    turns = templates["FS-DIRECT"].turns
    assert len(turns) == 15
    assert [turn.text for turn in turns[3:14:2]] == ["No", "Yes", "No", "No", "Yes", "No"]


@pytest.mark.parametrize("family", FORMATS)
def test_ids_match_the_models_own_chat_template(family, tokenizers, templates, messages):
    for name in TEMPLATES:
        check_ids(family, tokenizers(family), templates[name], messages)


def check_ids(family, tokenizer, template, messages):
    renderer = TemplateRenderer(tokenizer)
    rendering = renderer.render(template)
    ours = (
        PromptEncoder(renderer, rendering.frame).encode([0], ["The cat sat."], ["A cat sat!"], ["They differ."])[0].ids
    )
    spoken = messages(template, "The cat sat.", "A cat sat!")
    for turn in spoken:
        turn["content"] = turn["content"] or "They differ."
    if family == "mamba":
        lines = "".join(f"{turn['role'].capitalize()}: {turn['content']}\n" for turn in spoken)
        wanted = tokenizer(f"{lines}Assistant:")["input_ids"]
        answers = [tokenizer(f"{lines}Assistant: {answer}")["input_ids"] for answer in ("Yes", "No")]
    else:
        if spoken[0]["role"] == "system" and family in ("llama2", "mistral", "mistral-first", "gemma"):
            spoken[1]["content"] = spoken[0]["content"] + "\n\n" + spoken[1]["content"]
            spoken = spoken[1:]
        wanted = tokenizer.apply_chat_template(spoken, tokenize=True, add_generation_prompt=True)["input_ids"]
        conversations = [[*spoken, {"role": "assistant", "content": answer}] for answer in ("Yes", "No")]
        answers = [tokenizer.apply_chat_template(one, tokenize=True)["input_ids"] for one in conversations]
    assert ours == wanted, template.name
    assert rendering.drop == 0 and rendering.one_token
    for (answer,), encoded in zip(ids_of(rendering), answers, strict=True):
        assert encoded[: len(ours) + 1] == [*ours, *answer]
    if family in ("llama", "mistral", "mistral-first", "gemma"):
        assert ours.count(tokenizer.bos_token_id) == 1 and ours[0] == tokenizer.bos_token_id


@pytest.mark.parametrize("name", ["DIRECT", "FS-DIRECT", "INDIRECT"])
def test_mistral_ids_match_mistrals_own_library(name, tokenizers, templates, messages):
    renderer = TemplateRenderer(tokenizers("mistral"))
    rendering = renderer.render(templates[name])
    pair = ("Have you ever seen a tsunami ?", "Have you ever seen a tiramisu ?")
    ours = PromptEncoder(renderer, rendering.frame).encode([0], *[[text] for text in pair], ["They differ."])[0].ids
    turns = [
        (UserMessage if turn["role"] == "user" else AssistantMessage)(content=turn["content"] or "They differ.")
        for turn in messages(templates[name], *pair)
    ]
    theirs = MistralTokenizer.v1().encode_chat_completion(ChatCompletionRequest(messages=turns))
    assert ours == theirs.tokens
    assert tokenizers("mistral").convert_ids_to_tokens(first_tokens(rendering)) == ["▁Yes", "▁No"]


def test_answers_have_no_space_in_mistral_formats_without_spaces(tokenizers, templates):
    rendering = TemplateRenderer(tokenizers("mistral-first")).render(templates["DIRECT"])
    assert tokenizers("mistral-first").convert_ids_to_tokens(first_tokens(rendering)) == ["Yes", "No"]


def test_an_unsupported_system_turn_is_merged_and_reported(tokenizers, templates):
    renderer = TemplateRenderer(tokenizers("gemma"))
    rendering = renderer.render(templates["P1"])
    frame = rendering.frame
    start = "<bos><start_of_turn>user\nYou are a helpful Assistant.\n\nAre the following sentences paraphrases?"
    assert frame.text.startswith(start)
    assert rendering.notices == (
        "This model has no system turn: its text is placed at the beginning of the first user turn.",
    )


def test_a_missing_chat_template_is_reported(tokenizers, templates):
    renderer = TemplateRenderer(tokenizers("mamba"))
    rendering = renderer.render(templates["P1"])
    frame = rendering.frame
    assert frame.text.startswith("System: You are a helpful Assistant.\nUser: Are the following sentences paraphrases?")
    assert frame.text.endswith("Answer with 'Yes' or 'No'\nAssistant:")
    assert "no chat template" in rendering.notices[0]
    assert renderer.extract_own_turn(" They differ.\nUser: And now?\nAssistant: Yes") == "They differ."


def with_chat(tokenizer, chat_template: str):
    import copy

    other = copy.deepcopy(tokenizer)
    other.chat_template = chat_template
    return other


TURNS = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"


def test_thinking_is_closed_before_the_answer(tokenizers, templates):
    # Qwen3's form: with thinking off, the opening and the last assistant turn contain an empty thought.
    thought = (
        "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' }}{% if loop.last and m['role'] == 'assistant' %}"
        "{{ '<think>\n\n</think>\n\n' }}{% endif %}{{ m['content'] + '<|im_end|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% if enable_thinking is defined and not "
        "enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}"
    )
    rendering = TemplateRenderer(with_chat(tokenizers("qwen2"), thought)).render(templates["DIRECT"])
    assert rendering.frame.text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert rendering.one_token and rendering.drop == 0
    # Thinking-only models open a thought, and an empty one is recorded.
    only = thought.replace("{% if enable_thinking is defined and not enable_thinking %}", "{% if true %}")
    only = only.replace(
        "{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}", "{{ '<think>\n' }}{% endif %}{% endif %}"
    )
    rendering = TemplateRenderer(with_chat(tokenizers("qwen2"), only)).render(templates["INDIRECT"])
    assert rendering.frame.text.endswith("<think>\n\n</think>\n\n") and rendering.one_token
    assert rendering.before.text.endswith("<think>\n\n</think>\n\n")


#: The end of the opening of R1's distilled models and QwQ, after the published formats.
THOUGHT = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n<think>\n' }}{% endif %}"


def test_an_opened_thought_is_closed_empty_and_reported(tokenizers, templates):
    recorded = TURNS.replace("m['content']", "(m['content'].split('</think>') | last)") + THOUGHT
    for name in ("DIRECT", "P1", "FS-DIRECT", "INDIRECT"):
        rendering = TemplateRenderer(with_chat(tokenizers("qwen2"), recorded)).render(templates[name])
        assert rendering.frame.text.endswith("<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"), name
        assert any("starts with a thought; the thought is closed at once" in notice for notice in rendering.notices)
        assert rendering.one_token and rendering.drop == 0
    assert rendering.before.text.endswith("<think>\n\n</think>\n\n")
    answerless = TURNS + THOUGHT
    with pytest.raises(TemplateError, match=r"DIRECT: this model thinks before it answers, .*cannot end a thought"):
        TemplateRenderer(with_chat(tokenizers("mistral"), answerless)).render(templates["DIRECT"])


def test_closed_thoughts_and_quantised_weights_are_in_the_signature(tmp_path, templates):
    files = ModelFiles("thinker", tmp_path, None, "1")
    for text, closed in (
        (TURNS + THOUGHT, True),
        (TURNS + THOUGHT.replace("<think>\n", "<think>\n\n</think>\n"), False),
    ):
        form = {"chat_template": text.replace("\n", "\\n")}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(form))
        signature = pluie_signature(files, templates["DIRECT"], "float32", exact=False)
        assert ("thought" in dict(signature.fields)) == closed
    for result, stored in (
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes 4 bits"),
        ({"quant_method": "gptq", "bits": 8}, "gptq 8 bits"),
        ({"quant_method": "fp8"}, "fp8"),
    ):
        (tmp_path / "config.json").write_text(json.dumps({"quantization_config": result}))
        assert ("weights", stored) in pluie_signature(files, templates["DIRECT"], "bfloat16", exact=False).fields


#: Mistral's format since 0.3, after the published one: the system turn is merged into the last turn if that is the
#: user's.
MISTRAL_03 = (
    "{% if messages[0]['role'] == 'system' %}{% set system_message = messages[0]['content'] %}"
    "{% set turns = messages[1:] %}{% else %}{% set turns = messages %}{% endif %}{{ bos_token }}{% for m in turns %}"
    "{% if m['role'] == 'user' %}{% if loop.last and system_message is defined %}"
    "{{ '[INST] ' + system_message + '\n\n' + m['content'] + '[/INST]' }}{% else %}"
    "{{ '[INST] ' + m['content'] + '[/INST]' }}{% endif %}{% else %}{{ ' ' + m['content'] + eos_token }}{% endif %}"
    "{% endfor %}"
)


def test_a_system_turn_merged_into_the_last_turn_is_not_lost(tokenizers, templates):
    mistral = with_chat(tokenizers("mistral"), MISTRAL_03)
    several = Template(
        "T",
        (
            ChatTurn("system", "Be brief."),
            ChatTurn("user", "Is A like B?"),
            ChatTurn("assistant", "No"),
            ChatTurn("user", "{source} and {hypothesis}?"),
        ),
    )
    for template in (templates["P1"], several):
        rendering = TemplateRenderer(mistral).render(template)
        assert rendering.frame.text.endswith("[/INST]") and not rendering.notices
        assert mistral.convert_ids_to_tokens(first_tokens(rendering)) == ["▁Yes", "▁No"]
    assert "[INST] Is A like B?[/INST] No</s>[INST] Be brief.\n\n" in rendering.frame.text


def test_a_format_without_an_opening_takes_it_from_the_answer(tokenizers, templates):
    rendering = TemplateRenderer(with_chat(tokenizers("qwen2"), TURNS)).render(templates["INDIRECT"])
    assert rendering.frame.text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert rendering.before.text.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert rendering.one_token and rendering.drop == 0


def test_an_opening_that_differs_from_the_recorded_turn_is_reported(tokenizers, templates):
    other = TURNS + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n<tool>' }}{% endif %}"
    renderer = TemplateRenderer(with_chat(tokenizers("qwen2"), other))
    rendering = renderer.render(templates["DIRECT"])
    assert rendering.frame.text.endswith("<tool>")
    assert any("begins a new answer differently" in notice for notice in rendering.notices)


def test_the_date_is_fixed(tokenizers, templates):
    dated = "{{ '<|im_start|>system\nToday is ' + strftime_now('%d %b %Y') + '<|im_end|>\n' }}" + TURNS
    renderer = TemplateRenderer(with_chat(tokenizers("qwen2"), dated))
    rendering = renderer.render(templates["DIRECT"])
    assert "Today is 26 Jul 2024" in rendering.frame.text
    assert any("prints the date; the program always writes 26 July 2024" in notice for notice in rendering.notices)


def test_a_trimmed_system_turn_is_not_mistaken_for_a_lost_turn(tokenizers):
    trimming = TURNS.replace("m['content']", "m['content'] | trim")
    renderer = TemplateRenderer(with_chat(tokenizers("qwen2"), trimming))
    template = Template("T", (ChatTurn("system", "Be brief.\n"), ChatTurn("user", "{source} {hypothesis}")))
    rendering = renderer.render(template)
    assert rendering.frame.text.startswith("<|im_start|>system\nBe brief.<|im_end|>")
    assert not rendering.notices


def test_lost_turns_are_reported_and_lost_sentences_refused(tokenizers, templates):
    users = TURNS.replace("{{ '<|im", "{% if m['role'] == 'user' or loop.last %}{{ '<|im").replace(
        "{% endfor", "{% endif %}{% endfor"
    )
    renderer = TemplateRenderer(with_chat(tokenizers("qwen2"), users))
    rendering = renderer.render(templates["DIRECT"])
    assert any("leaves out or changes a turn" in notice for notice in rendering.notices)
    silent = "{{ '<|im_start|>hello<|im_end|>' }}"
    with pytest.raises(TemplateError, match="DIRECT: this model's chat template leaves out the sentences"):
        TemplateRenderer(with_chat(tokenizers("qwen2"), silent)).render(templates["DIRECT"])
    broken = "{{ raise_exception('Only in verse') }}"
    for name in ("DIRECT", "P1"):
        with pytest.raises(TemplateError, match=rf"{name}: this model's chat template refuses .*Only in verse"):
            TemplateRenderer(with_chat(tokenizers("qwen2"), broken)).render(templates[name])


def test_answers_of_several_tokens_are_reported(tokenizers, templates):
    renderer = TemplateRenderer(tokenizers("qwen2"))
    rendering = renderer.render(dataclasses.replace(templates["DIRECT"], yes="Absolutely yes"))
    (yes,), (no,) = ids_of(rendering)
    assert len(yes) > 1 and len(no) == 1
    assert "“Absolutely yes” and “No” are not single tokens" in rendering.notices[0]
    assert not renderer.render(templates["DIRECT"]).notices, "warnings of a different template"


@pytest.mark.parametrize("family", FORMATS)
def test_the_head_is_encoded_once(family, tokenizers, templates):
    renderer = TemplateRenderer(tokenizers(family))
    encoder = PromptEncoder(renderer, renderer.render(templates["FS-DIRECT"]).frame)
    assert len(encoder._head) > 0.8 * len(encoder.shared) or family == "mamba"
    assert common_prefix(encoder._head, encoder.shared) == len(encoder._head)


def test_a_tokenizer_with_a_different_beginning_is_not_split(tokenizers, templates):
    renderer = TemplateRenderer(tokenizers("mistral"))
    frame = renderer.render(templates["FS-DIRECT"]).frame
    encoded = renderer.encode([frame.fill("One.", "Two.")[0]])[0]
    assert PromptEncoder(renderer, frame).encode([7], ["One."], ["Two."])[0].ids == encoded
