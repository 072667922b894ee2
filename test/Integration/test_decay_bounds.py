# Part of k3, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What k3-print-decay-bounds proves, against arithmetic in float32.

For random sub-tiles and lower bounds the form that the remark names is
computed in float32 with gates in the declared range, and compared with float64.
"""

import os
import re
import subprocess
import unittest

import numpy as np

K = 8
MODULE = """
func.func @f(%q: tensor<?x2x8xf32>, %k: tensor<?x2x8xf32>,
    %v: tensor<?x2x8xf32>, %z: tensor<?x2x8xf32>, %s0: tensor<?x2x8x8xf32>,
    %cu: tensor<?xi32>, %slots: tensor<?xi32>, %lens: tensor<?xi32>)
    -> tensor<?x2x8xf32> {
  %g = k3.gate %z {map = #k3.gate_map<softplus>,
    k3.log_decay_bounds = array<f64: LOWER, 0.0>}
    : (tensor<?x2x8xf32>) -> tensor<?x2x8xf32>
  %o, %s1 = k3.delta_rule q(%q) k(%k) v(%v) g(%g) a(%k) b(%q)
    state(%s0) seqs(%cu, %slots, %lens)
    {decay = #k3.decay<channel>, erase = #k3.erase<low_rank>,
     write = #k3.write<value>, read_state = #k3.read_state<READ>,
     scale = 1.0 : f64, state_v_first = true}
    : (tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8xf32>, tensor<?x2x8xf32>, tensor<?x2x8xf32>,
       tensor<?x2x8x8xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
    -> (tensor<?x2x8xf32>, tensor<?x2x8x8xf32>)
  return %o : tensor<?x2x8xf32>
}
"""


def proof(lower, rows, read):
    """(anchor, largest exponent) of the remark; None for pairwise."""
    done = subprocess.run(
        [os.path.join(os.environ["K3_BIN"], "k3-opt"), "-",
         f"--k3-print-decay-bounds=sub-tile={rows}", "-o", os.devnull],
        input=MODULE.replace("LOWER", repr(lower)).replace("READ", read),
        capture_output=True, text=True, timeout=60, check=True)
    found = re.search(r"anchored at row (\d+), \|exponent\| <= (\S+)",
                      done.stderr)
    if found:
        return int(found[1]), float(found[2])
    assert "pairwise differences: factors would need" in done.stderr, \
        done.stderr
    return None


def gates(random, lower, rows):
    """Gates in [lower, 0]: the worst ones, then random ones."""
    shape = (rows, K)
    slow = max(lower, -1e-4)
    yield np.full(shape, lower)
    yield np.broadcast_to(np.where(np.arange(K) % 2, lower, slow), shape)
    yield np.where(random.random(shape) < 0.5, lower, slow)
    yield random.uniform(lower, 0, shape)


def gram(x, y, left, right):
    """Rows j <= i (j < i when `left` is of the row before) are read only."""
    with np.errstate(over="ignore", invalid="ignore"):
        return (x * np.exp(left)) @ (y * np.exp(right)).T


class DecayBounds(unittest.TestCase):
    def check(self, random, lower, rows, read):
        found = proof(lower, rows, read)
        if not found:
            return False
        anchor, bound = found
        strict = read == "undecayed"
        mask = np.tril(np.ones((rows, rows), bool), -1 if strict else 0)
        largest = 0
        for gate in gates(random, lower, rows):
            gate = gate.astype(np.float32)
            total = np.cumsum(gate, 0, dtype=np.float32)
            own = total - gate if strict else total
            left, right = own - total[anchor], total[anchor] - total
            largest = max(largest, abs(left).max(), abs(right).max())
            # Keys that are nearly one vector, and two sizes of operands.
            x = (1 + 0.01 * random.standard_normal((rows, K)))
            for size in 1.0, 2.0 ** -60:
                y = (x * size).astype(np.float32)
                x32 = x.astype(np.float32)
                for part in (x32 * np.exp(left), y * np.exp(right)):
                    self.assertTrue(np.isfinite(part).all())
                    self.assertGreaterEqual(
                        abs(part).min(), np.finfo(np.float32).tiny)
                got = np.where(mask, gram(x32, y, left, right), 0)
                exact = np.cumsum(gate.astype(np.float64), 0)
                exact_own = exact - gate if strict else exact
                difference = exact_own[:, None] - exact[None]
                want = (x32[:, None].astype(np.float64) * y[None] *
                        np.exp(np.minimum(difference, 0))).sum(-1) * mask
                self.assertLessEqual(
                    np.linalg.norm(got - want),
                    1e-5 * np.linalg.norm(want))
        # The bound holds, and the worst gates reach it.
        self.assertLessEqual(largest, bound * (1 + 1e-5) + 1e-6)
        self.assertGreaterEqual(largest, bound * (1 - 1e-5) - 1e-6)
        return True

    def test_kimi_k3(self):
        random = np.random.default_rng(1)
        for read in "decayed", "undecayed":
            self.assertTrue(self.check(random, -5.0, 16, read))

    def test_random_bounds_and_sub_tiles(self):
        random = np.random.default_rng(2)
        anchored = 0
        for number in range(60):
            rows = int(random.integers(1, 65))
            lower = -float(np.exp(random.uniform(-4, 2)))
            read = ("decayed", "undecayed")[number % 2]
            anchored += self.check(random, lower, rows, read)
        self.assertGreater(anchored, 20)
        self.assertLess(anchored, 60)


if __name__ == "__main__":
    unittest.main()
