#!/bin/sh
# The checks of the abi tables: one error of each kind, planted in a copy of them, is found, with its row and the rule that it breaks.
# And the hash of the contract: a change of meaning changes it, a change of words does not.
. testbench/check.sh
tables=$work/abi
checks() { awk -f abi/rows.awk -f abi/check.awk "$tables"/*.def; }
# planted NAME FILE SED MESSAGE: the message is one of the findings, and names file and line
planted() {
	rm -rf "$tables" && mkdir "$tables" && cp abi/*.def "$tables"
	sed -i "$3" "$tables/$2"
	check "$1: the error is planted" test "$(cmp -s "abi/$2" "$tables/$2"; echo $?)" = 1
	capture checks
	check "$1: is refused" [ "$status" = 1 ]
	check "$1: says so" has "$err" "$4"
	check "$1: says where" has "$err" "$tables/$2:"
}
mkdir "$tables" && cp abi/*.def "$tables"
capture checks
check "the tables are right" [ "$status" = 0 ]
check "nothing is said of them" [ -z "$out$err" ]

planted "registers that overlap" registers.def 's/^REG(HOST, VERSION,  *0x0004/REG(HOST, VERSION, 0x0000/' \
	'HOST.VERSION: overlaps HOST.ID: no two of bank HOST share bytes'
planted "elements that overlap a register" registers.def 's/^\(REG(HOST, DOORBELL, *0x1000, 64, \)16/\117/' \
	'HOST.QUEUE_DESC: overlaps HOST.DOORBELL'
planted "a register that is not aligned" registers.def 's/^REG(HOST, CYCLE, *0x0048/REG(HOST, CYCLE, 0x005c/' \
	'HOST.CYCLE: the offset 0x005c is no multiple of its 8 bytes'
planted "a register outside of its bank" registers.def 's/^REG(HOST, CNT_MEDIA_BUSY, *0x20e8/REG(HOST, CNT_MEDIA_BUSY, 0x10000/' \
	'HOST.CNT_MEDIA_BUSY: bytes 65536 to 65543 lie outside of bank HOST'
planted "a second register of one name" registers.def 's/^REG(HOST, LANES,/REG(HOST, NUM_CU,/' 'register HOST.NUM_CU: a second row with this name'
planted "an access that is none" registers.def 's/^\(REG(HOST, IRQ_STATUS, .*\)RW1C,/\1W1C,/' 'HOST.IRQ_STATUS: the access W1C is none of: RO RW RW1C RW1S WO'
planted "an effect that is none" registers.def 's/HWSET|RE,/HWSET|RC,/' 'HOST.IRQ_STATUS: the effect RC is none of:'
planted "a field outside of its register" registers.def 's/^FIELD(HOST, IRQ_ENABLE, MASK,  *0,  *8/FIELD(HOST, IRQ_ENABLE, MASK, 30, 3/' \
	'HOST.IRQ_ENABLE.MASK: bits 30 to 32 lie outside of HOST.IRQ_ENABLE, which has 0 to 31'
planted "fields that overlap" registers.def 's/^FIELD(HOST, TLB_INV, SCOPE, *16/FIELD(HOST, TLB_INV, SCOPE, 15/' \
	'HOST.TLB_INV.SCOPE: overlaps HOST.TLB_INV.ASID: no two of HOST.TLB_INV share bits'
planted "a field of no register" registers.def 's/^FIELD(HOST, CACHE,/FIELD(HOST, CASH,/' 'HOST.CASH.OP: there is no register HOST.CASH above'
planted "a port of no direction" ports.def 's/^PORT_BEGIN(sem, arm, IN/PORT_BEGIN(sem, arm, INTO/' 'sem.arm: the direction INTO is none of: IN OUT PART'
planted "a port without a flow" ports.def 's/^PORT_BEGIN(sem, arm, IN, READY/PORT_BEGIN(sem, arm, IN, NONE/' 'sem.arm: the flow NONE is none of: PULSE READY LEVEL'
planted "a second port of one name" ports.def 's/^PORT_BEGIN(sem, store,/PORT_BEGIN(sem, arm,/' 'port sem.arm: a second row with this name'
planted "a field of another port" ports.def 's/^PORT_FIELD(sem, notify,/PORT_FIELD(sem, store,/' 'sem.store.address: stands in port sem.notify'
planted "a field without a width" ports.def 's/^\(PORT_FIELD(sem, notify, uint64_t, address, \)64/\10/' 'sem.notify.address: the type uint64_t has no width'
planted "a reset value of no parameter" registers.def 's/CONFIG(lanes)/CONFIG(wings)/' 'HOST.LANES: CONFIG(wings) is no parameter of config.def'
planted "a reset value that does not fit" registers.def 's/^\(FIELD(HOST, VERSION, MAJOR, .*\)SAME, 1,/\1SAME, 65536,/' \
	'HOST.VERSION.MAJOR: the reset value 65536 has more than 16 bits'
planted "a reset value beside those of fields" registers.def 's/^\(REG(HOST, CTRL, .*\)FIELDS/\10/' 'HOST.CTRL: has fields: its reset value is FIELDS'
planted "equal values" values.def 's/^VALUE(queue_state, PARKED, *3/VALUE(queue_state, PARKED, 2/' \
	'queue_state PARKED: has the value of RUNNING: values of an enumeration differ'
planted "a flag of two bits" values.def 's/^FLAG(packet_flags, PROTECTED, *4/FLAG(packet_flags, PROTECTED, 6/' 'packet_flags PROTECTED: the flag 6 is not one bit'
planted "equal flags" values.def 's/^FLAG(packet_flags, PATIENT, *8/FLAG(packet_flags, PATIENT, 1/' 'packet_flags PATIENT: has the value of END'
planted "a type that is none" values.def 's/^HOLDS(CACHE, OP, cache_op)/HOLDS(CACHE, OP, cash_op)/' 'CACHE: holds cash_op, which is no type'
planted "a register that holds a type, and is none" values.def 's/^HOLDS(CACHE, OP,/HOLDS(CACHE, OPS,/' 'CACHE.OPS: there is no such register or field'
planted "equal fault codes" faults.def 's/^FAULT(PAGE_WRITE, *3/FAULT(PAGE_WRITE, 2/' 'fault PAGE_WRITE: has the value of PAGE_READ'
planted "equal units" units.def 's/^UNIT(MMU, *3/UNIT(MMU, 2/' 'unit MMU: has the value of MEDIA'
planted "equal CSRs" csr.def 's/0xccd/0xccb/' 'csr cu_id: has the value of subgroup_id'
planted "equal injections" injections.def 's/^INJECTION(DMA_STALL, *6/INJECTION(DMA_STALL, 5/' 'injection DMA_STALL: has the value of WALK_ERROR'
planted "equal events" events.def 's/^EVENT(MAP, *3/EVENT(MAP, 2/' 'event MAP: has the value of UNPIN'
planted "equal trace records" trace_records.def 's/^TRACE_RECORD(WAIT, *6/TRACE_RECORD(WAIT, 5/' 'trace record WAIT: has the value of WRITE64'
planted "equal packet types" packets.def 's/^PACKET_BEGIN(fill, 3/PACKET_BEGIN(fill, 2/' 'packet fill: has the value of copy'
planted "packet fields that overlap" packets.def 's/^\(PACKET_FIELD(fill, uint64_t, dst, *\)24/\120/' \
	'packet fill.dst: overlaps packet fill.pattern: no two of packet fill share bytes'
planted "a packet field outside" packets.def 's/^\(PACKET_ARRAY(jpeg, uint64_t, reserved1, \)5/\16/' 'packet jpeg.reserved1: bytes 24 to 71 lie outside of packet jpeg, which has 16 to 63'
planted "record fields that overlap" records.def 's/^\(RECORD_FIELD(completion, uint64_t, start, *\)8/\14/' 'completion.start: overlaps completion.submit'
planted "a record field outside" records.def 's/^\(RECORD_FIELD(completion, uint32_t, done, *\)28/\130/' 'completion.done: bytes 30 to 33 lie outside of completion, which has 0 to 31'
planted "a record of two sizes" records.def 's/^RECORD_END(completion, 32)/RECORD_END(completion, 40)/' 'completion: ends with 40 bytes and begins with 32'
planted "a field of an unknown type" media.def 's/struct media_huffman, ac/struct media_hoffman, ac/' 'the type media_hoffman is no integer and no record above'
planted "fields of a word that overlap" words.def 's/^WORD_FIELD(PTE, PPN, *10/WORD_FIELD(PTE, PPN, 9/' 'PTE.PPN: overlaps PTE.PROTECTED: no two of word PTE share bits'
planted "a field outside of a word" words.def 's/^WORD_FIELD(PTE, RESERVED, *54, 10/WORD_FIELD(PTE, RESERVED, 54, 11/' 'PTE.RESERVED: bits 54 to 64 lie outside of word PTE'
planted "encodings that overlap" isa.def 's/^INSN(sub, *0xfe00707f, 0x40000033/INSN(sub, 0xbe00707f, 0x00000033/' \
	'instruction sub: a word can be this one and add: encodings do not overlap'
planted "one encoding twice" isa.def 's/^\(INSN(sg_ballot, *0xfff0707f, \)0x0000300b/\10x60001013/' 'instruction sg_ballot: a word can be this one and clz'
planted "a match outside of its mask" isa.def 's/^\(INSN(lui, *0x0000007f, 0x000000\)37/\1b7/' 'instruction lui: match has bits that mask does not have'
planted "an instruction twice" isa.def 's/^INSN(orn,/INSN(andn,/' 'instruction andn: a second row with this name'
planted "a configuration outside of its limits" config.def 's/^PARAM(num_cu, *4,/PARAM(num_cu, 17,/' 'num_cu: 17 is not from 1 to 16'
planted "a configuration that is no power of two" config.def 's/^PARAM(lanes, *32,/PARAM(lanes, 24,/' 'lanes: 24 is no power of two'
planted "a relation of no parameter" config.def 's/CONFIG(line_bytes))$/CONFIG(line_byte))/' 'CONFIG(line_byte) is no parameter of config.def'
planted "a constant twice" constants.def 's/^CONSTANT(HOST_WAITS,/CONSTANT(REG_QUEUES,/' 'constant REG_QUEUES: a second row with this name'
planted "a window twice" address_map.def 's/^WINDOW(VA_SVM,/WINDOW(VA_HEAP,/' 'window VA_HEAP: a second row with this name'

# the build checks before it compiles, and an instruction that no executor has does not compile
capture make -n V=1 "BUILD=$work/build" "$work/build/obj/abi/abi.o"
check "the tables are checked before anything is compiled" has "${out%%-c -o*}" "abi/check.awk"
rm -rf "$tables" && mkdir "$tables" && cp abi/*.def "$tables"
gen=${GALENA_BUILD:-build}/gen
executor() { ${CC:-gcc} -std=gnu11 -fsyntax-only "-I$work" -I. "-I$gen" model/engine/exec_portable.c; }
capture executor
check "every instruction of the table has a handler" [ "$status" = 0 ]
echo 'INSN(zork, 0xfe00707f, 0x7e00707f, R, ALU, "zork")' >>"$tables/isa.def"
capture executor
check "an instruction without a handler is not compiled" [ "$status" != 0 ]
check "the compiler names it" has "$err" HANDLES_zork

# ---- the hash ----
meaning() { awk -f abi/rows.awk -f abi/meaning.awk $(ls "$tables"/*.def | grep -v "environment.def\|ports.def") | sha256sum | cut -c 1-16; }
fresh() { rm -rf "$tables" && mkdir "$tables" && cp abi/*.def "$tables"; }
fresh
before=$(meaning)
check "the hash of the build is that of the tables" grep -q "GALENA_ABI_HASH 0x${before}ull" "$gen/abi_hash.h"
for f in "$tables"/*.def; do
	case ${f##*/} in environment.def | ports.def) continue ;; esac
	sed -i 's/")$/, in other words")/' "$f"
	check "${f##*/}: descriptions leave the hash" [ "$(meaning)" = "$before" ]
	check "${f##*/}: has descriptions" grep -q 'in other words' "$f"
	sed -i -e 's/^\([A-Z_]*(.*\), /\1,    /' -e 's/^\([A-Z_]*(\)/\1  /' "$f"
	check "${f##*/}: blanks leave the hash" [ "$(meaning)" = "$before" ]
	sed -i '1s|^|/* a remark */\n|' "$f"
	check "${f##*/}: comments leave the hash" [ "$(meaning)" = "$before" ]
done
# means WHAT FILE SED: the change changes the hash
means() {
	fresh
	sed -i "$3" "$tables/$2"
	check "$1 is changed" test "$(cmp -s "abi/$2" "$tables/$2"; echo $?)" = 1
	check "$1 is part of the hash" [ "$(meaning)" != "$before" ]
}
means "the name of a register" registers.def 's/^REG(HOST, LANES,/REG(HOST, LINES,/'
means "its offset" registers.def 's/0x0018, 32/0x001c, 32/'
means "its width" registers.def 's/0x0018, 32/0x0018, 64/'
means "its count" registers.def 's/^\(REG(HOST, PROT_BASE, .*\)64, 8/\164, 4/'
means "the access of software" registers.def 's/^\(REG(HOST, LANES, .*\) RO, /\1 RW, /'
means "the access of hardware" registers.def 's/^\(REG(HOST, IRQ_STATUS, .*RW1C, *\)RW,/\1WO,/'
means "an effect" registers.def 's/HWSET|RE,/HWSET,/'
means "where a reset value comes from" registers.def 's/CONFIG(lanes)/CONFIG(num_cu)/'
means "the place of a field" registers.def 's/^\(FIELD(HOST, STATUS, LOST, *\)3,/\14,/'
means "the access of a field" registers.def 's/^\(FIELD(HOST, CTRL, RESET, .*\)WO,/\1SAME,/'
means "the reset value of a field" registers.def 's/^\(FIELD(HOST, FEATURES, MEDIA, .*\)SAME, 1,/\1SAME, 0,/'
means "a value" values.def 's/^VALUE(access, ATOMIC, 3/VALUE(access, ATOMIC, 4/'
means "the name of a value" values.def 's/^VALUE(access, ATOMIC/VALUE(access, AMO/'
means "a flag" values.def 's/^FLAG(packet_flags, PATIENT, *8/FLAG(packet_flags, PATIENT, 16/'
means "what a register holds" values.def 's/^HOLDS(CACHE, OP, cache_op)/HOLDS(CACHE, OP, access)/'
means "a fault code" faults.def 's/^FAULT(BAD_STREAM, *23/FAULT(BAD_STREAM, 24/'
means "a unit" units.def 's/^UNIT(MEDIA, 2/UNIT(MEDIA, 7/'
means "a CSR" csr.def 's/0xcce/0xccf/'
means "an injection" injections.def 's/^INJECTION(SEM_LOST, *11/INJECTION(SEM_LOST, 16/'
means "an event" events.def 's/^EVENT(MAP, *3/EVENT(MAP, 250/'
means "a word of an event" events.def 's/"flags:buffer_flags"/"flags:bits"/'
means "a trace record" trace_records.def 's/^TRACE_RECORD(CLOSE, *10/TRACE_RECORD(CLOSE, 20/'
means "a count of profiles" profile.def 's/"l1_hit"/"l1_hits"/'
means "a packet type" packets.def 's/^PACKET_BEGIN(jpeg, 9/PACKET_BEGIN(jpeg, 10/'
means "a type in a packet" packets.def 's/^PACKET_FIELD(dispatch, uint64_t, entry/PACKET_FIELD(dispatch, int64_t, entry/'
means "an offset in a record" records.def 's/^\(RECORD_FIELD(completion, uint32_t, done, *\)28/\124/'
means "a count in a record" media.def 's/^\(RECORD_ARRAY(media_huffman, uint8_t, symbols, \)256/\1255/'
means "a word of memory" words.def 's/^WORD_FIELD(PTE, UNCACHED, *8/WORD_FIELD(PTE, UNCACHED, 60/'
means "an encoding" isa.def 's/^INSN(orn, *0xfe00707f, 0x40006033/INSN(orn, 0xfe00707f, 0x60006033/'
means "the class of an instruction" isa.def 's/^\(INSN(mul, .*\)MUL,/\1ALU,/'
means "a parameter" config.def 's/^PARAM(num_cu, *4,/PARAM(num_cu, 5,/'
means "the limit of a parameter" config.def 's/^\(PARAM(num_cu, .* \)16,/\117,/'
means "the rule of a parameter" config.def 's/^\(PARAM(lanes, .*\)POWER,/\1ANY,/'
means "a relation of parameters" config.def 's/<= CONFIG(warps_per_cu) \*/<= CONFIG(num_cu) */'
means "a number of the architecture" constants.def 's/^CONSTANT(PT_LEVELS, *4/CONSTANT(PT_LEVELS, 5/'
means "a window" address_map.def 's/^WINDOW(VA_LOCAL, *VIRT, 0x00005/WINDOW(VA_LOCAL, VIRT, 0x00007/'
finish
