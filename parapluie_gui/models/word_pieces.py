"""A tokenizer for BERT-like models that does not need transformers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Names of the control tokens' entries in `tokenizer_config.json`.
_NAMES = ("unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class WordPieces:
    """A tokenizer with the interface of transformers' BertTokenizer, read by `read_word_pieces`.

    Args:
        backend: A tokenizer of the library `tokenizers`.
        tokens: The control tokens by name ("mask_token").
        most_tokens: Length of the longest text that the model reads, in tokens.
    """

    def __init__(self, backend: Any, tokens: dict[str, str], most_tokens: int) -> None:
        self._backend = backend
        self._backend.no_padding()
        self._backend.no_truncation()
        self.model_max_length = most_tokens
        self.all_special_tokens = list(tokens.values())
        self.all_special_ids = [self._backend.token_to_id(token) for token in self.all_special_tokens]
        ids = dict(zip(tokens, self.all_special_ids, strict=True))
        self.mask_token = tokens["mask_token"]
        self.mask_token_id, self.sep_token_id, self.cls_token_id, self.unk_token_id, self.pad_token_id = (
            ids[f"{name}_token"] for name in ("mask", "sep", "cls", "unk", "pad")
        )

    def __call__(
        self,
        texts: str | Sequence[str],
        pair: str | None = None,
        *,
        add_special_tokens: bool = True,
        split_special_tokens: bool = False,
        max_length: int | None = None,
        **_other: object,
    ) -> dict[str, Any]:
        """Return the ids of a text, of a pair of texts, or of several texts, under "input_ids".

        With `split_special_tokens` a control token written out in a text is treated as text. Texts are truncated to
        `max_length` tokens, control tokens included.
        """
        self._backend.encode_special_tokens = split_special_tokens
        if max_length is not None:
            self._backend.enable_truncation(max_length)
        try:
            if isinstance(texts, str):
                return {"input_ids": self._backend.encode(texts, pair, add_special_tokens=add_special_tokens).ids}
            encodings = self._backend.encode_batch(list(texts), add_special_tokens=add_special_tokens)
            return {"input_ids": [encoding.ids for encoding in encodings]}
        finally:
            self._backend.no_truncation()

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        return [str(self._backend.id_to_token(id)) for id in ids]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._backend.decode(list(ids), skip_special_tokens=False))


def read_word_pieces(folder: Path) -> WordPieces | None:
    """Return the tokenizer in a folder, None if it is of a different kind or its files contradict each other.

    transformers builds its BertTokenizer from both files, so reading one is enough only if they agree.
    """
    from tokenizers import Tokenizer

    try:
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        text = (folder / "tokenizer.json").read_text(encoding="utf-8")
        parts = json.loads(text)
        tokens = {name: config[name] for name in _NAMES}
        expected = {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": config.get("tokenize_chinese_chars", True),
            "strip_accents": config.get("strip_accents"),
            "lowercase": config.get("do_lower_case", True),
        }
        agree = (
            config.get("tokenizer_class") in ("BertTokenizer", "BertTokenizerFast")
            and parts["normalizer"] == expected
            and parts["pre_tokenizer"] == {"type": "BertPreTokenizer"}
            and parts["model"]["type"] == "WordPiece"
            and sorted(token["content"] for token in parts["added_tokens"]) == sorted(tokens.values())
        )
        if not agree:
            return None
        tokenizer = WordPieces(Tokenizer.from_str(text), tokens, int(config.get("model_max_length") or 10**30))
        first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
        letter = tokenizer("a", add_special_tokens=False)["input_ids"]
        is_framed = tokenizer("a", "a")["input_ids"] == [first, *letter, last, *letter, last]
    except Exception:  # tokenizers raises plain Exceptions; transformers will report what is damaged
        return None
    return tokenizer if is_framed and None not in tokenizer.all_special_ids else None
