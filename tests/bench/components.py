"""Time and memory of joining documents by the keys that they share (chorale_components_join).

    components.py [PAIRS]...    10000000 100000000 unless said otherwise

A pair is a membership: a document, drawn evenly, and a key that has about ten members. There are a tenth as
many documents as pairs. One thread, processor time.
"""

import resource
import sys
import time

import numpy as np

from libchorale.prices import components


def main():
    for pairs in [int(text) for text in sys.argv[1:]] or [10**7, 10**8]:
        rng = np.random.default_rng(1)
        documents, keys = pairs // 10, pairs // 10
        # Runs of documents share keys, so that there are many components of many sizes.
        first = rng.integers(0, documents, pairs, dtype=np.int32)
        second = first // 8 * 8 + rng.integers(0, 8, pairs, dtype=np.int32)
        second = (documents + np.minimum(second, keys - 1)).astype(np.int32)
        begin = time.process_time()
        found = components(first, second, documents + keys)
        taken = time.process_time() - begin
        assert np.all(found[first] == found[second])
        count = int(np.count_nonzero(found == np.arange(len(found))))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(f"components.{pairs}.s\t{taken:.3g}\ts, {count} components")
        print(f"components.{pairs}.peak_gb\t{peak * 1e-9:.3g}\tGB, arrays of pairs included", flush=True)


if __name__ == "__main__":
    main()
