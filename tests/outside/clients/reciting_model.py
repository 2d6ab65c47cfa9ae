"""Write a tiny language model that recites texts of ours, word for word.

A real engine (llama-server, vLLM) then answers with a known text at its own full speed:
real sockets, real streaming, real stops, and no weights from anywhere.

How: every layer adds nothing (its output matrices are zero), so the next token depends
on the last one alone. The vocabulary cuts each text into pieces that occur once, and
the output matrix sends each piece to the one after it. The chat template ends the
prompt with the token that begins a text; which text, it decides by what the prompt
says. `<|fim_middle|>`, which ends an infill prompt, begins a text of its own.

    reciting_model.py answers.json OUT.gguf     for llama.cpp (needs gguf)
    reciting_model.py answers.json OUT_FOLDER   for vLLM and others (needs safetensors,
                                                tokenizers)

answers.json: {"texts": [{"when": "words in the prompt", "say": "..."}, ...],
"otherwise": "...", "fim": "..."}; the first `when` that is in any message wins.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

N_EMBD = 256
N_HEADS = 4
N_FF = 64
N_CTX = 32_768
SURENESS = 4.0
"""Times 16 (the root of N_EMBD), how far the right token leads, in logit."""
UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
TURN, TURN_END = "<|turn|>", "<|end|>"
FIM = {
    "pre": "<|fim_prefix|>",
    "suf": "<|fim_suffix|>",
    "mid": "<|fim_middle|>",
    "rep": "<|repo_name|>",
    "sep": "<|file_sep|>",
}


@dataclass
class Plan:
    """What is to be recited, in tokens."""

    specials: list[str]
    pieces: list[str] = field(default_factory=list)
    follows: dict[str, str] = field(default_factory=dict)
    branches: list[tuple[str, str]] = field(default_factory=list)
    """What the prompt must say, and the token that begins the answer."""


def plan(answers: dict) -> Plan:
    planned = Plan([UNKNOWN, BEGIN, END, TURN, TURN_END, *FIM.values()])
    taken: set[str] = set()
    texts = [*answers.get("texts", ()), {"when": "", "say": answers["otherwise"]}]
    for number, text in enumerate(texts):
        token = f"<|say{number}|>"
        planned.specials.append(token)
        planned.branches.append((text["when"], token))
        _recite(planned, token, text["say"], taken)
    _recite(planned, FIM["mid"], answers.get("fim", ""), taken)
    return planned


def _recite(planned: Plan, last: str, text: str, taken: set[str]) -> None:
    for piece in _cut(text, taken):
        planned.pieces.append(piece)
        planned.follows[last], last = piece, piece
    planned.follows[last] = END


def _cut(text: str, taken: set[str]) -> list[str]:
    """Cut a text into pieces of two characters or more, none of which is taken."""
    cut, at = [], 0
    while at < len(text):
        size = 2
        while text[at : at + size] in taken and at + size < len(text):
            size += 1
        if len(text) - at - size == 1:
            size += 1
        piece = text[at : at + size]
        while piece in taken and cut:  # Only at the very end: join the piece before.
            piece = cut.pop() + piece
        if piece in taken:
            raise ValueError(f"Another text has this in the same place: {text!r}.")
        cut.append(piece)
        taken.add(piece)
        at += size
    return cut


def weights(
    ids: dict[str, int], follows: dict[str, str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return embedding and output matrices."""
    rng = np.random.default_rng(11)
    embedding = rng.standard_normal((len(ids), N_EMBD)).astype(np.float32)
    embedding /= np.linalg.norm(embedding, axis=1, keepdims=True)
    output = np.zeros_like(embedding)
    for token, following in follows.items():
        output[ids[following]] += SURENESS * embedding[ids[token]]
    return embedding, output


def template(branches: list[tuple[str, str]]) -> str:
    """Jinja: the turns, then the token that begins the text to say."""
    turns = (
        "{%- set all = namespace(text='') -%}"
        "{%- for message in messages -%}"
        "{%- if message['content'] is string -%}{%- set said = message['content'] -%}"
        "{%- else -%}{%- set part = namespace(text='') -%}"
        "{%- for each in message['content'] -%}{%- if each['type'] == 'text' -%}"
        "{%- set part.text = part.text + each['text'] -%}{%- endif -%}{%- endfor -%}"
        "{%- set said = part.text -%}{%- endif -%}"
        "{%- set all.text = all.text + said -%}"
        f"{TURN}{{{{ message['role'] }}}}: {{{{ said }}}}{TURN_END}"
        "{%- endfor -%}{%- if add_generation_prompt -%}"
    )
    *conditions, (_, otherwise) = branches
    choice = "".join(
        f"{{%- {'elif' if number else 'if'} {json.dumps(when)} in all.text -%}}{token}"
        for number, (when, token) in enumerate(conditions)
    )
    last = f"{{%- else -%}}{otherwise}{{%- endif -%}}" if conditions else otherwise
    return turns + choice + last + "{%- endif -%}"


def write_gguf(planned: Plan, out: Path) -> None:
    import gguf

    kinds = gguf.TokenType
    tokens = [(text, kinds.CONTROL) for text in planned.specials]
    tokens += [(f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)]
    # A blank is written as a character of three bytes: let it be one token.
    tokens += [(text, kinds.NORMAL) for text in dict.fromkeys([" ", *planned.pieces])]
    ids = {text: number for number, (text, _) in enumerate(tokens)}
    embedding, output = weights(ids, planned.follows)

    writer = gguf.GGUFWriter(str(out), "llama")
    writer.add_name("redline-recites")
    writer.add_context_length(N_CTX)
    writer.add_embedding_length(N_EMBD)
    writer.add_block_count(1)
    writer.add_feed_forward_length(N_FF)
    writer.add_head_count(N_HEADS)
    writer.add_head_count_kv(N_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(N_EMBD // N_HEADS)
    writer.add_file_type(0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([text.replace(" ", "\u2581").encode() for text, _ in tokens])
    # Every prompt is read byte by byte, or nearly: the pieces are for writing.
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(ids[BEGIN])
    writer.add_eos_token_id(ids[END])
    writer.add_unk_token_id(ids[UNKNOWN])
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    for name, text in FIM.items():
        writer.add_uint32(f"tokenizer.ggml.fim_{name}_token_id", ids[text])
    writer.add_chat_template(template(planned.branches))
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", np.ones(N_EMBD, np.float32))
    writer.add_tensor("output.weight", output)
    names = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    for name, matrix in _layer().items():
        writer.add_tensor(f"blk.0.{names[name]}.weight", matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_folder(planned: Plan, out: Path) -> None:
    from safetensors.numpy import save_file
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    out.mkdir(parents=True, exist_ok=True)
    bytes_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    written = {
        text: bytes_level.pre_tokenize_str(text)[0][0] for text in planned.pieces
    }
    vocabulary = {
        c: n for n, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))
    }
    for text in written.values():
        vocabulary.setdefault(text, len(vocabulary))
    # No merges: a prompt is read byte by byte, the pieces are for writing.
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = bytes_level
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(text, special=True) for text in planned.specials]
    )
    tokenizer.save(str(out / "tokenizer.json"))

    ids = {text: tokenizer.token_to_id(text) for text in planned.specials}
    ids |= {text: vocabulary[w] for text, w in written.items()}
    every = {f"#{n}": n for n in range(tokenizer.get_vocab_size())}
    names = {n: text for text, n in ids.items()}
    rows = {names.get(n, filler): n for filler, n in every.items()}
    embedding, output = weights(rows, planned.follows)
    tensors = {
        "model.embed_tokens.weight": embedding,
        "model.norm.weight": np.ones(N_EMBD, np.float32),
        "lm_head.weight": output,
    }
    tensors |= {f"model.layers.0.{n}.weight": m for n, m in _layer().items()}
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    ends = {"bos_token_id": ids[BEGIN], "eos_token_id": ids[END]}
    _save(out / "generation_config.json", ends)
    _save(
        out / "config.json",
        {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "hidden_size": N_EMBD,
            "intermediate_size": N_FF,
            "num_hidden_layers": 1,
            "num_attention_heads": N_HEADS,
            "num_key_value_heads": N_HEADS,
            "head_dim": N_EMBD // N_HEADS,
            "vocab_size": len(every),
            "rms_norm_eps": 1e-6,
            "max_position_embeddings": N_CTX,
            "rope_theta": 10_000.0,
            "hidden_act": "silu",
            "tie_word_embeddings": False,
            "torch_dtype": "float32",
            **ends,
        },
    )
    _save(
        out / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": BEGIN,
            "eos_token": END,
            "model_max_length": N_CTX,
            "clean_up_tokenization_spaces": False,
            "chat_template": template(planned.branches),
        },
    )


def _layer() -> dict[str, np.ndarray]:
    """A layer that adds nothing."""
    square, wide = (N_EMBD, N_EMBD), (N_FF, N_EMBD)
    shapes = {
        "self_attn.q_proj": square,
        "self_attn.k_proj": square,
        "self_attn.v_proj": square,
        "self_attn.o_proj": square,
        "mlp.gate_proj": wide,
        "mlp.up_proj": wide,
        "mlp.down_proj": (N_EMBD, N_FF),
    }
    layer = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    for name in ("input_layernorm", "post_attention_layernorm"):
        layer[name] = np.ones(N_EMBD, np.float32)
    return layer


def _save(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value))


def main(answers: Path, out: Path) -> None:
    planned = plan(json.loads(answers.read_text()))
    (write_gguf if out.suffix == ".gguf" else write_folder)(planned, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
