"""What the benchmarks beside CRFsuite share: its tagging, timed, and a run of the same scores."""
import subprocess
import sys
import time


def set_and_tag_ms(tagger, items):
    """Returns the milliseconds of processor time in which a tagger labels item sequences."""
    begin = time.process_time()
    for of in items:
        tagger.set(of)
        tagger.tag()
    return 1e3 * (time.process_time() - begin)


def require_alike(tagger, items, own):
    """Ends the program unless `own`, one label a token, are the tagger's labels, but for ties."""
    tagged = [label for of in items for label in tagger.tag(of)]
    differ = sum(a != b for a, b in zip(own, tagged, strict=True))
    if differ > len(own) / 1000:
        sys.exit(f"{differ} of {len(own)} tokens are labelled otherwise than by CRFsuite")


def figures(program, *arguments):
    """Returns the figures that a benchmark prints, by name, as texts."""
    out = subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    return dict(line.split("\t")[:2] for line in out.splitlines())
