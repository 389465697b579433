"""Peaks of the memory of child processes, as Linux counts them."""

from __future__ import annotations

import os
import threading
from pathlib import Path


class Peaks:
    """While it is open, looks ten times a second at all processes below this one. `java` is the
    highest resident memory, in bytes, that any Java process has had since its start; `worker` is
    that of any other process.
    """

    def __enter__(self) -> Peaks:
        self.worker = self.java = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            parents: dict[int, int] = {}
            peaks: dict[int, tuple[bool, int]] = {}
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    lines = (folder / "status").read_text().splitlines()
                    # Decides by the program, not by the name: a process that Java has forked has
                    # the name of a thread until it runs another program.
                    java = os.readlink(folder / "exe").endswith("/java")
                except OSError:  # the process has ended, or belongs to the kernel
                    continue
                fields = dict(line.split(":", 1) for line in lines)
                parents[int(folder.name)] = int(fields["PPid"])
                if "VmHWM" in fields:
                    peak = int(fields["VmHWM"].split()[0]) * 1024
                    peaks[int(folder.name)] = java, peak
            for number, (java, peak) in peaks.items():
                if not _below(number, os.getpid(), parents):
                    continue
                if java:
                    self.java = max(self.java, peak)
                else:
                    self.worker = max(self.worker, peak)


def _below(number: int, top: int, parents: dict[int, int]) -> bool:
    while number in parents:
        number = parents[number]
        if number == top:
            return True
    return False
