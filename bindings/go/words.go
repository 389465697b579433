package chorale

import (
	"regexp"
	"strings"
	"unicode"
)

// goNames maps names in the library's error messages to Go names, where the rules of goName would
// give a wrong name.
var goNames = map[string]string{
	"NULL":                    "nil",
	"map":                     "LabelMap",
	"chain->edge_matrices":    "the number of matrices of chain.Edges",
	"corpus->chains":          "the number of chains",
	"corpus->uncounted_count": "len(corpus.Uncounted)",
	"setup->labels":           "len(setup.LabelValues)",
	"setup->centre_labels":    "len(setup.CentreLabelValues)",
	"setup->centre_values":    "len(setup.CentrePotentials)",
	"members->cliques":        "len(members.Offsets) - 1",
	"members->first":          "first",
	"mentions->count":         "len(mentions.Key)",
	"evidence->per_mention":   "evidence.Each",
	"per_mention":             "each",
	"name_length":             "len(name)",
	"kind_of_label":           "KindOfLabel",
	"CHORALE_AGREE_":          "Agree",
	"CHORALE_ALGORITHM_":      "Algorithm",
	"CHORALE_FIRE_":           "Fire",
	"CHORALE_JOINT_":          "JointMode",
	"CHORALE_MESSAGES_":       "MessageElement",
	"CHORALE_SCALE_":          "Scale",
	"CHORALE_SCHEME_":         "Scheme",
	"CHORALE_SEGMENT_":        "SegmentRule",
	"CHORALE_SHAPE_":          "Shape",
	"CHORALE_START_":          "Start",
	"CHORALE_TEXTS_":          "TextList",
	"CHORALE_TEXT_JSON":       "JSON",
	"CHORALE_TEXT_LINES":      "Lines",
	"_LABELS":                 "TextsLabels",
	"_TOKENS":                 "TextsTokens",
	"_VALUES":                 "TextsValues",
}

// wordOrText matches every word of an error message that may be a name, and quoted texts, which
// must not be translated.
var wordOrText = regexp.MustCompile(`"[^"]*"|\w+(?:->\w+)+|\]\.\w+|\w+`)

// inGo returns an error message of the library with Go names. others: Go names by the library's
// names, for this message only; they take precedence over goName.
func inGo(message string, others map[string]string) string {
	return wordOrText.ReplaceAllStringFunc(message, func(word string) string {
		if name, known := others[word]; known {
			return name
		}
		return goName(word)
	})
}

// goName returns the Go name for a name of the library: x.FieldName for x->field_name, fieldName
// for field_name, and the name of the Go constant for CHORALE_CONSTANT.
func goName(word string) string {
	if name, known := goNames[word]; known {
		return name
	}
	const constant, part = "CHORALE_", "]."
	switch {
	case word[0] == '"':
	case strings.Contains(word, "->"):
		names := strings.Split(word, "->")
		if of, known := goNames[names[0]]; known {
			names[0] = of
		}
		for i := range names[1:] {
			names[1+i] = camel(names[1+i])
		}
		return strings.Join(names, ".")
	case strings.HasPrefix(word, part):
		return part + camel(word[len(part):])
	case strings.HasPrefix(word, constant):
		return camel(strings.ToLower(word[len(constant):]))
	case strings.Contains(word, "_") && word == strings.ToLower(word):
		first := strings.IndexByte(word, '_')
		return word[:first] + camel(word[first:])
	}
	return word
}

// camel returns FieldName for the argument field_name.
func camel(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		for i, letter := range part {
			if i == 0 {
				letter = unicode.ToUpper(letter)
			}
			b.WriteRune(letter)
		}
	}
	return b.String()
}
