#!/bin/sh
# Waveforms as pictures: `galena trace draw`; and the pictures and events of the manual pages, which are what the examples do now.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena

# ---- the pictures of the manual ----
mkdir "$work/images"
capture docs/pictures.sh "$build" "$work/images" "$work"
check "the pictures are drawn" [ "$status" = 0 ]
for picture in "$work"/images/*.svg; do
	check "docs/images/${picture##*/} is what is drawn now; if not: make docs" cmp -s "$picture" "docs/images/${picture##*/}"
done
sed 's/^box 6 outside base.*/& and much more than there is room for/' docs/layers.txt >"$work/layers.txt"
capture awk -f docs/layers.awk "$work/layers.txt"
check "a text that does not fit its box is refused" sh -c '[ "$1" = 1 ] && grep -q "does not fit" "$2"' sh "$status" "$work/err"
sed 's/^send kmd cp .*/& beside a text that is too long/' docs/launch.txt >"$work/launch.txt"
capture awk -f docs/sequence.awk "$work/launch.txt"
check "so is one that reaches the next lane" sh -c '[ "$1" = 1 ] && grep -q "has no room" "$2"' sh "$status" "$work/err"
sed 's/^| stalled | .REPLAY. | waiting/| stalled | `REPLAY` | nowhere/' docs/hardware/dma.md >"$work/states.md"
capture awk -f docs/states.awk "$work/states.md"
check "an event that leads to no state of the table is refused" sh -c '[ "$1" = 1 ] && grep -q "nowhere.*no state" "$2"' sh "$status" "$work/err"
for chapter in docs/hardware/*.md; do
	name=$(basename "$chapter" .md)
	! grep -q '^| *state.*| *event *| *next state' "$chapter" || check "$chapter shows its states" grep -q "(../images/states_$name.svg)" "$chapter"
done
for picture in import waveform; do
	names=$(sed -n 's/.*class="name"[^>]*>\([^<]*\)<.*/\1/p' docs/images/$picture.svg)
	check "$picture: no two rows have one name" [ -z "$(printf '%s\n' "$names" | sort | uniq -d)" ]
done

# ---- the events that docs/import.md shows ----
check "the page shows events" [ "$(grep -cE '^    [0-9]+ +[a-z0-9]+ +[a-z]' docs/import.md)" -gt 20 ]
capture awk -f docs/cycles.awk docs/import.md "$work/import.dump" docs/import.md
check "each event that docs/import.md shows still happens" [ "$status" = 0 ]
check "at its cycle; if not: make docs" cmp -s "$work/out" docs/import.md

# ---- the command ----
capture "$galena" trace draw --list "$work/import.fst"
check "--list names signals" has "$out" "queue0.packet[31:0]"
capture "$galena" trace draw --signals 'host.irq_line,queue*.state' --from 1000 --to 2000000 "$work/import.fst"
check "a picture goes to standard output" has "$out" "</svg>"
check "patterns name signals" has "$out" ">queue15.state[2:0]<"
check "a signal that is not named is not drawn" sh -c '! grep -q cu.read "$1"' sh "$work/out"
capture "$galena" trace draw -o "$work/all.svg" "$work/import.fst"
check "without a list, those are drawn that change" sh -c 'grep -q ">cu.read<" "$1" && ! grep -q ">host.lost<" "$1"' sh "$work/all.svg"
capture "$galena" trace draw --signals cu9.read "$work/import.fst"
check "a signal that is not there is an error that says what helps" sh -c '[ "$1" = 2 ] && grep -q "cu9.read.*--list" "$2"' sh "$status" "$work/err"
capture "$galena" trace draw --from 5 --to 4 "$work/import.fst"
check "a stretch without a cycle is an error" [ "$status" = 2 ]
capture "$galena" trace draw --from 99999999999 "$work/import.fst"
check "so is one behind the end, which is named" sh -c '[ "$1" = 2 ] && grep -q "ends at cycle" "$2"' sh "$status" "$work/err"
capture "$galena" trace draw -o "$work/nowhere/x.svg" "$work/import.fst"
check "so is a picture that cannot be written" sh -c '[ "$1" = 2 ] && grep -q nowhere "$2"' sh "$status" "$work/err"
capture "$galena" trace draw "$work/import.events"
check "a file that is no waveform is an error" sh -c '[ "$1" = 3 ] && grep -q "no waveform" "$2"' sh "$status" "$work/err"
size=$(wc -c <"$work/import.fst")
for part in 3 9 27; do
	head -c $((size / part)) "$work/import.fst" >"$work/cut.fst"
	capture "$galena" trace draw -o "$work/cut.svg" "$work/cut.fst"
	check "a waveform cut to a ${part}th is drawn or refused" [ "$status" = 0 -o "$status" = 3 ]
done
finish
