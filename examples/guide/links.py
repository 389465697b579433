#!/usr/bin/env python3
"""Looks for links of a site that lead nowhere: files and anchors that do not exist, and anything
that a page would fetch from a network.

    links.py SITE
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse


class Page(HTMLParser):
    """The anchors of a page, and what it refers to: (attribute, address)."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors = {"", "__top"}
        self.links: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        if given.get("href") is not None and tag == "a":
            self.links.append(("link", given["href"]))
        elif given.get("href") and tag == "link" and given.get("rel") != "canonical":
            self.links.append(("part", given["href"]))
        elif given.get("src"):
            self.links.append(("part", given["src"]))


def main(site: Path) -> int:
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    faults = []
    links = 0
    for path, page in pages.items():
        for kind, address in page.links:
            links += 1
            place, anchor = urldefrag(address)
            parts = urlparse(address)
            if parts.scheme in ("data", "mailto"):
                continue
            if parts.scheme or parts.netloc:
                if kind == "part":
                    faults.append(f"{path}: needs {address}, from a network")
                continue
            target = (path.parent / unquote(place)).resolve() if place else path
            if path.name == "404.html":  # its addresses begin at the root of a server
                continue
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                faults.append(f"{path}: there is no {address}")
            elif target in pages and unquote(anchor) not in pages[target].anchors:
                faults.append(f"{path}: {place or 'the page'} has no anchor {anchor}")
    print(*faults, sep="\n")
    print(f"{links} links in {len(pages)} pages, {len(faults)} lead nowhere")
    return 1 if faults or not links else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
