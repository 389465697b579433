#!/bin/sh
# Each floor of src/ stands on those below it alone: all of it as a static library links with theirs
# and nothing else, and it includes no header of any other.
#
# floors.sh SOURCES DIRECTORY AR COMPILER FLAG...
#
# DIRECTORY has `floors`, with a line for each: its name, then those below it; and NAME.objects, a
# path a line.
set -eu
sources=$1
cd "$2"
ar=$3
shift 3

echo 'int main() { return 0; }' >main.cpp
failed=0
while read -r floor below; do
  rm -f "lib$floor.a"
  tr '\n' '\0' <"$floor.objects" | xargs -0 "$ar" qcs "lib$floor.a"
  libraries=
  for name in $below; do
    libraries="$libraries lib$name.a"
  done
  # shellcheck disable=SC2086 # a list
  if ! "$@" -pthread main.cpp -Wl,--whole-archive "lib$floor.a" -Wl,--no-whole-archive \
    -Wl,--start-group $libraries -Wl,--end-group -o "$floor.program" 2>"$floor.log"; then
    failed=1
    echo "$floor does not link with ${below:-nothing} alone:"
    sed -n 's/.*\(undefined.*\)/  \1/p' "$floor.log" | sort | uniq -c
  elif ! "./$floor.program"; then
    failed=1
    echo "$floor: its program does not run"
  fi
  others=$(grep -rhoE '#include "[a-z]+/' "$sources/$floor" | sed 's/.*"//; s,/,,' | sort -u)
  for other in $others; do
    case " $floor $below " in
    *" $other "*) ;;
    *)
      failed=1
      echo "$floor includes headers of $other:"
      grep -rnE "#include \"$other/" "$sources/$floor"
      ;;
    esac
  done
done <floors
exit $failed
