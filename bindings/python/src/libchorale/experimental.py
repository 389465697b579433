"""Experimental: what may change or go in any version, for special needs.

Models of your own in the place of chains, properties rule by rule, dictionaries of their values,
messages and decoding of single chains, and prices of cliques that several models share (`libchorale.prices`). The supported functions for corpora in parts,
`libchorale.shared` and `libchorale.spark`, are made of the last.
"""

from __future__ import annotations

from .message import DecodeResult, MessageResult
from .model import Instance
from .prices import Answer, Part, Prices, Search, components, label, sum_of
from .property import ANY, Attachment, Dictionary, PropertyBuilder
from .run import Cost

__all__ = [
    "ANY",
    "Answer",
    "Attachment",
    "Cost",
    "DecodeResult",
    "Dictionary",
    "Instance",
    "MessageResult",
    "Part",
    "Prices",
    "PropertyBuilder",
    "Search",
    "components",
    "label",
    "sum_of",
]
