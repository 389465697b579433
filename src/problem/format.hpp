// The problem file that FORMAT.md describes: header, table of sections, and the records of each
// section. Records are read in place, so a file must have the byte order of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorale::file {

inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kOrder = 0x01020304;
inline constexpr std::uint32_t kOtherOrder = 0x04030201;
// The first byte is not ASCII, so programs recognise the file as binary. The last three bytes show
// whether the file was transferred as text, which changes line ends.
inline constexpr unsigned char kMagic[8] = {0x89, 'C', 'H', 'O', 'R', '\r', '\n', 0x1a};
// Sections, and in SCORES the first array of each chain, begin at multiples of this.
inline constexpr std::size_t kAlign = 64;

struct Header {
  unsigned char magic[8];
  std::uint32_t order;
  std::uint32_t version;
  std::uint64_t bytes;
  std::uint32_t sections;
  std::uint32_t zero;
  std::uint64_t table_checksum;
  std::uint64_t zeros[2];
  std::uint64_t checksum; // of the bytes of the header before this field
};
static_assert(sizeof(Header) == 64 && offsetof(Header, checksum) == 56);

enum SectionId : std::uint32_t {
  kTransitions = 1,
  kProperties,
  kDictionaries,
  kPotentials,
  kChains,
  kScores,
  kCliques,
  kMembers,
  kAttachments, // the last section that every file has
  kTexts,
  kGold,
  kCliqueKinds,
  kCliqueValues,
  kNotes,
  kWeights,
  kSectionEnd
};
inline constexpr std::uint32_t kRequired = kAttachments;

inline const char *section_name(std::uint32_t id) noexcept {
  constexpr const char *names[] = {
      "",       "TRANSITIONS", "PROPERTIES",   "DICTIONARIES",  "POTENTIALS",
      "CHAINS", "SCORES",      "CLIQUES",      "MEMBERS",       "ATTACHMENTS",
      "TEXTS",  "GOLD",        "CLIQUE_KINDS", "CLIQUE_VALUES", "NOTES",
      "WEIGHTS"};
  return id < kSectionEnd ? names[id] : "";
}

struct Entry {
  std::uint32_t id;
  std::uint32_t zero;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t checksum;
};
static_assert(sizeof(Entry) == 32);

// ---- Records ------------------------------------------------------------------------------------
//
// A section of records consists of their number (u64), the records, and then their arrays.

// arrays: labels x labels doubles; then `labels` start scores if kStart is set, and `labels` end
// scores if kEnd is set
struct TransitionsRecord {
  enum : std::uint32_t { kStart = 1, kEnd = 2 };
  std::int32_t labels;
  std::uint32_t flags;
};

struct PropertyRecord {
  enum : std::int32_t { kAutomaton = 1, kLocal = 2, kPositionLabel = 3, kTokenLabel = 4 };
  enum : std::uint32_t { kEndActions = 1, kLabelValues = 2 };
  std::int32_t kind;
  std::uint32_t flags;
  std::int32_t labels;
  std::int32_t classes;
  std::int32_t states;
  std::int32_t values;
  std::int32_t start;
  std::int32_t table_offset;
  std::int32_t outside_value;
  std::int32_t at; // the position of kPositionLabel, or the token of kTokenLabel
};

struct DictionaryRecord { // array: count int32
  std::int32_t count;
  std::int32_t has_unlisted;
};

struct PotentialRecord {
  enum : std::int32_t {
    kPotts = 1,
    kEntropy,
    kSum,
    kCardinality,
    kMax,
    kMakespan,
    kSquareMakespan,
    kMajority,
    kPairs,
    kScaled,
    kMixture
  };
  enum : std::uint32_t { kMask = 1 };
  std::int32_t kind;
  std::uint32_t flags;
  std::int32_t scale;
  std::int32_t shape;
  std::int32_t values;
  std::int32_t base;   // SCALED: number of the potential that is scaled; otherwise 0
  double number;       // lambda, if the kind has one; SCALED: the factor; otherwise 0
  std::int64_t tables; // SUM, MAX, CARDINALITY: number of tables; `length`: entries of each
  std::int64_t length;

  bool has_lambda() const noexcept {
    return kind == kPotts || kind == kEntropy || kind == kMakespan || kind == kSquareMakespan;
  }
  bool has_tables() const noexcept {
    return kind == kSum || kind == kMax || kind == kCardinality;
  }
};
static_assert(sizeof(PotentialRecord) == 48);

struct ChainRecord { // its arrays are in SCORES
  enum : std::uint32_t {
    kSingle = 1,
    kEdges = 2,
    kEdgeEach = 4,
    kStart = 8,
    kEnd = 16,
    kTokens = 32,
    kParents = 64,
    kForced = 128,
    kAllowed = 256,
    kAll = 511
  };
  std::int32_t length;
  std::int32_t labels;
  std::uint32_t flags;
  std::int32_t transitions; // index in TRANSITIONS, or -1
  std::int64_t group;
  std::uint64_t offset; // where the chain's arrays begin in SCORES
};
static_assert(sizeof(ChainRecord) == 32);

struct CliqueRecord {
  enum : std::uint32_t {
    kMap = 1,     // the clique has a map from labels to values
    // The map equals that of the nearest clique before this one that has a map, and is not
    // repeated.
    kSameMap = 2,
    kCentreMap = 4, // the same two flags for the map from the labels of the centre to values
    kSameCentreMap = 8,
    // The potentials of the centre are those of the nearest clique before this one that is centred.
    kSameCentres = 16,
    kAll = 31
  };
  std::uint32_t flags;
  std::int32_t property;   // index in PROPERTIES, or -1
  std::int32_t dictionary; // index in DICTIONARIES, or -1
  std::int32_t potential;  // index in POTENTIALS; -1 if the clique is centred (model.h)
  std::int32_t values;
  std::int32_t labels; // length of the map from labels to values
  std::int32_t centre_values;
  std::int32_t centre_labels;
  std::int32_t members; // without the centre
  std::int32_t zero;
};
static_assert(sizeof(CliqueRecord) == 40);

struct MemberRecord {
  std::int32_t chain;
  std::int32_t position; // -1: the whole chain
};

struct AttachmentFlags { // stored as a uint32 for each member that is a whole chain
  enum : std::uint32_t { kClasses = 1, kTable = 2, kAll = 3 };
};

struct TextsRecord { // arrays: count + 1 uint64 offsets; the bytes of the texts
  std::int32_t list;
  std::int32_t zero;
  std::int64_t count;
  std::uint64_t bytes;
};

struct NoteRecord { // arrays: the bytes of the name; the bytes of the text
  std::uint64_t name_length;
  std::uint64_t text_length;
};

} // namespace chorale::file
