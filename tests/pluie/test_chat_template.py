"""Untrusted chat templates: rendered as by transformers, with limits on time, memory and length."""

from __future__ import annotations

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie import chat_template
from parapluie_gui.pluie.chat_template import ChatTemplateRefusal, UnboundedTemplateError, render_chat

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "« Ça va ? » 😀\n{{ x }}"},
    {"role": "assistant", "content": "Yes"},
]
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    "template",
    [
        "{% for m in messages %}<|{{ m.role }}|>\n{{ m['content'] | trim }}{{ eos_token }}\n{% endfor %}",
        "{{ bos_token }}{%- for m in messages %}{% if loop.last %}{% break %}{% endif %} {{ m.content }}{% endfor %}",
        "{{ messages | tojson }} {{ messages[0] | tojson(indent=2) }} {{ {'b': 'é'} | tojson(sort_keys=true) }}",
        "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
        "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
        "{% if tools is none and not documents %}{{ dict(a=1).a }}{% endif %}{{ add_generation_prompt }}",
        "{% macro turn(m) %}[{{ m.role }}]{% endmacro %}{% for m in messages %}{{ turn(m) }}{% endfor %}",
        "  {% if true %}\n  kept\n  {% endif %}\n{{ '%s-%s' | format('a', 'b') }}",
    ],
)
def test_conversations_are_rendered_as_transformers_renders_them(template):
    variables = {"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True}
    (wanted,), _ = render_jinja_template([MESSAGES], chat_template=template, **variables)
    assert render_chat(template, MESSAGES, {"tools": None, "documents": None, **variables}) == wanted


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (LOOP + "{% endfor %}", "takes longer than 1 seconds for one conversation"),
        ("{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ lipsum(n=1000000) }}", "takes longer than 1 seconds"),
        ("{{ 'a' * 2000000000 }}", "needs more than 1 GB of memory"),
        ("{{ ('a' * 500000000) ~ ('b' * 500000000) }}", "needs more than 1 GB of memory"),
        ("{{ '%2000000000d' | format(1) }}", "needs more than 1 GB of memory"),
        ("{{ 'a' | center(2000000000) }}", "needs more than 1 GB of memory"),
        ("{{ 'a' * 2000000 }}", "writes 2,000,000 characters for one conversation"),
    ],
    ids=["loops", "slow", "memory", "sum", "format", "filter", "length"],
)
def test_an_endless_template_is_refused_and_the_next_conversation_is_rendered(template, words, monkeypatch):
    if "longer" in words:
        monkeypatch.setattr(chat_template, "SECONDS", 1.0)
    if "memory" in words:  # on a busy computer, filling a gigabyte takes more than the usual 5 seconds
        monkeypatch.setattr(chat_template, "SECONDS", 60.0)
    with pytest.raises(UnboundedTemplateError, match=words) as caught:
        render_chat(template, MESSAGES, {})
    assert isinstance(caught.value, TemplateError) and "Choose another model." in str(caught.value)
    assert render_chat("{{ messages[2].content }}", MESSAGES, {}) == "Yes"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{ raise_exception('roles must alternate\nor not') }}", "^roles must alternate$"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{% set ns = namespace() %}{% set ns._a = 1 %}", "_a"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "recursion"),
        ("{% include 'secret' %}", "loader"),
        ("{{ messages.append(1) }}", "unsafe|immutable|not safely callable"),
        ("{{ unclosed", "unexpected end"),
        ("(" * 3 + "{{ " + "(" * 5000, "nested|memory|recursion|unexpected|paren"),
    ],
)
def test_an_error_raised_by_the_template_is_quoted_by_its_first_line(template, words):
    with pytest.raises(ChatTemplateRefusal, match=words):
        render_chat(template, MESSAGES, {})


def test_the_date_is_always_the_same():
    text = "{% if strftime_now is defined %}{% set form = '%d %b %Y' %}{{ strftime_now(form) }}{% endif %}"
    assert render_chat(text, MESSAGES, {}) == "26 Jul 2024"
