#!/bin/sh
# docs/pictures.sh BUILD FOLDER [RECORDINGS]: draws the pictures of the manual pages into FOLDER: the layers and a launch's way from
# docs/*.txt, the states from the tables of the chapters, the waveforms from runs of the examples. What was recorded for the latter stays in RECORDINGS.
set -eu
galena=$(cd "$1" && pwd)/bin/galena examples=$(cd "$1" && pwd)/examples folder=$(cd "$2" && pwd)
work=${3:+$(cd "$3" && pwd)}
awk -f docs/layers.awk docs/layers.txt >"$folder/layers.svg"
awk -f docs/sequence.awk docs/launch.txt >"$folder/launch.svg"
for chapter in $(grep -l '^| *state.*| *event *| *next state' docs/hardware/*.md); do
	name=${chapter##*/}
	awk -f docs/states.awk "$chapter" >"$folder/states_${name%.md}.svg"
done
[ -n "$work" ] || { work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT; }
cd "$work"
# what the user has set is not the pictures' business
unset $(env | sed -n 's/^\(GALENA_[A-Z_]*\)=.*/\1/p')

# record PROGRAM OPTION...: its events and its waveform
record() {
	program=$1
	shift
	"$galena" run "$@" --events "$program.events" --wave "$program.fst" -- "$examples/$program" >/dev/null
	"$galena" trace dump "$program.events" >"$program.dump"
}
# cycle PATTERN: of the last event whose line has it
cycle() {
	awk -v pattern="$1" '$0 ~ pattern { cycle = $1 } END { if (cycle == "") exit 1; print cycle }' "$program.dump" ||
		{ echo "pictures: $program has no event $1" >&2; exit 1; }
}

# docs/import.md: from the end of the command before the import of the dma-buf to the kernel's first work-groups
record import --config mini,coherent=0 --devices 1
mark=$(cycle 'driver pin .* page 0xc000000000')
"$galena" trace draw --title "examples/import: a dma-buf is imported, and read by a kernel" --from $((mark - 9452)) --to $((mark + 30548)) --mark "$mark" \
	--signals host.irq_line,host.mmio_write,host.mmio_offset,mmu.invalidate,queue0.doorbell,queue0.state,queue0.packet,queue0.packet_type,dma0.busy,l2.maintain,mmu.tlb_unit,mmu.tlb_fill,mmu.tlb_va,cu.groups,cu.read,cu.va,cu.write,l2.line_fill,l2.line_pa \
	-o "$folder/import.svg" "$program.fst"

# docs/hardware.md, Resolving a fault and replaying
record bringup
from=$(cycle 'dma-start .* bytes 8192')
to=$(cycle 'dma-end .* bytes 8192')
"$galena" trace draw --title "examples/bringup: a copy whose second page comes late" --from $((from - 200)) --to $((to + 300)) \
	--signals host.irq_line,host.irq_status,host.mmio_write,cp.state,queue0.state,queue0.packet_type,queue0.active,dma0.busy,dma0.beat,dma0.src,dma0.dst,dma0.moved,dma0.fault,dma0.fault_va,mmu.walk,mmu.walk_va,mmu.level,mmu.pte,mmu.walk_pa,mmu.walk_fault,mmu.tlb_fill \
	-o "$folder/waveform.svg" "$program.fst"
