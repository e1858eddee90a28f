#!/bin/sh
# The generators of SystemVerilog refuse a table that breaks a rule, with table, row and rule, and leave no file behind that looks whole.
. testbench/check.sh
tables=$work/abi
# generate GENERATOR: from the tables of this test
generate() {
	capture awk -v abi="$tables" -v abi_hash=0x1 -f abi/rows.awk -f rtl/sv.awk -f rtl/registers.awk -f "rtl/$1.awk"
}
# refused NAME GENERATOR TABLE MESSAGE SED...: the table, edited, gives the message with its file and line
refused() {
	name=$1 generator=$2 table=$3 message=$4
	shift 4
	rm -rf "$tables" && mkdir "$tables" && cp abi/*.def "$tables"
	sed "$@" "abi/$table" >"$tables/$table"
	check "$name: the table is another" sh -c '! cmp -s "$1" "$2"' sh "abi/$table" "$tables/$table"
	generate "$generator"
	check "$name: refused" [ "$status" = 1 ]
	check "$name: says table and row" sh -c 'printf %s "$1" | grep -qE "^$2.awk: .*/$3:[0-9]+: "' sh "$err" "$generator" "$table"
	check "$name: says the rule" has "$err" "$message"
	check "$name: does not end as a file does" sh -c '! printf %s "$1" | grep -qE "^end(package|module)"' sh "$out"
}
mkdir "$tables" && cp abi/*.def "$tables"
for generator in pkg regs; do
	generate $generator
	check "$generator from the tables as they are" [ "$status" = 0 -a -z "$err" ]
	cp "$work/out" "$work/first"
	generate $generator
	check "$generator is the same each time" cmp -s "$work/first" "$work/out"
done
reg=registers.def
for generator in pkg regs; do
	refused "$generator, access word" $generator $reg 'HOST.CP_ENTRY: unknown access of software "RX"' 's/\(HOST, CP_ENTRY,.*1, *\)RW/\1RX/'
done
refused "access word of a field" regs $reg 'HOST.CTRL.CP_RUN: unknown access of software "W"' 's/\(HOST, CTRL, CP_RUN,.*\)SAME/\1W/'
refused "access of the hardware" regs $reg 'HOST.CP_ENTRY: unknown access of the hardware "R"' 's/\(HOST, CP_ENTRY,.*RW, *\)RO/\1R/'
refused "effect" regs $reg 'HOST.CP_ENTRY: unknown effect "STROBE"' 's/\(HOST, CP_ENTRY,.*RO, *\)NONE/\1STROBE/'
refused "bank" regs $reg 'DMA.CP_ENTRY: unknown bank DMA' 's/HOST, CP_ENTRY/DMA, CP_ENTRY/'
refused "overlapping fields" regs $reg 'HOST.TLB_INV.SCOPE: overlaps ASID' 's/\(HOST, TLB_INV, SCOPE, *\)16/\115/'
refused "field beyond its register" regs $reg "HOST.TLB_INV.SCOPE: ends at bit 32, beyond the register's 32 bits" 's/\(HOST, TLB_INV, SCOPE, *\)16/\131/'
refused "field of no register" regs $reg 'HOST.TLB.SCOPE: there is no register HOST.TLB above it' 's/HOST, TLB_INV, SCOPE/HOST, TLB, SCOPE/'
refused "overlapping registers" regs $reg 'HOST.FW_BOOT: overlaps CP_ENTRY' 's/\(HOST, FW_BOOT, *\)0x0078/\10x0070/'
refused "offset" regs $reg 'HOST.FW_BOOT: offset 0x0084 is not a multiple of its 8 bytes' 's/\(HOST, FW_BOOT, *\)0x0078/\10x0084/'
refused "name twice" regs $reg 'HOST.CP_ENTRY: is there twice' 's/HOST, FW_BOOT/HOST, CP_ENTRY/'
refused "reset" regs $reg 'INJECT_NTH: unknown reset "ONE"' 's/\(HOST, INJECT_NTH,.*NONE, *\)1,/\1ONE,/'
refused "reset of no parameter" regs $reg 'LANES: reset: config.def has no parameter lane' 's/CONFIG(lanes)/CONFIG(lane)/'
refused "reset that does not fit" regs $reg 'does not fit into 32 bits' 's/\(HOST, INJECT_NTH,.*NONE, *\)1,/\10x100000000,/'
refused "a block is told that does not look" regs $reg 'HOST.FW_BOOT: tells of accesses a block that does not read it' 's/\(HOST, FW_BOOT,.*NONE, *\)NONE/\1WE/'
refused "a block writes that does not" regs $reg 'HOST.CP_ENTRY: is changed by a block that does not write it' 's/\(HOST, CP_ENTRY,.*RO, *\)NONE/\1HWSET/'
refused "doubled encoding" pkg isa.def 'the encodings of add and sub meet' 's/\(INSN(sub, *0xfe00707f, \)0x40000033/\10x00000033/'
refused "match beyond its mask" pkg isa.def 'has bits that mask' 's/\(INSN(add, *\)0xfe00707f, 0x00000033/\10x0000007f, 0x40000033/'
refused "fault code twice" pkg faults.def 'PAGE_WRITE has the value of PAGE_READ' 's/\(FAULT(PAGE_WRITE, *\)3/\12/'
refused "overlapping packet fields" pkg packets.def 'dispatch: kernarg and entry overlap' 's/\(PACKET_FIELD(dispatch, uint64_t, kernarg, *\)24/\120/'
refused "packet field beyond its end" pkg packets.def 'beyond its 512 bits' 's/\(PACKET_FIELD(dispatch, uint32_t, units, *\)60/\162/'
refused "unknown type" pkg records.def 'unknown type uint24_t' 's/RECORD_FIELD(queue_desc, uint32_t, asid/RECORD_FIELD(queue_desc, uint24_t, asid/'
finish
