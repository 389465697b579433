#!/usr/bin/env bash
# Plants a fault for each check that cheaply can have one, and demands that the check sees it.
#
#   tests/planted/run.sh BUILD [RELEASE]     BUILD has debug information; RELEASE: of the symbols, or BUILD
#
# Checks run in a copy of what they look at; nothing here is changed.
set -euo pipefail
build=$(realpath "${1:?a build directory}")
release=$(realpath "${2:-$1}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

seen=0
missed=0
abi_number=$(sed -n 's/.*define CHORALE_ABI \([0-9]*\).*/\1/p' include/chorale/version.h)
version=$(sed -n 's/.*define CHORALE_VERSION_[MP][A-Z]* \([0-9]*\).*/\1/p' include/chorale/version.h | paste -sd .)
# A fresh copy of the tree in $tree, with a record of today's interface if none is released.
copy_tree() {
  rm -rf "$work/tree"
  tree=$work/tree
  mkdir -p "$tree/tests"
  cp -r include examples README.md "$tree/"
  cp -r tests/abi tests/headers tests/problems tests/*.sh tests/symbols*.txt tests/test_layout.c \
    tests/test_structs.c tests/test_defaults.c tests/fixture*.h "$tree/tests/"
  [[ ! -d $work/record ]] || cp -r "$work/record/." "$tree/tests/abi/"
}
if ! grep -qE "define CHORALE_ABI $abi_number\$" tests/abi/[0-9]*/include/chorale/version.h; then
  copy_tree
  cp tests/test_*.c tests/fixture_*.c "$tree/tests/"
  (cd "$tree" && tests/abi/run.sh --record "$build" >/dev/null)
  mkdir "$work/record"
  mv "$tree/tests/abi/$version" "$work/record/"
fi
# The command must fail, and what it prints must match.
sees() { # FAULT PATTERN COMMAND...
  local fault=$1 pattern=$2 status=0
  shift 2
  "$@" >"$work/log" 2>&1 || status=$?
  if [[ $status != 0 ]] && grep -qE -e "$pattern" "$work/log"; then
    echo "seen: $fault"
    seen=$((seen + 1))
  else
    echo "MISSED: $fault (status $status)"
    tail -n 20 "$work/log"
    missed=$((missed + 1))
  fi
}
# The sound thing must pass, or a fault that is seen says nothing.
passes() { # NAME COMMAND...
  if ! "${@:2}" >"$work/log" 2>&1; then
    echo "MISSED: $1 fails without a fault"
    tail -n 20 "$work/log"
    missed=$((missed + 1))
  fi
}

# ---- Symbols ----
# The libraries of the release build with one more object, made of the C++ on standard input.
with_object() {
  rm -rf "$work/faulty"
  mkdir -p "$work/faulty/src"
  cp "$release/src/libchorale.a" "$work/faulty/src/"
  c++ -x c++ -O2 -fPIC -c - -o "$work/faulty/fault.o"
  ar r "$work/faulty/src/libchorale.a" "$work/faulty/fault.o" 2>/dev/null
  c++ -shared -Wl,--version-script="$release/src/chorale.map" -Wl,-soname,"${1:-libchorale.so.$abi_number}" \
    -Wl,--whole-archive "$work/faulty/src/libchorale.a" -Wl,--no-whole-archive \
    -o "$work/faulty/src/libchorale.so"
}
copy_tree
symbols=("$tree/tests/symbols.sh" "$work/faulty")
with_object <<<''
passes "symbols.sh" "${symbols[@]}"
with_object <<<'extern "C" int chorale_extra(void) { return 1; }'
sees "an export that is not in the list" 'FAILED: the shared library exports' "${symbols[@]}"
with_object <<<'int counter = 1; int next_count() { return ++counter; }'
sees "a mutable global" 'FAILED: no mutable globals' "${symbols[@]}"
with_object <<<'int first(); const int start = first(); int last() { return start; } int first() { return __builtin_ia32_rdtsc() & 1; }'
sees "a static initialiser" 'FAILED: no static initialisers' "${symbols[@]}"
with_object <<<'#include <cstdio>
void say() { std::puts("here"); }'
sees "a library that prints" 'FAILED: imports from C are' "${symbols[@]}"
with_object <<<'#include <cstdlib>
const char *home() { return std::getenv("HOME"); }'
sees "a library that reads the environment" 'FAILED: imports from C are' "${symbols[@]}"
with_object <<<'#include <cstdlib>
void leave() { std::exit(1); }'
sees "a library that exits" 'FAILED: imports from C are' "${symbols[@]}"
with_object <<<'int *make() { return new int(1); }'
sees "memory past the host" 'FAILED: imports from C\+\+ are' "${symbols[@]}"
with_object libchorale.so.7 <<<''
sees "another soname" 'FAILED: the soname' "${symbols[@]}"
with_object <<<''
sed -i '/^chorale_abi$/d' "$tree/tests/symbols.txt"
sees "a function that is missing in the list" 'FAILED: the headers declare' "${symbols[@]}"
copy_tree
sed -i '/^chorale_abi$/d' "$tree/tests/symbols.txt"
sed -i '1i chorale_abi' "$tree/tests/symbols_experimental.txt"
sees "a stable function that is said to be experimental" 'FAILED: .* as CHORALE_EXPERIMENTAL' "${symbols[@]}"
copy_tree
sed -i 's/^CHORALE_API int32_t chorale_abi(void);/&\nCHORALE_API int32_t chorale_none(void);/' \
  "$tree/include/chorale/version.h"
sees "a declaration without a function" 'FAILED: the headers declare' "${symbols[@]}"

# ---- Headers ----
copy_tree
headers=$tree/tests/headers/run.sh
with_line() { # LINE
  cp "$root/include/chorale/version.h" "$tree/include/chorale/version.h"
  sed -i "s|^CHORALE_BEGIN_DECLS|&\n$1|" "$tree/include/chorale/version.h"
}
with_line 'int chorale_new(int new);'
sees "a header that is no C++" 'FAILED: .*version.h with g\+\+ -std=c\+\+11' "$headers" g++
with_line 'int chorale_new();'
sees "a declaration without (void)" 'FAILED: .*version.h with gcc -std=c99' "$headers" gcc
with_line 'typedef struct chorale_pair { union { int one; }; } chorale_pair;'
sees "a header that is no C99" 'FAILED: .*version.h with gcc -std=c99' "$headers" gcc
with_line 'typedef bool chorale_flag;'
sees "a header that needs another" 'FAILED: .*version.h with gcc' "$headers" gcc

# ---- Layouts and the ABI ----
copy_tree
sed -i 's/^typedef struct chorale_reason {/&\n  int32_t planted;/' "$tree/include/chorale/run.h"
cc -std=c99 -I"$tree/include" -I"$tree/tests" "$tree/tests/test_layout.c" -lcmocka -o "$work/layout"
sees "a field in front of the others" 'offset of chorale_reason\.[a-z]* is' "$work/layout"
copy_tree
abi=("$tree/tests/abi/run.sh" "$build")
record=$(compgen -G "$tree/tests/abi/[0-9]*" | sort -V | tail -n 1)
echo chorale_abolished >>"$record/symbols.txt"
sees "a function that is gone" 'no longer exported: chorale_abolished' "${abi[@]}"
copy_tree
sed -i -E "/class-decl name='chorale_reason'/,/<\/class-decl>/s/layout-offset-in-bits='64'/layout-offset-in-bits='96'/" \
  "$record/libchorale.abi"
sees "a field that has moved since the release" 'functions or their types have changed' "${abi[@]}"
copy_tree
sed -i 's/STRUCT(chorale_reason, [0-9]*),//' "$tree/tests/test_layout.c"
sees "a struct whose layout is not frozen" 'says nothing of chorale_reason' "${abi[@]}"
copy_tree
sed -i -E 's/^(  CHORALE_ALGORITHM_ICM = )[0-9]+/\1 7777/' "$record/include/chorale/clique.h"
sees "a number that was another one in the release" 'its test_clique_solve fails' "${abi[@]}"
copy_tree
planted_struct='s/^CHORALE_END_DECLS/typedef struct chorale_planted {\n  int one;\n} chorale_planted;\n&/'
sed -i "$planted_struct" "$record/include/chorale/version.h"
sees "a struct that no recorded program has" 'no program of .* has a chorale_planted' "${abi[@]}"
copy_tree
sed -i "$planted_struct" "$tree/include/chorale/version.h"
sees "a struct that no program to be recorded has" 'no program of tests has a chorale_planted' "${abi[@]}"
copy_tree
sed -i "$planted_struct" "$tree/include/chorale/experimental/table.h"
sees "a struct of which nobody says what zeros mean" 'test_defaults.c says nothing of chorale_planted' "${abi[@]}"
# The library with another clique.h, edited by sed, which one file reads the structs of.
with_structs() { # EXPRESSION
  copy_tree
  rm -rf "$work/grown"
  mkdir -p "$work/grown/src"
  sed -i -E "$1" "$tree/include/chorale/clique.h"
  cp "$build/src/libchorale.a" "$work/grown/src/"
  c++ -std=c++20 -g -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -ffp-contract=off \
    -I"$tree/include" -Isrc -c src/capi/clique.cpp -o "$work/grown/clique.cpp.o"
  ar r "$work/grown/src/libchorale.a" "$work/grown/clique.cpp.o"
  c++ -shared -Wl,--version-script="$build/src/chorale.map" -Wl,-soname,libchorale.so.$abi_number \
    -Wl,--whole-archive "$work/grown/src/libchorale.a" -Wl,--no-whole-archive \
    -o "$work/grown/src/libchorale.so"
  ln -s libchorale.so "$work/grown/src/libchorale.so.$abi_number"
}
append='s/^\} (chorale_clique_(problem|options|result));/  double planted;\n&/'
abi=("$tree/tests/abi/run.sh" "$work/grown")
with_structs "$append"
passes "fields appended to structs" "${abi[@]}"
with_structs "$append; s/^  int64_t (members|values);/  int64_t \1_;/; s/ members_;/ values;/; s/ values_;/ members;/"
sees "fields that have changed places, beside one appended" 'functions or their types have changed' \
  "${abi[@]}"
with_structs "$append; s/^  int64_t node_limit;/  double node_limit;/"
sees "a field of another type, beside one appended" 'functions or their types have changed' "${abi[@]}"
abi=("$tree/tests/abi/run.sh" "$build")
copy_tree
echo '/* another word */' >>"$record/include/chorale/run.h"
sees "a file of a record that has changed" 'is not what was recorded' "${abi[@]}"
copy_tree
rm "$record/programs/fixture_run.c"
sees "a file of a record that is missing" 'is not what was recorded' "${abi[@]}"
copy_tree
echo 'int none;' >"$record/programs/none.c"
sees "a file that was added to a record" 'is not what was recorded' "${abi[@]}"
copy_tree
mkdir -p "$tree/tests/abi/$version"
sees "a record that is made again" 'FAILED: .* is made once' "$tree/tests/abi/run.sh" --record "$build"
copy_tree
sed -i "s/define CHORALE_ABI $abi_number/define CHORALE_ABI $((abi_number + 1))/" \
  "$record/include/chorale/version.h"
sees "an ABI number without a record" 'no release to hold it to' "${abi[@]}"

# ---- What is written down ----
copy_tree
sed -i 's/^sentence 2: Place, not Person/sentence 2: Person, not Place/' "$tree/README.md"
sees "a README that says something else" 'sentence 2: Person, not Place' "$tree/tests/readme.sh" "$build"
sed -i '0,/\tscore\t0\t/s/\(\tscore\t0\t.*\)[0-9a-f]$/\1f/' "$tree/tests/problems/expected.tsv"
sees "a last bit in the table of results" 'FAILED' \
  "$build/tests/test_problem_files" "$tree/tests/problems"

# ---- Sanitizers and valgrind ----
cat >"$work/leak.c" <<'END'
#include <stdlib.h>
int main(void) { volatile char *lost = malloc(10); lost[0] = 1; lost = 0; return lost != 0; }
END
cat >"$work/past.c" <<'END'
#include <stdlib.h>
int main(int count, char **unused) { char *few = malloc(4); few[3 + count] = 1; (void)unused; free(few); return 0; }
END
cat >"$work/overflow.c" <<'END'
#include <limits.h>
int main(int count, char **unused) { volatile int sum = INT_MAX; (void)unused; sum += count; return 0; }
END
cat >"$work/race.c" <<'END'
#include <pthread.h>
static int shared;
static void *count(void *p) { for (int k = 0; k < 1000; ++k) ++shared; return p; }
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, count, 0);
  pthread_create(&two, 0, count, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
END
flags_of() { # PRESET
  sed -nE "/\"name\": \"$1\"/,/^    \}/s/.*\"CMAKE_C_FLAGS\": \"(.*)\".*/\1/p" CMakePresets.json
}
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
  fixed_addresses=(setarch "$(uname -m)" -R)
fi
for program in leak past overflow; do
  # shellcheck disable=SC2046
  cc $(flags_of asan-ubsan) "$work/$program.c" -o "$work/$program"
done
sees "a leak, by ASan" 'LeakSanitizer' "$work/leak"
sees "a write past the end, by ASan" 'heap-buffer-overflow' "$work/past"
sees "a signed overflow, by UBSan" 'signed integer overflow' "$work/overflow"
# shellcheck disable=SC2046
cc $(flags_of tsan) "$work/race.c" -o "$work/race" -lpthread
sees "a race, by TSan" 'data race' "${fixed_addresses[@]}" "$work/race"
cc -g "$work/leak.c" -o "$work/leak"
cc -g "$work/past.c" -o "$work/past"
memcheck=(valgrind --quiet --error-exitcode=1 --leak-check=full
  --errors-for-leak-kinds=definite,indirect,possible)
sees "a leak, by valgrind" 'definitely lost' "${memcheck[@]}" "$work/leak"
sees "a write past the end, by valgrind" 'Invalid write' "${memcheck[@]}" "$work/past"

# ---- Shortcuts ----
# A test, linked with a faulty source of the library: the line that the sed script changes. Two at a
# time; what they print is shown at the end, in their order.
faults=0
faulty_source() { # SOURCE TEST_OBJECTS FAULT SCRIPT PATTERN
  [[ $(jobs -pr | wc -l) -lt 2 ]] || wait -n || true
  faults=$((faults + 1))
  mkdir "$work/$faults"
  (work=$work/$faults seen=0 missed=0 && link_and_run "$@" >"$work/said" 2>&1) &
}
link_and_run() {
  local name objects
  name=$(basename "$1")
  sed "$4" "src/$1" >"$work/$name"
  if cmp -s "src/$1" "$work/$name"; then
    echo "MISSED: $3: there is no such line"
    return
  fi
  objects=$(find "$build/src/CMakeFiles" -name '*.o' -path '*chorale_floor_*' ! -name "$name.o")
  c++ -std=c++20 -O1 -DNDEBUG -ffp-contract=off -Iinclude -Isrc -c "$work/$name" -o "$work/faulty.o"
  # shellcheck disable=SC2086
  c++ $2 "$work/faulty.o" $objects -lcmocka -lm -pthread -o "$work/faulty_test"
  sees "$3" "$5" "$work/faulty_test"
}
fixtures=$(find "$build"/tests/CMakeFiles/chorale*fixture.dir -name '*.o')
faulty_prices() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/CMakeFiles/test_prices.dir/*.o) $fixtures" "${@:2}"
}
faulty_prices prices/prices.cpp "prices left over from the last solve" \
  's/^    chorale_run_reset(prices->run);/    if (!prices->run->has_result())\n      chorale_run_reset(prices->run);/' \
  'the same prices give other labels|not [-0-9]'
faulty_prices prices/prices.cpp "counts of clique after clique added up" \
  's/^ *std::fill_n(counts, prices->values, .*//' 'counts are not those of the labels|counts\[0\] is'
faulty_prices prices/prices.cpp "shared cliques in the score" \
  's/^    if (is_shared\[c\] != 0)/    if (false)/' 'score is'
faulty_prices potential/tangent.cpp "the slope of one side for that of both" \
  's/std::max<std::int64_t>(counts\[v\] - 1, 0)/counts[v]/' 'prices\[[01]\] == |the tangent is'
faulty_prices potential/tangent.cpp "all members with one value left out of the bound" \
  's/, with(members)});/});/' 'C - p m is at most'
faulty_pass() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "chain/$1" "$(echo "$build"/tests/internal/CMakeFiles/test_joint_reach.dir/*.o)" "${@:2}"
}
faulty_pass joint_chain.cpp "what other properties may still add is left out" \
  's/hope += k == but ? .*/hope += 0;/' 'seed [0-9]+|close\(pass.best'
faulty_pass joint_reach.cpp "what a receiver adds in any case is left out" \
  's/= steady(k).data()\[v\] + reach/= reach/' 'seed [0-9]+, property'
faulty_pass bound_property.cpp "a conflict is not hoped for" \
  's/std::max(row\[fired\], row\[conflict()\])/row[fired]/' 'seed [0-9]+|pass.trace|close\(pass.best'
faulty_pass joint_reach.cpp "the reach is left out" 's/ + reach\[k\] - attained_/ - attained_/' 'seed [0-9]+, property'
faulty_pass joint_reach.cpp "entries out of reach are not raised" \
  's/to\[v\] = std::max(to\[v\], most - .*/;/' 'seed [0-9]+, property'
faulty_pass bound_property.cpp "conflicts end though values outside a dictionary may fire" \
  's/ && !fires_outside)/)/' 'seed [0-9]+'
faulty_pass joint_reach.cpp "an offer that programs forbid is taken" \
  's/property.attached.fires_outside(labels, {})/false/' 'seed [0-9]+|is_new'
faulty_pass joint_chain.cpp "a label that fires passes for one that changes nothing" \
  's/ && cells_\[k\].fires\[y\] == CHORALE_FIRE_NOTHING//' 'seed [0-9]+|close\(pass.best'
faulty_pass joint_chain.cpp "a trace takes another row" \
  's/best_configuration = back \/ labels_;/best_configuration = 0;/' 'seed [0-9]+: the labelling'

faulty_edit() { # FAULT SCRIPT PATTERN
  faulty_source cluster/run/edits.cpp \
    "$(echo "$build"/tests/CMakeFiles/{test_run_edit,chorale_{cluster_,chain_,}fixture}.dir/*.o)" "$@"
}
faulty_edit "a worse labelling of the rounds is kept" '/^void Edits::keep_if_better/,/^}/s/revert();/commit();/' 'the earlier labelling scores'
faulty_edit "edited chains keep their old labels without cliques" \
  's/^      set_own(number, program.labels, program.shown, program.score);/      ;/' 'ERROR: [a-z]+, round'
faulty_edit "a block of terms is not summed again" 's/edits_.clique_sums.renew(edits_.clique_score, clique);//' 'ERROR: [a-z]+, round'
faulty_edit "the counts of the labelling without cliques are not moved" '/^  for (const std::int32_t clique : cliques)/,/^    score_own/s/score_own(clique);/;/' 'ERROR: [a-z]+, round'

faulty_source cluster/run/evaluation.cpp \
  "$(echo "$build"/tests/CMakeFiles/{test_run_parts,chorale_fixture}.dir/*.o)" \
  "the labelling of all documents is kept or left as one" 's/if (worse == 0)/if (worse >= 0)/' 'labelled as by themselves|ERROR'

# Which chains and cliques an edit reaches.
faulty_edit "the chains of an edited clique are not visited" \
  '/^void Edits::enqueue_members/,/^}/s/enqueue(model_.chain_of(clique, i));/;/' 'and [-0-9.]* with labelling'
faulty_edit "fellows of a chain that gains are not visited" \
  '/^void Edits::spread/,/^}/s/^      enqueue(model_.chain_of(clique, i));/      ;/' 'and [-0-9.]* with labelling'
faulty_edit "fellows of a chain whose labels are forbidden are not visited" \
  '/^void Edits::take_now/,/^}/s/if (spreads)/if (false)/' 'and [-0-9.]* with labelling'
faulty_edit "messages that are left alone pass for computed" \
  's/edits_.leaves_messages = true;/;/' 'a_large_clique_is_left_to_the_next_solve'
faulty_edit "a clique of items is not solved again" \
  's/^      state_.clique_needs.data()\[model_.clique_of(chain.first_slot)\] = kAnswersNow;/;/' 'item [0-9]+ has label'
faulty_edit "a clique is forgotten where a labelling is kept" \
  '/^void Edits::set_now/,/^}/s/edits_.touched_cliques.add(slot.clique);//' 'ERROR: [a-z]+, round'
faulty_edit "no chain gets the messages of a clique" 's/edits_.sending.add(chain);//' 'editing.lacking|ERROR: [a-z]+, round'
faulty_edit "no clique gets the messages of a chain" 's/^      edits_.answering.add(clique);/      ;/' 'editing.lacking|ERROR: [a-z]+, round'

faulty_polish() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/CMakeFiles/{test_run_polish,chorale_{cluster_,chain_,}fixture}.dir/*.o)" "${@:2}"
}
faulty_polish cluster/run/chain_block.cpp "every chain passes for one at its best" \
  's/^  return total > kForbidden && total >= most;/  return true;/' 'and [-0-9.]* with labelling'
faulty_polish cluster/run/chain_block.cpp "a chain at its best without cliques passes for one at its best" \
  's/^  double total = now_.phi(number_);/  double total = own;/' 'and [-0-9.]* with labelling'
faulty_polish cluster/run/polish.cpp "chains whose cliques have changed are not visited again" \
  's/memory_.changed_at.data()\[slot.clique\] = course_.stamp;//' 'beside it'

faulty_rounds() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/internal/CMakeFiles/test_cluster.dir/*.o)" "${@:2}"
}
faulty_rounds cluster/run/state.cpp "rounds that alternate go on" \
  's/^  found = last_\[0\] != last_\[1\].*/  found = false;/' 'rounds_end_where_they_alternate'
faulty_rounds cluster/run/state.cpp "three rounds pass for an alternation" \
  's/ && last_\[1\] == last_\[3\];/;/' 'ends after round'
faulty_rounds cluster/run/state.cpp "labels that stay pass for an alternation" \
  's/^  found = last_\[0\] != last_\[1\] && /  found = /' 'ends after round'
faulty_rounds cluster/run/evaluation.cpp "the worse of two labellings is kept" \
  's/: score > before;/: score != before;/' 'the worse of two|result.score >= own'
faulty_source chain/joint.cpp "$(echo "$build"/tests/CMakeFiles/{test_property_messages,chorale_{chain_,}fixture}.dir/*.o)" \
  "a narrow beam passes for exact" 's/^  if (!attempt.pruned) {/  if (true) {/' 'exact_on_chains'

faulty_run() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/CMakeFiles/{test_run,chorale_{cluster_,chain_,}fixture}.dir/*.o)" "${@:2}"
}
faulty_run cluster/run/chain_program.cpp "entries that some clique pays for are not computed" \
  's/^  reach_\[k\] = strength \* (half\[0\] + half\[1\]);/  reach_[k] = 0;/' 'exact_where_message_passing_is'
faulty_run cluster/run/rounds.cpp "messages pass for zero after the first round" \
  's/^    standing.zero_messages = false;//' 'with other scores of chain'

faulty_items() { # FAULT SCRIPT PATTERN
  faulty_source cluster/run/closed.cpp \
    "$(echo "$build"/tests/CMakeFiles/{test_run,chorale_{cluster_,chain_,}fixture}.dir/*.o)" "$@"
}
faulty_items "items of a closed clique keep their labels" 's/^  if (program.solved)$/  if (false)/' 'ERROR|items_by_name'
faulty_items "items get their first label" 's/best = {y, of_label};/best = {0, of_label};/' 'ERROR|FAILED'
faulty_items "an item takes the scores of another label" 's/std::copy_n(score.unary, K, row);/std::copy_n(score.unary, K - 1, row);/' 'ERROR|items_by_name'

faulty_pass_bounds() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/internal/CMakeFiles/test_pass_bounds.dir/*.o)" "${@:2}"
}
faulty_pass_bounds clique/passes/pass_bounds.cpp "what members gain beyond a threshold is left out of bounds on passes" \
  's/excess\[v\] += above\[v\] > t ? above\[v\] : t;/excess[v] += t;/' 'bound of a pass'
faulty_pass_bounds clique/passes/threshold_bounds.cpp "the highest step of a part passes for its lowest" \
  's/const double fall = thresholds_\[part + 1\] - highest;/const double fall = thresholds_[part + 1] - lowest;/' 'bound of a pass'
faulty_weights() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/CMakeFiles/{test_weights,chorale_fixture}.dir/*.o)" "${@:2}"
}
faulty_weights clique/passes/alpha_sweep.cpp "members are sorted by their gain, whatever their weight" \
  's/gain \/= weight;/gain \/= 1;/' 'as_good_as_its_parts'
faulty_weights clique/dual/count_dual.cpp "the dual counts members, not weights" \
  's/weights += weight;/weights += 1;/' 'bounds_above'
faulty_source potential/member_row.cpp \
  "$(echo "$build"/tests/internal/CMakeFiles/test_joint_reach.dir/*.o)" \
  "half of what a move may change besides its middle is left out" \
  's/0.5 \* std::fabs(last - first)}/0.25 * std::fabs(last - first)}/' 'more than its middle'
faulty_source cluster/run/dual.cpp \
  "$(echo "$build"/tests/CMakeFiles/{test_run,chorale_{cluster_,chain_,}fixture}.dir/*.o)" \
  "bounds of cliques stay though their multipliers moved" \
  's/^    dual_.clique_bounds.data()\[c\] = kToBeComputed;//' 'upper bound'

faulty_learner() { # SOURCE FAULT SCRIPT PATTERN
  faulty_source "$1" "$(echo "$build"/tests/CMakeFiles/test_learn.dir/*.o) $fixtures" "${@:2}"
}
faulty_learner learn/learner.cpp "few groups need no credible gain" \
  's/ \&\& told_.groups >= kFewGroups//' 'few_groups'
faulty_learner learn/learner.cpp "accuracy may fall" \
  's/return spec_.options.may_lower_accuracy == 0 \&\&/return false \&\&/' 'lost_accuracy'
faulty_learner learn/learner.cpp "sure positions decide about the temperature" \
  's/!changed \&\& probability >= kSure/false/' 'temperatures_end'
faulty_learner learn/learner.cpp "all errors that the tagger expects may change" \
  's/kBudget \* told_/1 * told_/' 'keeps_the_budget'
faulty_learner learn/agreement.cpp "gold labels are exchanged whatever the tagger says" \
  's/std::tie(kind, owner, base, degree)/std::tie(kind, owner, degree)/' 'what_the_tagger_knows'
faulty_learner learn/lessons.cpp "a span is right though it goes on too far" \
  's/is_same \&\& !stays \&\& !found_stays/is_same \&\& !stays/' 'figures_are'
faulty_learner learn/learnt.cpp "labels that do not count agree" \
  's/agrees \&\& !kind.leaves_out(v)/agrees/' 'left_out'
faulty_source learn/lessons.cpp \
  "$(echo "$build"/tests/CMakeFiles/test_learn_links.dir/*.o) $fixtures" \
  "log-odds forget how frequent a value is" \
  's/ - natural_log(column \/ all)//' 'potentials_are_as_stated'

wait
for ((k = 1; k <= faults; ++k)); do
  cat "$work/$k/said"
  seen=$((seen + $(grep -c '^seen: ' "$work/$k/said" || true)))
  grep -q '^seen: ' "$work/$k/said" || missed=$((missed + 1))
done
echo "$seen faults seen, $missed missed"
[[ $missed == 0 ]]
