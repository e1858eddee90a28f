// The CSRs (CP-85 to CP-93).
module cp_csr (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          clear_i,     // they get their values of a start
  input  logic [63:0]   cycle_i,     // CYCLE
  input  logic          line_i,      // the interrupt line
  // a csr instruction
  input  logic [11:0]   number_i,
  input  logic [1:0]    op_i,        // 1 swaps, 2 sets, 3 clears bits
  input  logic          writes_i,    // it is one that writes
  input  logic [63:0]   value_i,
  output logic          there_o,     // there is such a CSR, and it may be written if it is
  output logic [63:0]   old_o,
  input  logic          execute_i,   // it is executed now
  // what else changes them
  input  logic          retire_i,
  input  logic          mret_i,
  input  logic          trap_i,      // a trap is taken
  input  logic [63:0]   epc_i,
  input  logic [63:0]   cause_i,
  input  logic [63:0]   tval_i,
  // what the hart looks at
  output logic          interrupt_o, // the line is up and the interrupt is enabled
  output cp_pkg::csrs_t csrs_o
);
  localparam logic [63:0] Misa = 64'h8000_0000_0000_1105;
  logic        mie_q, mpie_q;
  logic [2:0]  enabled_q; // bits 3, 7 and 11 of mie, from the lowest on
  logic [63:0] mtvec_q, mscratch_q, mepc_q, mcause_q, mtval_q, offset_q, minstret_q;
  logic [63:0] mcycle;
  assign mcycle = cycle_i + offset_q;

  logic is_there;
  always_comb begin
    is_there = 1'b1;
    old_o    = '0;
    case (number_i)
      12'h300: old_o = {51'd0, 2'b11, 3'd0, mpie_q, 3'd0, mie_q, 3'd0};
      12'h301: old_o = Misa;
      12'h304: old_o = {52'd0, enabled_q[2], 3'd0, enabled_q[1], 3'd0, enabled_q[0], 3'd0};
      12'h305: old_o = mtvec_q;
      12'h340: old_o = mscratch_q;
      12'h341: old_o = mepc_q;
      12'h342: old_o = mcause_q;
      12'h343: old_o = mtval_q;
      12'h344: old_o = {52'd0, line_i, 11'd0};
      12'hb00, 12'hc00, 12'hc01: old_o = mcycle;
      12'hb02, 12'hc02: old_o = minstret_q;
      12'hf11, 12'hf12, 12'hf13, 12'hf14, 12'hf15: old_o = '0;
      default: is_there = 1'b0;
    endcase
  end
  assign there_o = is_there && !(writes_i && number_i[11:10] == 2'b11);

  logic        write;
  logic [63:0] value;
  assign write = execute_i && writes_i;
  always_comb begin
    case (op_i)
      2'd2:    value = old_o | value_i;
      2'd3:    value = old_o & ~value_i;
      default: value = value_i;
    endcase
  end

  assign interrupt_o = line_i && enabled_q[2] && mie_q;
  assign csrs_o      = {mie_q, mpie_q, enabled_q[0], enabled_q[1], enabled_q[2], mtvec_q, mscratch_q, mepc_q, mcause_q, mtval_q, mcycle, minstret_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {mie_q, mpie_q, enabled_q} <= '0;
      {mtvec_q, mscratch_q, mepc_q, mcause_q, mtval_q, offset_q, minstret_q} <= '0;
    end else if (clear_i) begin
      {mie_q, mpie_q, enabled_q} <= '0;
      {mtvec_q, mscratch_q, mepc_q, mcause_q, mtval_q, offset_q, minstret_q} <= '0;
    end else begin
      if (retire_i) minstret_q <= minstret_q + 64'd1;
      if (write) begin
        case (number_i)
          12'h300: {mpie_q, mie_q} <= {value[7], value[3]};
          12'h304: enabled_q <= {value[11], value[7], value[3]};
          12'h305: mtvec_q <= {value[63:2], 1'b0, value[0]};
          12'h340: mscratch_q <= value;
          12'h341: mepc_q <= {value[63:1], 1'b0};
          12'h342: mcause_q <= value;
          12'h343: mtval_q <= value;
          12'hb00: offset_q <= value - cycle_i;
          12'hb02: minstret_q <= value;
          default: ;
        endcase
      end
      if (mret_i) {mpie_q, mie_q} <= {1'b1, mpie_q};
      if (trap_i) begin
        {mpie_q, mie_q} <= {mie_q, 1'b0};
        mepc_q   <= epc_i;
        mcause_q <= cause_i;
        mtval_q  <= tval_i;
      end
    end
  end
endmodule
