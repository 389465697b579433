"""Parses raw lists of references: text in, CSL-JSON, BibTeX or RIS out.

    >>> import chorale_references as cr
    >>> reference = cr.parse("Watson JD, Crick FHC. Molecular structure. Nature. 1953;171:737-8.")[0]
    >>> reference.item["author"][0]
    {'family': 'Watson', 'given': 'J. D.'}
"""

from .lists import InputError, Reference, ReferenceList, split
from .parse import Parsed, ParsedList, parse, parse_lists

__version__ = "0.3.0"
__all__ = ["InputError", "Parsed", "ParsedList", "Reference", "ReferenceList", "parse", "parse_lists", "split"]
