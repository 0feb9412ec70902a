"""English names of languages by their ISO 639 codes."""

from __future__ import annotations

_NAMES = """
af Afrikaans|am Amharic|ar Arabic|ary Moroccan Arabic|arz Egyptian Arabic|as Assamese|az Azerbaijani
ba Bashkir|be Belarusian|bg Bulgarian|bn Bengali|br Breton|bs Bosnian|ca Catalan|cs Czech|cy Welsh|da Danish
de German|el Greek|en English|eo Esperanto|es Spanish|et Estonian|eu Basque|fa Persian|fi Finnish|fo Faroese
fr French|fy West Frisian|ga Irish|gd Scottish Gaelic|gl Galician|gu Gujarati|guw Gun|ha Hausa|he Hebrew
hi Hindi|hr Croatian|ht Haitian Creole|hu Hungarian|hy Armenian|id Indonesian|ig Igbo|is Icelandic|it Italian
ja Japanese|jv Javanese|ka Georgian|kk Kazakh|km Khmer|kn Kannada|ko Korean|ku Kurdish|ky Kyrgyz|la Latin
lb Luxembourgish|lg Ganda|ln Lingala|lo Lao|lt Lithuanian|lv Latvian|mg Malagasy|mk Macedonian|ml Malayalam
mn Mongolian|mr Marathi|ms Malay|mt Maltese|my Burmese|ne Nepali|nl Dutch|nn Norwegian Nynorsk|no Norwegian
oc Occitan|om Oromo|or Odia|pa Punjabi|pl Polish|ps Pashto|pt Portuguese|qu Quechua|ro Romanian|ru Russian
rw Kinyarwanda|sa Sanskrit|sd Sindhi|se Northern Sami|si Sinhala|sk Slovak|sl Slovenian|sn Shona|so Somali
sq Albanian|sr Serbian|sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai|tk Turkmen|tl Tagalog
tr Turkish|tt Tatar|ug Uyghur|uk Ukrainian|ur Urdu|uz Uzbek|vi Vietnamese|wa Walloon|wuu Wu Chinese|xh Xhosa
yo Yoruba|yue Cantonese|zh Chinese|zu Zulu
"""
_BY_CODE = dict(entry.split(" ", 1) for line in _NAMES.split("\n") if line for entry in line.split("|"))


def language_name(code: str) -> str:
    """Return a language's English name, or its code if the name is unknown."""
    return _BY_CODE.get(code, code)


def language_names(codes: list[str]) -> str:
    """Return the English names of languages, separated by commas."""
    return ", ".join(map(language_name, codes))
