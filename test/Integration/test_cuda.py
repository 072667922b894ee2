# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models on the fake libcuda, whose kernels are the CPU's machine code:
every number equals the CPU's. K3_FAKE_CUDA_LIBRARY is the fake.
"""

import functools
import os
import unittest

import numpy as np

import models

os.environ["K3_LIBCUDA"] = os.environ["K3_FAKE_CUDA_LIBRARY"]
LEVEL = "x86-64-v3"


@functools.lru_cache(None)
def on_both(model):
    """The model on the CPU and on the fake device."""
    source = models.artefact(model)
    target = source.with_suffix(".gpu.fatbin")
    models.tool("fake-gpu-artefact", source, target, LEVEL)
    weights = models.MODELS / model
    return (models.k3.load(target, weights, target=LEVEL),
            models.k3.load(target, weights, target="sm_90a",
                           device="cuda:0"))


class Cuda(unittest.TestCase):
    def assert_same(self, name):
        rows = []
        for model in on_both(name):
            session = model.session(slots=4, capacity=128)
            slots = [session.create() for _ in range(3)]
            prompts = [range(1, 38), range(5, 6), range(3, 20)]
            got = [models.call(session, "score", prompts, slots)]
            for step in range(5):
                ids = [[step], [step + 1], [step + 2]]
                got.append(models.call(session, "decode", ids, slots))
            fork = session.fork(slots[0])
            got.append(models.call(session, "prefill", [range(9, 15)], [fork]))
            rows.append(np.concatenate(got))
        np.testing.assert_array_equal(rows[1], rows[0])
        self.assertTrue(np.isfinite(rows[1]).all())

    def test_k3_tiny(self):
        self.assert_same("k3-tiny")

    def test_kimi_linear_tiny(self):
        self.assert_same("kimi-linear-tiny")

    def test_golden(self):
        """The reference's greedy continuations."""
        _, model = on_both("k3-tiny")
        for name, data, greedy, _ in models.golden_prompts("k3-tiny"):
            session = model.session(capacity=1024)
            slot = session.create()
            row = models.call(session, "prefill", [data["ids"]], [slot])[0]
            for want in greedy[:24]:
                self.assertEqual(int(row.argmax()), want, name)
                row = models.call(session, "decode", [[want]], [slot])[0]


if __name__ == "__main__":
    unittest.main()
