"""The package is called libchorale, since `chorale` belongs to others on the package registry."""

from __future__ import annotations

import subprocess
import sys


def test_a_package_of_another_author_named_chorale_is_left_alone(tmp_path):
    stranger = tmp_path / "chorale"
    stranger.mkdir()
    (stranger / "__init__.py").write_text("whose = 'a stranger'\n")
    for module in ("errors", "run", "_native", "spacy"):
        (stranger / f"{module}.py").write_text("raise ImportError('of the stranger')\n")
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import libchorale as ch, chorale\n"
        "import libchorale.logits\n"
        "print(chorale.whose, ch.Potential.potts(2, 1.0).evaluate([2, 0]))\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] == 'chorale'))\n"
    )
    paths = [str(tmp_path), *(entry for entry in sys.path if entry)]
    seen = subprocess.run([sys.executable, "-c", program, *paths], capture_output=True, text=True)
    assert (seen.stdout, seen.stderr) == ("a stranger 4.0\n['chorale']\n", "")
