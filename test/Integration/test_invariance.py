# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results do not depend on how tokens are cut, packed, threaded or repeated."""

import unittest

import numpy as np

import models


def prompt_ids():
    return models.tensors(models.GOLDEN / "k3-tiny" /
                          "prompt-100.safetensors")["ids"]


def read_all(session, slot):
    """Every state of k3-tiny's slot."""
    states = {}
    for layer in (0, 1, 2, 4, 5, 6):
        for name in ("kda_state", "conv_state.q", "conv_state.k",
                     "conv_state.v"):
            key = f"layers.{layer}.{name}"
            states[key] = session.read(slot, key)
    for layer in (3, 7, 8):
        key = f"layers.{layer}.latent_cache"
        states[key] = session.read(slot, key)
    return states


class Invariance(unittest.TestCase):
    precision = "f32"
    recurrence = "recurrent"

    def setUp(self):
        self.model = models.load("k3-tiny", self.precision, self.recurrence)
        self.ids = prompt_ids()

    def whole(self, threads=0):
        session = self.model.session(threads=threads, capacity=256)
        slot = session.create()
        logits = models.call(session, "score", [self.ids], [slot])
        return logits, read_all(session, slot)

    def assert_same(self, got, want):
        for name, array in want.items():
            np.testing.assert_array_equal(got[name], array, name)

    def test_every_split(self):
        logits, states = self.whole()
        session = self.model.session(capacity=256)
        for cut in range(1, len(self.ids)):
            slot = session.create()
            first = models.call(session, "score", [self.ids[:cut]], [slot])
            second = models.call(session, "score", [self.ids[cut:]], [slot])
            np.testing.assert_array_equal(first, logits[:cut], f"cut {cut}")
            np.testing.assert_array_equal(second, logits[cut:], f"cut {cut}")
            self.assert_same(read_all(session, slot), states)
            session.release(slot)

    def test_token_by_token(self):
        logits, states = self.whole()
        session = self.model.session(capacity=256)
        slot = session.create()
        for i, token in enumerate(self.ids):
            row = models.call(session, "decode", [[token]], [slot])
            np.testing.assert_array_equal(row[0], logits[i], f"token {i}")
        self.assert_same(read_all(session, slot), states)

    def test_packed_is_alone(self):
        lengths = [17, 0, 1, 40, 30]
        session = self.model.session(slots=16, capacity=256)
        pieces, at = [], 0
        for length in lengths:
            pieces.append(self.ids[at:at + length])
            at += length
        slots = [session.create() for _ in lengths]
        packed = models.call(session, "score", pieces, slots)
        at = 0
        for piece, slot in zip(pieces, slots):
            alone = session.create()
            if len(piece):
                logits = models.call(session, "score", [piece], [alone])
                np.testing.assert_array_equal(
                    packed[at:at + len(piece)], logits)
                self.assert_same(read_all(session, slot),
                                 read_all(session, alone))
            at += len(piece)
            session.release(alone)

    def test_padded_rows_are_zero_and_inert(self):
        session = self.model.session(slots=4, capacity=64)
        slots = [session.create() for _ in range(3)]
        ids = self.ids[:3]
        for slot, token in zip(slots, ids):
            models.call(session, "prefill", [[token]], [slot])
        forks = session.fork(slots[0])
        plain = models.call(session, "decode", [[ids[0]]], [forks])
        padded = models.call(session, "decode", [[ids[0]], [ids[1]]],
                             [slots[0], -1])
        np.testing.assert_array_equal(padded[0], plain[0])
        self.assert_same(read_all(session, slots[0]),
                         read_all(session, forks))

    def test_repeated_and_threaded(self):
        logits, states = self.whole(threads=1)
        for threads in (1, 2, 3):
            again, others = self.whole(threads)
            np.testing.assert_array_equal(again, logits)
            self.assert_same(others, states)

    def test_fork_and_reset(self):
        session = self.model.session(slots=3, capacity=256)
        slot = session.create()
        models.call(session, "prefill", [self.ids[:50]], [slot])
        copy = session.fork(slot)
        self.assertEqual(session.length(copy), 50)
        one = models.call(session, "score", [self.ids[50:]], [slot])
        two = models.call(session, "score", [self.ids[50:]], [copy])
        np.testing.assert_array_equal(one, two)
        session.reset(slot)
        self.assertEqual(session.length(slot), 0)
        again = models.call(session, "score", [self.ids], [slot])
        np.testing.assert_array_equal(again[50:], one)

    def test_save_and_load(self):
        session = self.model.session(slots=2, capacity=256)
        slot = session.create()
        models.call(session, "prefill", [self.ids[:50]], [slot])
        path = models.WORK / f"slot.{self.precision}.safetensors"
        session.save(slot, path)
        want = models.call(session, "score", [self.ids[50:]], [slot])
        other = self.model.session(slots=1, capacity=128)
        loaded = other.create()
        other.load(loaded, path)
        got = models.call(other, "score", [self.ids[50:]], [loaded])
        np.testing.assert_array_equal(got, want)


class InvarianceBf16(Invariance):
    precision = "bf16"


class InvarianceChunked(Invariance):
    """Chunks count from where a call starts: only a cut between two chunks
    gives the same bits. Packing, threads and repetition still do not matter.
    """
    recurrence = "chunked"

    def assert_near(self, got, want):
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        self.assertLess(error, 2e-5)

    def test_every_split(self):
        logits, states = self.whole()
        session = self.model.session(capacity=256)
        for cut in (1, 31, 32, 33, 50, 64, 96):
            slot = session.create()
            first = models.call(session, "score", [self.ids[:cut]], [slot])
            second = models.call(session, "score", [self.ids[cut:]], [slot])
            got = np.concatenate([first, second])
            if cut % 32 == 0:
                np.testing.assert_array_equal(got, logits, f"cut {cut}")
                self.assert_same(read_all(session, slot), states)
            else:
                self.assert_near(got, logits)
            session.release(slot)

    def test_token_by_token(self):
        logits, states = self.whole()
        session = self.model.session(capacity=256)
        slot = session.create()
        rows = [models.call(session, "decode", [[token]], [slot])[0]
                for token in self.ids]
        self.assert_near(np.array(rows), logits)
        for name, array in read_all(session, slot).items():
            if name.endswith("kda_state"):
                self.assert_near(array, states[name])

    def test_fork_and_reset(self):
        logits, _ = self.whole()
        session = self.model.session(slots=2, capacity=256)
        slot = session.create()
        models.call(session, "prefill", [self.ids[:50]], [slot])
        copy = session.fork(slot)
        one = models.call(session, "score", [self.ids[50:]], [slot])
        two = models.call(session, "score", [self.ids[50:]], [copy])
        np.testing.assert_array_equal(one, two)
        session.reset(slot)
        again = models.call(session, "score", [self.ids], [slot])
        np.testing.assert_array_equal(again, logits)

    def test_decode_is_recurrent(self):
        plain = models.load("k3-tiny", self.precision)
        results = []
        for model in (plain, self.model):
            session = model.session(capacity=64)
            slot = session.create()
            for token in self.ids[:20]:
                row = models.call(session, "decode", [[token]], [slot])
            results.append((row, read_all(session, slot)))
        np.testing.assert_array_equal(results[0][0], results[1][0])
        self.assert_same(results[1][1], results[0][1])


class Determinism(unittest.TestCase):

    def test_two_compiles_are_byte_identical(self):
        source = models.WORK / "twice.mlir"
        models.tool("k3-import", models.MODELS / "kimi-linear-tiny", "-o",
                    source)
        files = []
        for name in ("a", "b"):
            target = models.WORK / f"twice.{name}.fatbin"
            models.tool("k3-compile", source, "-o", target, "--quiet")
            files.append(target.read_bytes())
        self.assertEqual(files[0], files[1])


if __name__ == "__main__":
    unittest.main()
