#!/bin/sh
# What is made in SystemVerilog has nothing that Verilator warns of, in either configuration; what is waived has its reason above it.
build=${GALENA_BUILD:-build}
. testbench/check.sh
VERILATOR=${VERILATOR:-verilator}
pkg=$build/gen/galena_pkg.sv regs=$build/gen/galena_regs.sv
fpu="rtl/cu/fpu_pkg.sv $(ls rtl/cu/fpu*.sv rtl/cu/fdiv*.sv | grep -v _pkg)"
silent() { capture "$@"; [ $status = 0 ] && [ -z "$out$err" ]; }
# yosys_reads QUIET UNIT FILE...: QUIET -q: without a warning, -qq: warnings that arrays become registers are no matter
yosys_reads() {
	quiet=$1 unit=$2
	shift 2
	if command -v "${YOSYS:-yosys}" >/dev/null; then
		check "yosys reads $unit" silent "${YOSYS:-yosys}" $quiet -p "read_verilog -sv $*; hierarchy -check -top $unit; proc; check -assert"
	else
		echo "# skip whether yosys reads $unit: there is no yosys; Debian's package has it"
	fi
}
check "the package alone" silent $VERILATOR --lint-only -Wall "$pkg"
for define in GALENA_CONFIG_MINI GALENA_CONFIG_FULL; do
	check "the register block, $define" silent $VERILATOR --lint-only -Wall "+define+$define" --top galena_regs "$pkg" rtl/galena_reg.sv "$regs"
	check "the floating-point units, $define" silent $VERILATOR --lint-only -Wall --assert "+define+$define" --top fpu_lane "$pkg" $fpu
done
for unit in fpu fdiv; do
	for latency in 0 1 2 3 4 60; do
		check "$unit that takes $latency cycles" silent $VERILATOR --lint-only -Wall --assert -GLatency=$latency --top $unit "$pkg" $fpu
	done
done
for unit in fpu fdiv; do
	yosys_reads -q $unit $(echo $fpu | sed 's|[^ ]*fpu_lane.sv||')
done
for unit in tlb walker; do
	yosys_reads -qq $unit rtl/mmu/mmu_pkg.sv rtl/mmu/$unit.sv
done
for coalescer in "4 64" "32 128" "1 32" "32 32" "8 256"; do # lanes, bytes of a line
	set -- $coalescer
	check "a coalescer of $1 lanes, lines of $2 bytes" silent $VERILATOR --lint-only -Wall --assert "-GLanes=$1" "-GLineBytes=$2" --top coalescer rtl/cu/coalescer.sv
done
for lds in "4 4" "32 32" "1 1" "8 1" "16 64"; do # lanes, banks
	set -- $lds
	check "local memory of $1 lanes, $2 banks" silent $VERILATOR --lint-only -Wall --assert "-GLanes=$1" "-GBanks=$2" --top lds rtl/cu/lds.sv
done
for unit in coalescer lds; do
	yosys_reads -qq $unit rtl/cu/$unit.sv
done
for tlb in "4 0 0" "8 0 0" "64 0 0" "4 1 1" "32 1 1" "8 0 1" "1024 0 1"; do # entries, of 2 MiB, by set
	set -- $tlb
	check "a TLB of $1 entries$([ $2 = 0 ] || echo " of 2 MiB")$([ $3 = 0 ] || echo ", invalidated set by set")" silent $VERILATOR --lint-only -Wall --assert \
		"-GEntries=$1" "-GHuge=1'b$2" "-GBySet=1'b$3" --top tlb rtl/mmu/mmu_pkg.sv rtl/mmu/tlb.sv
done
# types of the package, which yosys does not read as a whole
types=$work/types.sv
awk '
	/^  typedef (enum|struct)/ { text = ""; inside = 1 }
	inside { text = text $0 "\n" }
	/^  }/ && inside { inside = 0; if ($2 ~ /^(fault_e|access_e|sem_mode_e|insn_class_e|(sem|prot|scheduler|scoreboard|divergence|icache)_.*_t|(host_irq|cp_irq|cp_host_irq).*_t|cp_state_e|cp_(control|fail|irq|crash)_t|(regs2hw|hw2regs)_(host_irq|host_doorbell|host_queue|cp_irq|cp_host_irq|cp_timer|cp_sem_woken|cp_[a-z]*_(pending|done)).*_t);$/) print text }
	/^  parameter .* (Window(Dram|System)Base|WindowCpMmio(Base|Size)|CpStoreBuffer) = / { print }
	BEGIN { print "package galena_pkg;" }
	END { print "endpackage" }' "$pkg" >"$types"
for module in sem/sem prot/protection irq/irq; do
	unit=${module#*/}
	check "$unit" silent $VERILATOR --lint-only -Wall --assert --top $unit "$pkg" rtl/$module.sv
	yosys_reads -q $unit "$types" rtl/$module.sv
done
cp="rtl/cp/cp_pkg.sv $(ls rtl/cp/*.sv | grep -v _pkg)"
check "the command processor" silent $VERILATOR --lint-only -Wall --assert --top cp "$pkg" $cp
yosys_reads -qq cp "$types" $(echo $cp)
for unit in scheduler scoreboard; do
	for warps in 1 4 5 16; do
		check "a $unit of $warps warps" silent $VERILATOR --lint-only -Wall --assert -GWarps=$warps --top $unit "$pkg" rtl/cu/$unit.sv
	done
	yosys_reads -qq $unit "$types" rtl/cu/$unit.sv
done
for lanes in 1 2 4 32; do
	check "the divergence of a warp of $lanes lanes" silent $VERILATOR --lint-only -Wall --assert -GLanes=$lanes --top divergence "$pkg" rtl/cu/divergence.sv
done
check "a count of rotations that begins anew" silent $VERILATOR --lint-only -Wall --assert -GLanes=8 -GRotationBits=3 --top divergence "$pkg" rtl/cu/divergence.sv
yosys_reads -qq divergence "$types" rtl/cu/divergence.sv
for icache in "4 8 2 64 28" "16 32 8 128 28" "5 2 4 32 0" "1 1 1 256 1" "3 2 16 64 3"; do # warps, sets, ways, bytes of a line, latency of the L1 cache
	set -- $icache
	check "an instruction cache of $1 warps, $2 sets, $3 ways, lines of $4 bytes" silent $VERILATOR --lint-only -Wall --assert \
		"-GWarps=$1" "-GSets=$2" "-GWays=$3" "-GLineBytes=$4" "-GL1Latency=$5" --top icache "$pkg" rtl/cu/icache.sv
done
yosys_reads -qq icache "$types" rtl/cu/icache.sv
for l1 in "4 8 2 64 28 0" "4 8 2 64 28 1" "32 32 8 128 28 1" "32 2 16 32 3 1" "1 1 1 256 0 1" "8 1 4 128 1 0"; do # lanes, sets, ways, bytes of a line, latency, whether it has data
	set -- $l1
	check "an L1 data cache of $1 lanes, $2 sets, $3 ways, lines of $4 bytes$([ $6 = 0 ] || echo " with data")" silent $VERILATOR --lint-only -Wall --assert \
		"-GLanes=$1" "-GSets=$2" "-GWays=$3" "-GLineBytes=$4" "-GL1Latency=$5" "-GL1Data=1'b$6" --top l1 "$pkg" rtl/cu/l1.sv
done
yosys_reads -qq l1 "$types" rtl/cu/l1.sv
for lsu in "4 4 20 16" "16 32 20 32" "5 8 0 2" "1 1 3 64"; do # warps, lanes, latency of local memory, accesses
	set -- $lsu
	check "a load-store unit of $1 warps of $2 lanes, local memory that takes $3 cycles" silent $VERILATOR --lint-only -Wall --assert \
		"-GWarps=$1" "-GLanes=$2" "-GLdsLatency=$3" "-GAccesses=$4" --top lsu rtl/cu/lsu.sv
done
yosys_reads -qq lsu rtl/cu/lsu.sv
check "a scoreboard of other latencies" silent $VERILATOR --lint-only -Wall --assert -GAluLatency=2 -GMulLatency=1 -GFpuLatency=0 -GDivLatency=60 -GSgLatency=2 \
	--top scoreboard "$pkg" rtl/cu/scoreboard.sv
for walkers in 1 2 4 16; do
	check "walkers that have $walkers walks" silent $VERILATOR --lint-only -Wall --assert -GWalkers=$walkers --top walker rtl/mmu/mmu_pkg.sv rtl/mmu/walker.sv
done
check "walkers with lines of 256 bytes" silent $VERILATOR --lint-only -Wall --assert -GLineBytes=256 --top walker rtl/mmu/mmu_pkg.sv rtl/mmu/walker.sv
# a module that is told its configuration, and uses what the package has of packets and instructions
cat >"$work/user.sv" <<'SV'
module user
  import galena_pkg::*;
(
  input  logic [31:0] insn_i,
  input  packet_t     packet_i,
  output op_e         op_o,
  output insn_class_e class_o,
  output logic        is_copy_o,
  output logic        in_dram_o
);
  localparam config_t Config = ConfigFull;
  assign op_o = decode(insn_i);
  assign class_o = op_class(op_o);
  assign is_copy_o = packet_i.copy.head.type_ == PacketCopy;
  assign in_dram_o = packet_i.copy.src >= WindowDramBase && packet_i.copy.src - WindowDramBase < 64'(Config.dram_mib) << 20;
  logic unused;
  assign unused = ^packet_i;
  localparam config_t Odd = '{lanes: 32'd3, default: 32'd1};
  if (!config_valid(ConfigFull) || !config_valid(ConfigMini) || config_valid(Odd)) $error("configurations");
  if (InsnAddMatch != 32'h33 || PacketSize * 8 != $bits(packet_t) || $bits(queue_desc_t) != 640) $error("sizes");
  localparam pte_t Pte = 64'h0000_0000_1000_00ff;
  if (Pte.ppn != 44'h40000 || !Pte.d || Pte.uncached) $error("fields of a word");
endmodule
SV
check "a module that takes a configuration" silent $VERILATOR --lint-only -Wall --top user "$pkg" "$work/user.sv"
# it can find something
sed 's/\[63:0\] wdata;/[62:0] wdata;/' "$regs" >"$work/galena_regs.sv"
capture $VERILATOR --lint-only -Wall --top galena_regs "$pkg" rtl/galena_reg.sv "$work/galena_regs.sv"
check "a signal that is a bit short is warned of" has "$err" Warning-WIDTH
sed "s/parameter config_t Config = ConfigDefault/parameter config_t Config = '{lanes: 32'd3, default: 32'd1}/" "$regs" >"$work/galena_regs.sv"
capture $VERILATOR --lint-only --top galena_regs "$pkg" rtl/galena_reg.sv "$work/galena_regs.sv"
check "a configuration that no device can have is refused" has "$err" "Config is none that a device can have"
waived=$(grep -h -B1 'verilator lint_off' "$pkg" "$regs" rtl/*.sv rtl/*/*.sv | grep -v '^--$')
check "one waiver, which says why" [ "$(echo "$waived" | grep -c lint_off)" = 1 ]
check "its reason is above it" has "$waived" "// The parameters of a package are for the modules that take it in"
finish
