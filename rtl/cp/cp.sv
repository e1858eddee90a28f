// The command processor: a hart of RV64IMAC and Zicsr, machine mode alone, which executes from the local memory beside it.
//
// An instruction begins in a cycle, and but for three kinds it is over with it: its registers, the local memory and the program counter are
// written at its end. A division, and a load of a register or from outside the local memory, write their result later; the next instruction
// begins behind it. An sc or amo outside is a read, and in the cycle of its answer a store: it retires there. What the memory refuses, it
// refuses in the cycle of the access, and the instruction traps in that cycle.
module cp #(
  localparam int unsigned StoreBits = 130 // of cp_pkg::store_t
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  galena_pkg::cp_control_t    control_i,
  input  galena_pkg::cp_fail_t       fail_i,
  input  logic                       fail_valid_i,
  input  galena_pkg::cp_irq_t        irq_i,
  output galena_pkg::cp_crash_t      crash_o,
  output galena_pkg::cp_state_e      state_o,
  input  logic [63:0]                cycle_i,           // CYCLE
  // local memory, which answers in the cycle
  output logic [16:0]                fetch_halfword_o,  // place of the instruction
  input  logic [31:0]                fetch_word_i,      // its 4 bytes, in any alignment
  output logic [17:0]                tcm_address_o,
  output logic [1:0]                 tcm_size_o,        // log2 of the bytes
  output logic                       tcm_write_o,
  output logic [63:0]                tcm_wdata_o,
  input  logic [63:0]                tcm_rdata_i,       // the 8 bytes from the address on
  // registers
  output logic                       reg_valid_o,       // an access, in a cycle in which its register is ready
  output logic                       reg_write_o,
  output logic [16:0]                reg_offset_o,      // in the window
  output logic [1:0]                 reg_size_o,
  output logic [63:0]                reg_wdata_o,
  input  logic                       reg_ready_i,       // the register at reg_offset_o is ready for reg_write_o
  input  logic                       reg_answer_valid_i, // one to four cycles after the load
  input  logic [63:0]                reg_rdata_i,
  input  logic                       reg_hold_i,        // from the cycle after a store on: it is not over
  // memory outside
  output logic                       mem_valid_o,       // an access begins: loads are asked for, stores go to the buffer
  output cp_pkg::mem_t               mem_o,
  input  logic                       mem_fault_i,       // and is refused
  input  logic                       mem_answer_valid_i, // in a later cycle than what is asked for
  input  cp_pkg::mem_answer_t        mem_answer_i,
  output logic [7:0]                 store_valid_o,     // stores in the buffer, the oldest first
  output logic [8*StoreBits-1:0]         store_o,
  input  logic [3:0]                 store_taken_i,     // how many of the oldest are taken
  // for who looks on
  output logic                       retire_o,          // CNT_CP_INSNS counts it
  output logic [63:0]                pc_o,              // of the instruction that begins now or next
  output logic                       write_valid_o,     // a register is written
  output logic [4:0]                 write_rd_o,
  output logic [63:0]                write_value_o,
  output cp_pkg::csrs_t              csrs_o
);
  localparam logic [4:0] DivideCycles = 5'd20, RegisterCycles = 5'd4, JumpCycles = 5'd1; // beyond the first
  localparam logic [63:0] CauseFetch = 64'd1, CauseIllegal = 64'd2, CauseBreakpoint = 64'd3, CauseLoadMisaligned = 64'd4, CauseLoad = 64'd5;
  localparam logic [63:0] CauseStoreMisaligned = 64'd6, CauseStore = 64'd7, CauseCall = 64'd11, CauseInterrupt = 64'h8000_0000_0000_000b;

  galena_pkg::cp_state_e state_q, state_d;
  logic [63:0] pc_q;
  logic        trapped_q;   // no instruction has retired since the last trap
  logic [4:0]  left_q;      // cycles until the next instruction begins
  typedef enum logic [1:0] {Nothing, Read, Modify, Register} flight_e;
  flight_e     flight_q;    // what an answer is waited for of: a load or lr, an sc or amo, a load of a register
  logic        divides_q;
  logic        buffer_stalled_q, register_stalled_q; // the instruction waited in the cycle before, and why
  galena_pkg::cp_crash_t crash_q;

  // ---- what may begin ----
  logic        free, start, alive, fails, runs;
  logic [63:0] pc;
  assign free  = left_q == '0 && flight_q == Nothing && !reg_hold_i;
  assign start = state_q == galena_pkg::CpStateStopped && control_i.run && free;
  assign alive = control_i.run && (start || state_q == galena_pkg::CpStateRunning || state_q == galena_pkg::CpStateWaiting);
  assign fails = alive && fail_valid_i;
  assign runs  = alive && !fail_valid_i && free && (state_q != galena_pkg::CpStateWaiting || irq_i.level);
  assign pc    = start ? {control_i.entry[63:1], 1'b0} : pc_q;
  assign pc_o  = pc;

  // ---- fetch and decode ----
  logic [31:0]      insn;
  logic             short_insn;
  logic             fetch_fails;
  cp_pkg::decoded_t d;
  assign fetch_halfword_o = pc[17:1];
  assign fetch_fails      = pc[63:18] != '0 || (pc[17:1] == '1 && !short_insn);
  cp_expand u_expand (
    .word_i  (fetch_word_i),
    .insn_o  (insn),
    .short_o (short_insn)
  );
  cp_decode u_decode (
    .insn_i    (insn),
    .decoded_o (d)
  );

  // ---- registers ----
  logic [63:0] x_q [32];
  logic [63:0] a, b;
  assign a = x_q[d.rs1];
  assign b = x_q[d.rs2];

  logic [63:0] next, result;
  logic        taken;
  assign next = pc + (short_insn ? 64'd2 : 64'd4);
  cp_alu u_alu (
    .funct3_i   (d.funct3),
    .alt_i      (d.alt),
    .multiply_i (d.multiply),
    .word_i     (d.word),
    .a_i        (d.from_pc ? pc : a),
    .b_i        (d.from_imm && d.kind == cp_pkg::Alu ? d.imm : b),
    .result_o   (result),
    .taken_o    (taken)
  );

  // ---- accesses ----
  logic        is_load, is_store, is_atomic, is_reserve, is_try, accesses, reads;
  logic [1:0]  size;
  logic [63:0] address;
  logic [2:0]  extent; // from the first byte to the last one
  logic        in_tcm, in_registers, aligned, misaligned, register_fails, outside, to_register;
  assign is_load      = d.kind == cp_pkg::Load;
  assign is_store     = d.kind == cp_pkg::Store;
  assign is_atomic    = d.kind == cp_pkg::Atomic;
  assign is_reserve   = is_atomic && d.funct5 == 5'h02;
  assign is_try       = is_atomic && d.funct5 == 5'h03;
  assign accesses     = is_load || is_store || is_atomic;
  assign reads        = is_load || is_reserve; // and writes nothing
  assign size         = d.funct3[1:0];
  assign address      = is_atomic ? a : a + d.imm;
  assign extent       = {size == 2'd3, size[1], size != 2'd0};
  assign in_tcm       = address[63:18] == '0 && address[17:0] <= 18'h3ffff - 18'(extent);
  assign in_registers = address - galena_pkg::WindowCpMmioBase < galena_pkg::WindowCpMmioSize;
  assign aligned      = (address[2:0] & extent) == '0;
  assign misaligned   = is_atomic && !aligned;
  assign register_fails = in_registers && (is_atomic || !size[1] || !aligned);
  assign to_register  = in_registers && !register_fails && (is_load || is_store);
  assign outside      = accesses && !misaligned && !in_tcm && !in_registers;

  // ---- waiting to begin: nothing is done, and an interrupt is taken when the wait is over (CP-176) ----
  logic buffer_full, buffer_empty, buffer_stalls, register_stalls, waits, interrupt, interrupts, executes;
  assign buffer_stalls   = !fetch_fails && ((to_register && !buffer_empty) || (outside && (is_store ? buffer_full : !buffer_empty)));
  assign register_stalls = !fetch_fails && to_register && buffer_empty && !reg_ready_i;
  assign waits           = (buffer_stalled_q && buffer_stalls) || (register_stalled_q && register_stalls);
  assign interrupts      = runs && interrupt && !waits;
  assign executes        = runs && !interrupts && !buffer_stalls && !register_stalls;

  // ---- exceptions ----
  logic        csr_there, csr_writes, traps, late_traps, fault;
  logic [63:0] cause, tval;
  always_comb begin
    fault = 1'b1;
    cause = CauseIllegal;
    tval  = address;
    if (fetch_fails) begin
      cause = CauseFetch;
      tval  = pc;
    end else if (d.kind == cp_pkg::Illegal || (d.kind == cp_pkg::Csr && !csr_there)) begin
      tval = short_insn ? {48'd0, fetch_word_i[15:0]} : {32'd0, fetch_word_i};
    end else if (d.kind == cp_pkg::Ecall) begin
      cause = CauseCall;
      tval  = '0;
    end else if (d.kind == cp_pkg::Ebreak) begin
      cause = CauseBreakpoint;
      tval  = pc;
    end else if (misaligned) begin
      cause = is_reserve ? CauseLoadMisaligned : CauseStoreMisaligned;
    end else if (accesses && (register_fails || (outside && mem_fault_i))) begin
      cause = reads ? CauseLoad : CauseStore;
    end else begin
      fault = 1'b0;
    end
  end

  // ---- an access that is under way ----
  logic        flight_short_q;
  logic [1:0]  flight_size_q;
  logic [2:0]  flight_funct3_q;
  logic [4:0]  flight_funct5_q, flight_rd_q;
  logic [63:0] flight_address_q, flight_data_q;
  logic        answers, answer_try, answer_holds, late_stores;
  assign answers = mem_answer_valid_i && flight_q != Nothing && flight_q != Register;

  // ---- reservation ----
  logic        reserved_q;
  logic [1:0]  reserved_size_q;
  logic [63:0] reserved_address_q, reserved_value_q;
  logic [31:0] reserved_version_q;
  logic [63:0] old, atomic_value;
  logic        same;
  // the old value, zero-extended, of an atomic that is answered or executed in local memory
  assign old          = answers ? mem_answer_i.data : size[0] ? tcm_rdata_i : {32'd0, tcm_rdata_i[31:0]};
  assign same         = reserved_q && reserved_value_q == old && reserved_address_q == (answers ? flight_address_q : address) &&
      reserved_size_q == (answers ? flight_size_q : size);
  assign answer_try   = flight_funct5_q == 5'h03;
  assign answer_holds = same && mem_answer_i.held;
  assign late_stores  = answers && flight_q == Modify && (!answer_try || answer_holds);
  assign late_traps   = late_stores && mem_fault_i;
  cp_amo u_amo (
    .funct5_i (answers ? flight_funct5_q : d.funct5),
    .word_i   (answers ? !flight_size_q[0] : !size[0]),
    .old_i    (old),
    .value_i  (answers ? flight_data_q : b),
    .result_o (atomic_value)
  );

  // ---- local memory, registers, memory outside ----
  logic local_access;
  assign local_access  = executes && !fault && accesses && in_tcm;
  assign tcm_address_o = address[17:0];
  assign tcm_size_o    = size;
  assign tcm_write_o   = local_access && (is_store || (is_atomic && !is_reserve && (!is_try || same)));
  assign tcm_wdata_o   = is_atomic ? atomic_value : b;
  assign reg_valid_o   = executes && !fault && to_register;
  assign reg_write_o   = is_store;
  assign reg_offset_o  = address[16:0]; // the window begins at a multiple of its size
  assign reg_size_o    = size;
  assign reg_wdata_o   = b;
  assign mem_valid_o   = (executes && !fetch_fails && outside) || late_stores;
  always_comb begin
    mem_o.op      = is_store ? cp_pkg::MemStore : is_load ? cp_pkg::MemLoad : is_reserve ? cp_pkg::MemReserve : is_try ? cp_pkg::MemTry :
        cp_pkg::MemModify;
    mem_o.size    = size;
    mem_o.address = address;
    mem_o.data    = b;
    mem_o.version = reserved_version_q;
    if (late_stores) begin
      mem_o.op      = cp_pkg::MemStore;
      mem_o.size    = flight_size_q;
      mem_o.address = flight_address_q;
      mem_o.data    = atomic_value;
    end
  end
  cp_store_buffer #(
    .Stores (galena_pkg::CpStoreBuffer),
    .Bits   (StoreBits)
  ) u_store_buffer (
    .clk_i,
    .rst_ni,
    .put_i    (mem_valid_o && mem_o.op == cp_pkg::MemStore && !mem_fault_i),
    .store_i  ({mem_o.size, mem_o.address, mem_o.data}),
    .full_o   (buffer_full),
    .empty_o  (buffer_empty),
    .valid_o  (store_valid_o),
    .stores_o (store_o),
    .taken_i  (store_taken_i)
  );

  // ---- traps and retirement ----
  logic        asks, begins_modify, retires, trap, crashes, no_handler;
  logic [63:0] trap_cause, trap_tval, jump, mtvec;
  assign traps         = executes && fault;
  assign asks          = executes && !fault && outside && !is_store;
  assign begins_modify = asks && is_atomic && !is_reserve;
  assign retires       = (executes && !fault && !begins_modify) || (answers && flight_q == Modify && !late_traps);
  assign retire_o      = retires;
  assign mtvec         = csrs_o.mtvec;
  assign no_handler    = mtvec == '0 || trapped_q; // a trap has cleared MIE, so that no interrupt comes before something has retired
  assign trap          = (interrupts || traps || late_traps) && !no_handler;
  assign crashes       = (interrupts || traps || late_traps) && no_handler;
  always_comb begin
    trap_cause = cause;
    trap_tval  = tval;
    if (interrupts) begin
      trap_cause = CauseInterrupt;
      trap_tval  = '0;
    end else if (late_traps) begin
      trap_cause = CauseStore;
      trap_tval  = flight_address_q;
    end
  end
  always_comb begin
    case (d.kind)
      cp_pkg::Jal:    jump = pc + d.imm;
      cp_pkg::Jalr:   jump = {address[63:1], 1'b0};
      cp_pkg::Branch: jump = taken ? pc + d.imm : next;
      cp_pkg::Mret:   jump = csrs_o.mepc;
      default:        jump = next;
    endcase
  end

  logic jumps, mrets;
  assign jumps = d.kind == cp_pkg::Jal || d.kind == cp_pkg::Jalr || (d.kind == cp_pkg::Branch && taken);
  assign mrets = executes && !fault && d.kind == cp_pkg::Mret;

  assign csr_writes = d.funct3[1:0] == 2'd1 || d.rs1 != 5'd0;
  logic [63:0] csr_old;
  cp_csr u_csr (
    .clk_i,
    .rst_ni,
    .clear_i     (clears),
    .cycle_i,
    .line_i      (irq_i.level),
    .number_i    (d.imm[11:0]),
    .op_i        (d.funct3[1:0]),
    .writes_i    (csr_writes),
    .value_i     (d.funct3[2] ? {59'd0, d.rs1} : a),
    .there_o     (csr_there),
    .old_o       (csr_old),
    .execute_i   (executes && !fault && d.kind == cp_pkg::Csr),
    .retire_i    (retires),
    .mret_i      (mrets),
    .trap_i      (trap),
    .epc_i       (pc),
    .cause_i     (trap_cause),
    .tval_i      (trap_tval),
    .interrupt_o (interrupt),
    .csrs_o
  );

  // ---- results ----
  function automatic logic [63:0] extended(input logic [63:0] value, input logic [2:0] funct3);
    case (funct3)
      3'd0:    extended = {{56{value[7]}}, value[7:0]};
      3'd1:    extended = {{48{value[15]}}, value[15:0]};
      3'd2:    extended = {{32{value[31]}}, value[31:0]};
      3'd4:    extended = {56'd0, value[7:0]};
      3'd5:    extended = {48'd0, value[15:0]};
      3'd6:    extended = {32'd0, value[31:0]};
      default: extended = value;
    endcase
  endfunction

  logic        divide, divide_ready, writes_now, register_answers;
  logic [63:0] quotient, now_value;
  assign divide = executes && !fault && d.kind == cp_pkg::Divide;
  cp_divide u_divide (
    .clk_i,
    .rst_ni,
    .begin_i     (divide),
    .remainder_i (d.funct3[1]),
    .unsigned_i  (d.funct3[0]),
    .word_i      (d.word),
    .a_i         (a),
    .b_i         (b),
    .ready_o     (divide_ready),
    .result_o    (quotient)
  );
  assign register_answers = reg_answer_valid_i && flight_q == Register;
  always_comb begin
    writes_now = executes && !fault;
    case (d.kind)
      cp_pkg::Alu:              now_value = result;
      cp_pkg::Jal, cp_pkg::Jalr: now_value = next;
      cp_pkg::Csr:              now_value = csr_old;
      cp_pkg::Load: begin
        writes_now = local_access;
        now_value  = extended(tcm_rdata_i, d.funct3);
      end
      cp_pkg::Atomic: begin
        writes_now = local_access;
        now_value  = is_try ? {63'd0, !same} : extended(old, d.funct3);
      end
      default: begin
        writes_now = 1'b0;
        now_value  = result;
      end
    endcase
  end
  always_comb begin
    write_valid_o = writes_now;
    write_rd_o    = d.rd;
    write_value_o = now_value;
    if (answers || register_answers || (divides_q && left_q == 5'd1)) begin
      write_valid_o = !late_traps;
      write_rd_o    = flight_rd_q;
      write_value_o = divides_q ? quotient : extended(register_answers ? reg_rdata_i : mem_answer_i.data, flight_funct3_q);
      if (answers && flight_q == Modify && answer_try) write_value_o = {63'd0, !answer_holds};
    end
    if (write_rd_o == 5'd0 || clears) write_valid_o = 1'b0;
  end

  // ---- states ----
  logic clears; // registers and CSRs get their values of a start
  assign clears  = !control_i.run || (state_q == galena_pkg::CpStateStopped && !start);
  assign state_o = state_q;
  assign crash_o = crash_q;
  always_comb begin
    state_d = state_q;
    if (alive) state_d = state_q == galena_pkg::CpStateWaiting && !irq_i.level ? galena_pkg::CpStateWaiting : galena_pkg::CpStateRunning;
    if (executes && !fault && d.kind == cp_pkg::Wfi && !irq_i.level) state_d = galena_pkg::CpStateWaiting;
    if (fails || (crashes && alive)) state_d = galena_pkg::CpStateCrashed;
    if (!control_i.run) state_d = galena_pkg::CpStateStopped;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q            <= galena_pkg::CpStateStopped;
      trapped_q          <= 1'b0;
      left_q             <= '0;
      flight_q           <= Nothing;
      divides_q          <= 1'b0;
      buffer_stalled_q   <= 1'b0;
      register_stalled_q <= 1'b0;
      reserved_q         <= 1'b0;
      crash_q            <= '0;
      pc_q               <= '0;
    end else begin
      state_q            <= state_d;
      buffer_stalled_q   <= runs && !interrupts && buffer_stalls;
      register_stalled_q <= runs && !interrupts && register_stalls;
      if (left_q != '0) left_q <= left_q - 5'd1;
      if (left_q == 5'd1) divides_q <= 1'b0;
      if (answers || register_answers) flight_q <= Nothing;
      if (start) pc_q <= pc;
      if (executes && !fault) begin
        if (!begins_modify) pc_q <= jump;
        if (jumps) left_q <= JumpCycles;
        if (divide) begin
          left_q    <= DivideCycles;
          divides_q <= 1'b1;
        end
        if (reg_valid_o && is_load) begin
          left_q   <= RegisterCycles;
          flight_q <= Register;
        end
        if (asks) flight_q <= begins_modify ? Modify : Read;
      end
      if (answers && flight_q == Modify && !late_traps && alive) pc_q <= pc_q + (flight_short_q ? 64'd2 : 64'd4);
      if (trap) pc_q <= {mtvec[63:2], 2'b00} + (interrupts && mtvec[0] ? 64'd44 : 64'd0);
      if (trap) trapped_q <= 1'b1;
      else if (retires) trapped_q <= 1'b0;
      if (clears) trapped_q <= 1'b0;
      // lr reserves, sc ends it
      if (local_access && is_reserve) reserved_q <= 1'b1;
      if (answers && flight_funct5_q == 5'h02 && flight_q == Read) reserved_q <= 1'b1;
      if ((local_access && is_try) || (answers && flight_q == Modify && answer_try) || trap || mrets || clears) reserved_q <= 1'b0;
      if (start) crash_q <= '0;
      if (fails) crash_q <= {fail_i.cause, pc, 64'd0};
      else if (crashes && alive) crash_q <= {trap_cause, pc, trap_tval};
    end
  end
  always_ff @(posedge clk_i) begin
    if (write_valid_o) x_q[write_rd_o] <= write_value_o;
    if (clears) for (int i = 0; i < 32; i++) x_q[i] <= '0;
    if (asks || divide || (reg_valid_o && is_load)) begin
      flight_short_q   <= short_insn;
      flight_size_q    <= size;
      flight_funct3_q  <= d.funct3;
      flight_funct5_q  <= is_atomic ? d.funct5 : '1;
      flight_rd_q      <= d.rd;
      flight_address_q <= address;
      flight_data_q    <= b;
    end
    if (local_access && is_reserve) begin
      reserved_size_q    <= size;
      reserved_address_q <= address;
      reserved_value_q   <= old;
    end
    if (answers && flight_q == Read && flight_funct5_q == 5'h02) begin
      reserved_size_q    <= flight_size_q;
      reserved_address_q <= flight_address_q;
      reserved_value_q   <= old;
      reserved_version_q <= mem_answer_i.version;
    end
  end

`ifndef SYNTHESIS
  if (StoreBits != $bits(cp_pkg::store_t)) $error("StoreBits");
  assert property (@(posedge clk_i) mem_answer_valid_i |-> flight_q == Read || flight_q == Modify)
  else $error("an answer of memory to nothing");
  assert property (@(posedge clk_i) reg_answer_valid_i |-> flight_q == Register && left_q != '0)
  else $error("an answer of a register to nothing, or too late");
  assert property (@(posedge clk_i) divides_q && left_q == 5'd1 |-> divide_ready)
  else $error("a quotient is written that is not there");
  assert property (@(posedge clk_i) executes |-> flight_q == Nothing && left_q == '0)
  else $error("an instruction begins before the one before it is over");
  assert property (@(posedge clk_i) tcm_write_o || reg_valid_o |-> state_q != galena_pkg::CpStateCrashed && control_i.run)
  else $error("a hart that does not run writes");
  assert property (@(posedge clk_i) !pc[0])
  else $error("an instruction at an odd address");
`endif
endmodule
