# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models against float64 results of code that is not ours."""

import json
import unittest

import numpy as np

import models

# Largest difference of f32 activations, relative to the largest logit.
BOUND = 2e-3


def greedy(session, slot, logits, count):
    """`count` greedy tokens and their logits, from the last prompt logits."""
    ids, rows = [], []
    for _ in range(count):
        ids.append(int(np.argmax(logits)))
        rows.append(logits)
        logits = models.call(session, "decode", [[ids[-1]]], [slot])[0]
    return ids, rows


class Golden(unittest.TestCase):

    def check_close(self, got, want, what):
        error = np.abs(got - want).max() if want.size else 0.0
        bound = BOUND * np.abs(want).max() if want.size else 0.0
        self.assertLessEqual(error, bound, what)

    def check_prompt(self, model, name, golden, greedy_ids, gaps):
        session = models.load(model).session(slots=2, capacity=1024)
        slot = session.create()
        scores = models.call(session, "score", [golden["ids"]], [slot])
        self.check_close(scores, golden["logits"], f"{model} {name} score")
        self.check_states(session, slot, golden, f"{model} {name}")
        other = session.create()
        last = models.call(session, "prefill", [golden["ids"]], [other])
        np.testing.assert_array_equal(last[0], scores[-1])
        error = np.abs(scores - golden["logits"]).max()
        ids, _ = greedy(session, other, last[0], len(greedy_ids))
        for i, gap in enumerate(gaps):
            if gap <= 2 * error:
                break  # from here on another choice is as right
            self.assertEqual(ids[i], greedy_ids[i], f"{model} {name} step {i}")

    def check_states(self, session, slot, golden, what):
        for name, want in golden.items():
            kind, _, rest = name.partition(".layer")
            layer = rest.split(".")[0]
            if kind == "kda_state":
                got = session.read(slot, f"layers.{layer}.kda_state")
            elif kind == "conv_state":
                which = rest.split(".")[1]
                got = session.read(slot, f"layers.{layer}.conv_state.{which}")
            elif kind == "mla_latent":
                got = session.read(slot, f"layers.{layer}.latent_cache")
            else:
                continue
            self.assertEqual(got.shape, want.shape, f"{what} {name}")
            self.check_close(got, want, f"{what} {name}")

    def test_k3_tiny(self):
        for prompt in models.golden_prompts("k3-tiny"):
            with self.subTest(prompt[0]):
                self.check_prompt("k3-tiny", *prompt)

    def test_kimi_linear_tiny(self):
        for prompt in models.golden_prompts("kimi-linear-tiny"):
            with self.subTest(prompt[0]):
                self.check_prompt("kimi-linear-tiny", *prompt)

    def test_hf_kimi_linear_tiny(self):
        """Computed by Hugging Face transformers."""
        folder = models.GOLDEN / "hf-kimi-linear-tiny"
        golden = models.tensors(folder / "golden.safetensors")
        for prompt in ("prompt0", "prompt1", "prompt2"):
            session = models.load("hf-kimi-linear-tiny").session(slots=1)
            slot = session.create()
            ids = golden[f"{prompt}.ids"]
            got = models.call(session, "score", [ids], [slot])
            self.check_close(got, golden[f"{prompt}.logits"], prompt)
            want = golden[f"{prompt}.decode_logits"]
            for step, token in enumerate(golden[f"{prompt}.greedy"]):
                logits = models.call(session, "decode", [[token]], [slot])
                self.check_close(logits[0], want[step], f"{prompt} step {step}")


class BitsPerByte(unittest.TestCase):
    """valid.txt as 16 windows of [BOS] + 1,024 bytes, as its README has it."""

    def bits(self, precision):
        text = (models.GOLDEN / "k3-tiny" / "valid.txt").read_bytes()
        model = models.load("k3-tiny", precision)
        bos = int(model.metadata("bos_token_id"))
        session = model.session(slots=1, capacity=1025)
        total, count = 0.0, 0
        for start in range(0, len(text), 1024):
            window = np.frombuffer(text[start:start + 1024], np.uint8)
            slot = session.create()
            ids = np.concatenate([[bos], window]).astype(np.int32)
            logits = models.call(session, "score", [ids], [slot])
            session.release(slot)
            rows = logits[:-1].astype(np.float64)
            rows -= rows.max(axis=1, keepdims=True)
            log_p = rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))
            total -= log_p[np.arange(len(window)), window].sum() / np.log(2)
            count += len(window)
        return total / count

    def test_f32(self):
        self.assertAlmostEqual(self.bits("f32"), 1.8559, delta=0.0005)

    def test_bf16(self):
        self.assertAlmostEqual(self.bits("bf16"), 1.8583, delta=0.005)


class Bf16Band(unittest.TestCase):
    """bf16 activations differ from float64 by no more than PyTorch's do."""

    def test_k3_tiny(self):
        golden = models.tensors(models.GOLDEN / "k3-tiny" /
                                "prompt-700.safetensors")
        session = models.load("k3-tiny", "bf16").session(capacity=1024)
        slot = session.create()
        got = models.call(session, "score", [golden["ids"]], [slot])
        difference = np.abs(got - golden["logits"])
        self.assertLess(difference.mean(), 2 * 0.048)
        self.assertLess(np.percentile(difference, 99), 2 * 0.35)
        same = (got.argmax(1) == golden["logits"].argmax(1)).mean()
        self.assertGreater(same, 0.97)


if __name__ == "__main__":
    unittest.main()
