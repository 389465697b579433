package chorale

import (
	"strings"
	"unicode"
)

// SpellingRule says how names may differ and yet be the same key.
type SpellingRule string

// The rules of spelling, in the order in which they are applied. Compatibility forms of characters
// (full-width letters, ligatures and the like) are not among them: normalise texts to NFKC before.
const (
	SpellingCase        SpellingRule = "case"        // upper and lower case
	SpellingPunctuation SpellingRule = "punctuation" // marks are left out, dashes are spaces; + # & @ % stay
	SpellingSpace       SpellingRule = "space"       // any white space is one space, and none at the ends
)

const (
	dropped = ".,;:!?'\"`´‘’“”«»()[]{}<>|*"
	dashes  = "-‐‑‒–—_/\\"
)

// Spell returns a text as it is after some rules. Texts that are then equal are one key.
func Spell(text string, rules ...SpellingRule) string {
	has := map[SpellingRule]bool{}
	for _, rule := range rules {
		has[rule] = true
	}
	if has[SpellingCase] {
		text = strings.NewReplacer("ß", "ss", "ẞ", "ss").Replace(text)
		text = strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, text)
	}
	if has[SpellingPunctuation] {
		text = strings.Map(func(r rune) rune {
			switch {
			case strings.ContainsRune(dropped, r):
				return -1
			case strings.ContainsRune(dashes, r):
				return ' '
			}
			return r
		}, text)
	}
	if has[SpellingSpace] {
		text = strings.Join(strings.Fields(text), " ")
	}
	return text
}
