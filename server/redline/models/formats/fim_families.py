"""The raw prompts of models that fill in the middle, by family.

They are for servers that take neither a suffix nor a gap. A server reads marks in the
code as its own, so code with a mark of the family is refused here. The formats are
those of the models' own pages and of SGLang 0.5.23 (code_completion_parser.py).
"""

from __future__ import annotations

import re

from msgspec import Struct

from redline.prompts.message import CodeGap

MAX_STOPS = 4
"""Common servers refuse more stop sequences."""


class FimFamily(Struct, frozen=True, kw_only=True):
    """How one family of models is asked to fill in the middle."""

    names: str
    template: str
    """The prompt, with `{prefix}`, `{suffix}` and perhaps `{path}`."""
    marks: tuple[str, ...]
    """What the code must not hold."""
    stops: tuple[str, ...]
    file: str = ""
    """A further file, with `{path}` and `{text}`; empty: none can be shown."""
    head: str = ""
    """What comes before further files, with `{repository}`."""
    is_file_in_prefix: bool = False
    """Whether further files belong to the prefix instead of the front."""

    def is_raw_safe(self, gap: CodeGap) -> bool:
        """Whether no text of the gap holds a mark of the family."""
        texts = [gap.prefix, gap.suffix, gap.path, gap.repository]
        for each in gap.nearby:
            texts += (each.path, each.text)
        return not any(mark in text for mark in self.marks for text in texts)

    def prompt(self, gap: CodeGap) -> str:
        nearby = ""
        if self.file and gap.nearby:
            files = (
                self.file.replace("{path}", each.path).replace("{text}", each.text)
                for each in gap.nearby
            )
            nearby = self.head.replace("{repository}", gap.repository) + "".join(files)
        front, prefix = nearby, gap.prefix
        if self.is_file_in_prefix:
            front, prefix = "", nearby + gap.prefix
        values = {"prefix": prefix, "suffix": gap.suffix, "path": gap.path}
        return front + _FIELD.sub(lambda found: values[found[1]], self.template)


_FIELD = re.compile(r"\{(prefix|suffix|path)\}")

_PIPED = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
_STAR = ("<fim_prefix>", "<fim_suffix>", "<fim_middle>")
_PIPED_TEMPLATE = "<|fim_prefix|>{prefix}<|fim_suffix|>{suffix}<|fim_middle|>"
_BAR = "\uff5c"
"""DeepSeek's marks have a full-width bar, which looks like an ASCII one."""

_SEEK = tuple(f"<{_BAR}fim▁{name}{_BAR}>" for name in ("begin", "hole", "end"))
_SEED = ("<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>")
_GLM = ("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>")

FIM_FAMILIES = (
    FimFamily(
        names=r"qwen.{0,60}coder|codeqwen",
        template=_PIPED_TEMPLATE,
        marks=(*_PIPED, "<|repo_name|>", "<|file_sep|>", "<|endoftext|>"),
        stops=("<|endoftext|>", "<|fim_prefix|>", "<|file_sep|>"),
        head="<|repo_name|>{repository}\n",
        file="<|file_sep|>{path}\n{text}\n",
    ),
    FimFamily(
        names=r"codegemma",
        template=_PIPED_TEMPLATE,
        marks=(*_PIPED, "<|file_separator|>"),
        stops=("<|file_separator|>", "<end_of_turn>", "<eos>", "<|fim_prefix|>"),
    ),
    FimFamily(
        names=r"granite-?4",
        template=_PIPED_TEMPLATE,
        marks=(*_PIPED, "<|endoftext|>"),
        stops=("<|endoftext|>", "<|fim_prefix|>"),
    ),
    FimFamily(
        names=r"starcoder",
        template="<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>",
        marks=(*_STAR, "<file_sep>", "<|endoftext|>"),
        stops=("<|endoftext|>", "<fim_prefix>", "<file_sep>"),
    ),
    FimFamily(
        names=r"deepseek.{0,60}(coder|v2)",
        template=f"{_SEEK[0]}{{prefix}}{_SEEK[1]}{{suffix}}{_SEEK[2]}",
        marks=_SEEK,
        stops=_SEEK,
    ),
    FimFamily(
        names=r"codestral|devstral",
        template="[SUFFIX]{suffix}[PREFIX]{prefix}",
        marks=("[SUFFIX]", "[PREFIX]", "[MIDDLE]"),
        stops=("[SUFFIX]", "[PREFIX]", "</s>"),
        file="+++++ {path}\n{text}\n",
        is_file_in_prefix=True,
    ),
    FimFamily(
        names=r"seed-?coder|zeta",
        template="<[fim-suffix]>{suffix}<[fim-prefix]>{prefix}<[fim-middle]>",
        marks=_SEED,
        stops=("<[end▁of▁sentence]>", "<[fim-prefix]>"),
    ),
    FimFamily(
        names=r"mellum",
        template="<filename>{path}\n<fim_suffix>{suffix}<fim_prefix>{prefix}<fim_middle>",
        marks=(*_STAR, "<filename>"),
        stops=("<filename>", "<fim_suffix>"),
        file="<filename>{path}\n{text}\n",
    ),
    FimFamily(
        names=r"code-?llama",
        template="<PRE> {prefix} <SUF>{suffix} <MID>",
        marks=("<PRE>", "<SUF>", "<MID>", "<EOT>"),
        stops=("<EOT>",),
    ),
    FimFamily(
        names=r"glm-?4",
        template="<|code_prefix|>{prefix}<|code_suffix|>{suffix}<|code_middle|>",
        marks=_GLM,
        stops=_GLM,
    ),
)


def fim_family(name: str) -> FimFamily | None:
    """Return the family of a model; None: its raw prompt is not known."""
    lower = name.lower()
    return next((each for each in FIM_FAMILIES if re.search(each.names, lower)), None)
