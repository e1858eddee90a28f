# Makes galena_regs.sv, the register block, from the abi tables.
#   awk -f abi/rows.awk -f rtl/sv.awk -f rtl/registers.awk -f rtl/regs.awk
# With -v ports=1 the list of its ports for C instead: PORTS(OUT(register), IN(register)) for each row of the table, NONE where there is none.
function header(    r, m) {
	print "// The register block: decoding, storage and access rules as abi/registers.def says. Made by rtl/regs.awk;"
	print "// docs/rtl.md has the conventions of its ports."
	print "module galena_regs"
	print "  import galena_pkg::*;"
	print "#("
	print "  parameter config_t Config = ConfigDefault"
	print ") ("
	print "  input  logic        clk_i,"
	print "  input  logic        rst_ni,"
	print "  input  logic [31:0] device_index_i,"
	print "  // An access of a master: 0 the host, 1 the command processor. It stands until it is ready, and is done in that cycle."
	print "  input  logic        req_valid_i,"
	print "  output logic        req_ready_o,"
	print "  input  logic        req_master_i,"
	print "  input  logic        req_write_i,"
	print "  input  logic [31:0] req_addr_i,"
	print "  // log2 of its bytes"
	print "  input  logic [1:0]  req_size_i,"
	print "  input  logic [63:0] req_wdata_i,"
	print "  // In the cycle after: what was read, and whether a part of the access met no register."
	print "  output logic        rsp_valid_o,"
	print "  output logic [63:0] rsp_rdata_o,"
	print "  output logic        rsp_error_o,"
	print "  // The hardware's side: whose access the strobes are of, and what each register has for its block and of it."
	printf "  output logic        req_master_o"
	for (r = 1; r <= n_regs; r++) {
		if (out_members(r, m)) printf ",\n  output regs2hw_%s_t%s %s_o", reg_signal[r], range(r), reg_signal[r]
		if (in_members(r, m)) printf ",\n  input  hw2regs_%s_t%s %s_i", reg_signal[r], range(r), reg_signal[r]
	}
	print ""
	print ");"
	print "  if (!config_valid(Config)) begin : gen_config_invalid"
	print "    $error(\"galena_regs: Config is none that a device can have: see the limits in abi/config.def\");"
	print "  end"
	print ""
	print "  // ---- the access: a row of 8 bytes, of which it takes the low half, the high half or both ----"
	print "  logic        fits, low, high, reads, writes, waits, done;"
	print "  logic [13:0] row;"
	print "  logic [63:0] wdata;"
	print "  // Bank CP, at 0x10000, is the command processor's alone. What is beyond the banks or not aligned meets no register."
	print "  assign fits = req_addr_i[31:17] == '0 && (req_master_i || !req_addr_i[16]) &&"
	print "      (req_size_i == 2'd2 ? req_addr_i[1:0] == '0 : req_size_i == 2'd3 && req_addr_i[2:0] == '0);"
	print "  assign row    = req_addr_i[16:3];"
	print "  assign low    = fits && (req_size_i[0] || !req_addr_i[2]);"
	print "  assign high   = fits && (req_size_i[0] || req_addr_i[2]);"
	print "  assign wdata  = {req_size_i[0] ? req_wdata_i[63:32] : req_wdata_i[31:0], req_wdata_i[31:0]};"
	print "  assign done   = req_valid_i && !waits;"
	print "  assign reads  = req_valid_i && !req_write_i;"
	print "  assign writes = req_valid_i && req_write_i;"
	print "  assign req_ready_o = !waits;"
	print ""
	print "  // The high half of the last low half that each master has read of a 64-bit register, and its row."
	print "  logic [1:0]       kept_valid_q;"
	print "  logic [1:0][13:0] kept_row_q;"
	print "  logic [1:0][31:0] kept_high_q;"
	print "  logic             kept;"
	print "  assign kept = kept_valid_q[req_master_i] && kept_row_q[req_master_i] == row && high && !low;"
	print ""
	print "  // What is at the row: 32 bits at the low half, at the high half, or 64 bits."
	print "  logic        met_low, met_high, met_wide;"
	print "  logic [63:0] found;"
}
function port(r, name) { return reg_signal[r] "_" name }
function at(r, name, i) { return port(r, name) "[" i "]" }
function row_of(r, i) { return (reg_bank[r] == "CP" ? 8192 : 0) + int((reg_offset[r] + i * reg_bits[r] / 8) / 8) }
function is_high(r, i) { return reg_bits[r] == 32 && (reg_offset[r] / 4 + i) % 2 }
function half_of(r, i) { return is_high(r, i) ? "high" : "low" }
function range(r) { return reg_count[r] > 1 ? " [" reg_count[r] - 1 ":0]" : "" }
# A member of an element on the hardware's side.
function member(side, r, i, name) { return port(r, side) (reg_count[r] > 1 ? "[" i "]" : "") "." name }
function has_input(r, name,    m, k) {
	for (k = in_members(r, m); k; k--) if (m[k] == name) return 1
	return 0
}
# The signal of an instance's input: what the hardware's side has of all elements, or nothing.
function input(r, name, type,    i) {
	if (!has_input(r, name)) { inputs = inputs "    ." name "_i('0),\n"; return }
	print "  " type " " port(r, name) ";"
	for (i = 0; i < reg_count[r]; i++) print "  assign " at(r, name, i) " = " member("i", r, i, name) ";"
	inputs = inputs "    ." name "_i(" port(r, name) "),\n"
}
function written(r, i) { return reg_bits[r] == 64 ? "wdata" : is_high(r, i) ? "wdata[63:32]" : "wdata[31:0]" }
function signals(r,    n, vectors, i) {
	n = reg_count[r]
	vectors = "logic [" n - 1 ":0]"
	print ""
	print "  // " reg_bank[r] "." reg_name[r] ": " sprintf("0x%04x", reg_offset[r]) ", " reg_sw[r] ", " reg_hw[r] ", " reg_effects[r]
	print "  " vectors " " port(r, "hit") ";"
	print "  " vectors "[" reg_bits[r] - 1 ":0] " port(r, "value") ";"
	for (i = 0; i < n; i++) print "  assign " at(r, "hit", i) " = row == 14'd" row_of(r, i) ";"
	if (stored(r)) storage(r, n, vectors)
	if (has(r, "RE")) read_strobe(r, n, vectors)
	for (i = 0; i < n; i++) {
		print "  assign " at(r, "value", i) " = " shown(r, i) ";"
		if (hw_reads(r)) print "  assign " member("o", r, i, "q") " = " (stored(r) ? at(r, "q", i) : at(r, "value", i)) ";"
		if (has(r, "WE")) print "  assign " member("o", r, i, "qe") " = " at(r, "qe", i) ";"
		if (has(r, "RE")) print "  assign " member("o", r, i, "re") " = " at(r, "re", i) ";"
	}
}
# What a read shows of an element.
function shown(r, i) {
	if (constant(r)) return reset_of(r)
	if (has(r, "EXT")) return member("i", r, i, "d") " & " mask_of(r, "")
	return at(r, "q", i) (mask_of(r, "WO") ~ /'h0$/ ? "" : " & ~" mask_of(r, "WO"))
}
function storage(r, n, vectors,    i, locked) {
	print "  " vectors "[" reg_bits[r] - 1 ":0] " port(r, "q") ";"
	print "  " vectors " " port(r, "we_low") ", " port(r, "we_high") ", " port(r, "qe") ";"
	print "  " vectors "[" reg_bits[r] - 1 ":0] " port(r, "wd") ";"
	locked = has(r, "LOCK") ? " && !host_prot_ctrl_q[0][0]" : ""
	for (i = 0; i < n; i++) {
		print "  assign " at(r, "we_low", i) " = " (writable(r) && reg_bits[r] == 64 ? "writes && low && " at(r, "hit", i) locked : "1'b0") ";"
		print "  assign " at(r, "we_high", i) " = " (writable(r) ? "writes && " (reg_bits[r] == 64 ? "high" : half_of(r, i)) " && " at(r, "hit", i) locked : "1'b0") ";"
		print "  assign " at(r, "wd", i) " = " (writable(r) ? written(r, i) : "'0") ";"
	}
	inputs = ""
	input(r, "de", vectors)
	input(r, "d", vectors "[" reg_bits[r] - 1 ":0]")
	input(r, "hwset", vectors "[" reg_bits[r] - 1 ":0]")
	input(r, "hwclr", vectors "[" reg_bits[r] - 1 ":0]")
	input(r, "incr", vectors "[" reg_bits[r] - 1 ":0]")
	print "  galena_reg #("
	print "    .Bits(" reg_bits[r] "), .Count(" n "), .Reset(" reset_of(r) "), .Mask(" mask_of(r, "") "),"
	print "    .RwMask(" mask_of(r, "RW") "), .W1cMask(" mask_of(r, "RW1C") "), .W1sMask(" mask_of(r, "RW1S") "), .WoMask(" mask_of(r, "WO") ")"
	print "  ) u_" reg_signal[r] " ("
	print "    .clk_i, .rst_ni,"
	print "    .we_low_i(" port(r, "we_low") "), .we_high_i(" port(r, "we_high") "),"
	print "    .wd_i(" port(r, "wd") "),"
	printf "%s", inputs
	print "    .q_o(" port(r, "q") "), .qe_o(" port(r, "qe") ")"
	print "  );"
	if (!has(r, "WE")) unused(port(r, "qe"))
	if (has(r, "EXT") && !hw_reads(r)) unused(port(r, "q"))
}
function unused(signal) { print "  logic unused_" signal ";"; print "  assign unused_" signal " = ^" signal ";" }
# A read that the block answers stands until it does; of another the block is told in the cycle after.
function read_strobe(r, n, vectors,    i, read) {
	print "  " vectors " " port(r, "re") ";"
	for (i = 0; i < n; i++) {
		read = "reads && " at(r, "hit", i) " && " (reg_bits[r] == 64 ? "(low || (high && !kept))" : half_of(r, i))
		if (has(r, "EXT")) {
			print "  assign " at(r, "re", i) " = " read ";"
			waits = waits (waits == "" ? "" : " || ") "(" at(r, "re", i) " && !" member("i", r, i, "ack") ")"
			continue
		}
		print "  always_ff @(posedge clk_i or negedge rst_ni) begin"
		print "    if (!rst_ni) " at(r, "re", i) " <= 1'b0;"
		print "    else " at(r, "re", i) " <= done && " read ";"
		print "  end"
	}
}
function find(r,    i) {
	for (i = 0; i < reg_count[r]; i++) {
		print "    if (" at(r, "hit", i) ") begin"
		if (reg_bits[r] == 64) print "      found |= " at(r, "value", i) ";"
		else print "      found[" (is_high(r, i) ? "63:32" : "31:0") "] |= " at(r, "value", i) ";"
		print "      met_" (reg_bits[r] == 64 ? "wide" : half_of(r, i)) " = 1'b1;"
		print "    end"
	}
}
function footer(    r) {
	print ""
	print "  assign waits = " (waits == "" ? "1'b0" : waits) ";"
	print ""
	print "  always_comb begin"
	print "    {met_low, met_high, met_wide} = '0;"
	print "    found = '0;"
	for (r = 1; r <= n_regs; r++) find(r)
	print "  end"
	print ""
	print "  logic [31:0] read_low, read_high;"
	print "  logic        master_q;"
	print "  assign req_master_o = master_q;"
	print "  assign read_low  = low ? found[31:0] : '0;"
	print "  assign read_high = !high ? '0 : kept ? kept_high_q[req_master_i] : found[63:32];"
	print "  always_ff @(posedge clk_i or negedge rst_ni) begin"
	print "    if (!rst_ni) begin"
	print "      rsp_valid_o <= 1'b0;"
	print "      rsp_rdata_o <= '0;"
	print "      rsp_error_o <= 1'b0;"
	print "      master_q    <= 1'b0;"
	print "    end else begin"
	print "      rsp_valid_o <= done;"
	print "      rsp_rdata_o <= req_write_i ? '0 : req_size_i[0] ? {read_high, read_low} : {32'h0, read_high | read_low};"
	print "      rsp_error_o <= !fits || (low && !met_low && !met_wide) || (high && !met_high && !met_wide);"
	print "      master_q    <= req_master_i;"
	print "    end"
	print "  end"
	print "  always_ff @(posedge clk_i or negedge rst_ni) begin"
	print "    if (!rst_ni) begin"
	print "      kept_valid_q <= '0;"
	print "      kept_row_q   <= '0;"
	print "      kept_high_q  <= '0;"
	print "    end else if (done && reads && !(low && high)) begin"
	print "      if (kept) kept_valid_q[req_master_i] <= 1'b0;"
	print "      if (low && met_wide) begin"
	print "        kept_valid_q[req_master_i] <= 1'b1;"
	print "        kept_row_q[req_master_i]   <= row;"
	print "        kept_high_q[req_master_i]  <= found[63:32];"
	print "      end"
	print "    end"
	print "  end"
	print "endmodule"
}
BEGIN {
	generator = "regs.awk"
	registers_read()
	if (ports) {
		for (r = 1; r <= n_regs; r++)
			print "PORTS(" (out_members(r, m) ? "OUT(" reg_signal[r] ")" : "NONE") ", " (in_members(r, m) ? "IN(" reg_signal[r] ")" : "NONE") ")"
		exit
	}
	header()
	for (r = 1; r <= n_regs; r++) signals(r)
	footer()
}
