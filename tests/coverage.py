"""Reads the JSON of gcov, a document a line, and reports on the lines below a folder.

A line counts as run if any object that contains it ran it: headers stand in many.
"""
import collections
import json
import os
import sys

root, floor = os.path.realpath(sys.argv[1]), float(sys.argv[2])
lines = collections.defaultdict(dict)
for document in sys.stdin:
    report = json.loads(document)
    for file in report["files"]:
        path = os.path.realpath(os.path.join(report["current_working_directory"], file["file"]))
        if not path.startswith(root + os.sep):
            continue
        seen = lines[os.path.relpath(path, root)]
        for line in file["lines"]:
            number = line["line_number"]
            seen[number] = max(seen.get(number, 0), line["count"])
if not lines:
    sys.exit("no coverage was recorded")


def ranges(numbers, known):
    """Runs of lines, over those between them that hold no code."""
    found = []
    for number in sorted(numbers):
        if found and not any(n in known for n in range(found[-1][1] + 1, number)):
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


folders = collections.defaultdict(lambda: [0, 0])
print("Lines that were not run:")
for path in sorted(lines):
    missed = [n for n, count in lines[path].items() if count == 0]
    for folder in (path.split(os.sep)[0] if os.sep in path else ".", "all"):
        folders[folder][0] += len(lines[path]) - len(missed)
        folders[folder][1] += len(lines[path])
    if missed:
        print(f"  {path}: {ranges(missed, lines[path])}")
print()
for folder in sorted(folders, key=lambda name: (name == "all", name)):
    run, total = folders[folder]
    print(f"{folder:12} {run:6} of {total:6} lines, {100 * run / total:6.2f} %")
run, total = folders["all"]
if 100 * run < floor * total:
    sys.exit(f"coverage is below {floor:g} %")
