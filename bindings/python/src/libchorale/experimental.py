"""Experimental: what may change or go in any version, for special needs.

Properties rule by rule, dictionaries of their values, and prices of cliques that
several models share (`libchorale.prices`). The supported functions for corpora in parts,
`libchorale.shared` and `libchorale.spark`, are made of the last.
"""

from __future__ import annotations

from .prices import Answer, Part, Search
from .property import ANY, Dictionary, PropertyBuilder

__all__ = [
    "ANY",
    "Answer",
    "Dictionary",
    "Part",
    "PropertyBuilder",
    "Search",
]
