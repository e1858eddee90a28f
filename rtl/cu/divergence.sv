// The divergence of a warp: which of its lanes run, and where (CU-79 to CU-95, CU-97, CU-100, CU-102, CU-103, CU-105; CU-64 says when a step is
// due).
//
// There is no table of splits. Each lane has a program counter, a call depth, and the set that it is in; those of a set at one place are a split.
// So lanes that meet become one split without anything being done for it, and each case has room. All lanes are compared with each other once
// in a cycle. The best split of a set are the lanes than which none of the set is better, and the number of a split at a rotation is how many
// places of the set are worse: it stays where the best split is taken away.
module divergence #(
  parameter int unsigned Lanes        = 4,  // a power of two, up to 32
  parameter int unsigned RotationBits = 32, // of the count of rotations
  localparam int unsigned RankBits    = $clog2(Lanes) + 1,
  localparam int unsigned IndexBits   = Lanes > 1 ? $clog2(Lanes) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  galena_pkg::divergence_begin_t   begin_i,
  input  logic                            begin_valid_i,
  input  galena_pkg::divergence_retire_t  retire_i,
  input  logic                            retire_valid_i,
  input  logic [Lanes*64-1:0]             target_i,  // divergence_target_t of each lane
  input  logic                            step_i,    // the step to the next page issues
  input  logic                            release_i, // the barrier opens
  output galena_pkg::divergence_running_t running_o,
  output galena_pkg::divergence_lanes_t   lanes_o,
  output logic                            chose_o    // the warp chooses, rotates, or has nothing to run from the next cycle on
);
  localparam logic [12:0] Slice    = 13'd4096;
  localparam logic [12:0] Borrowed = 13'd512;
  localparam logic [4:0]  Atomics  = 5'd31;

  // ---- what is kept ----
  logic [Lanes-1:0]        run_q, pending_q, barrier_q, sync_q; // each lane that has not ended is in one of them
  logic [63:0]             run_pc_q;
  logic [31:0]             run_depth_q;
  logic                    steps_q;
  logic                    meets_q;              // the running split may come to a pending one,
  logic [63:0]             meeting_q;            // which stands here
  logic [63:0]             pc_q    [Lanes];      // of lanes that do not run
  logic [31:0]             depth_q [Lanes];
  logic [12:0]             slice_q;              // S
  logic                    borrowed_q;           // B
  logic [4:0]              atomics_q;
  logic [RotationBits-1:0] rotations_q;          // R
  logic [RankBits-1:0]     turn_q  [Lanes];      // R % n at n

  // ---- what the instruction is ----
  logic [31:0] word;
  logic [4:0]  rd, rs1;
  logic        branch, jal, jalr, atomic, reads_counter, barrier, exits, sync, call, return_, links;
  assign word          = retire_i.word;
  assign rd            = word[11:7];
  assign rs1           = word[19:15];
  assign links         = rd == 5'd1 || rd == 5'd5;
  assign atomic        = retire_valid_i && word[6:0] == 7'h2f;
  assign branch        = retire_valid_i && word[6:0] == 7'h63;
  assign jalr          = retire_valid_i && word[6:0] == 7'h67;
  assign jal           = retire_valid_i && word[6:0] == 7'h6f;
  assign reads_counter = retire_valid_i && word[6:0] == 7'h73 && word[13:12] != 2'd0 && (word[31:20] == 12'hc00 || word[31:20] == 12'hc02);
  assign barrier       = retire_valid_i && word == 32'h000b;
  assign exits         = retire_valid_i && word == 32'h100b;
  assign call          = (jal || jalr) && links;
  assign return_       = jalr && rd == 5'd0 && (rs1 == 5'd1 || rs1 == 5'd5);

  logic [Lanes-1:0] live;
  assign live = run_q | pending_q | barrier_q | sync_q;
  assign sync = retire_valid_i && word == 32'h200b && run_q != live; // and waits

  // ---- where the running lanes go ----
  logic [Lanes-1:0] taken, others;
  logic [63:0]      offset, behind, target, first, next_pc, pc [Lanes];
  logic [31:0]      next_depth, depth [Lanes];
  logic             differ, parts, all_jump, leaves, reaches;
  assign taken  = retire_i.taken[Lanes-1:0] & run_q;
  assign others = run_q & ~taken;
  assign offset = branch ? {{51{word[31]}}, word[31], word[7], word[30:25], word[11:8], 1'b0}
                         : {{43{word[31]}}, word[31], word[19:12], word[20], word[30:21], 1'b0};
  assign behind = run_pc_q + 64'd4;
  assign target = run_pc_q + offset;
  always_comb begin
    first  = '0;
    differ = 1'b0;
    if (jalr) begin
      for (int k = 1; k <= Lanes; k++) if (run_q[Lanes-k]) first = target_i[(Lanes-k)*64+:64];
      for (int l = 0; l < Lanes; l++) if (run_q[l] && target_i[l*64+:64] != first) differ = 1'b1;
    end
  end
  assign parts      = (branch && taken != '0 && others != '0) || (jalr && differ);
  assign all_jump   = jal || jalr || (branch && others == '0);
  assign next_depth = run_depth_q + {{31{return_}}, call || return_};
  always_comb begin
    next_pc = behind;
    if (jalr) next_pc = first;
    else if (all_jump) next_pc = target;
    else if (!retire_valid_i) next_pc = run_pc_q;
    for (int l = 0; l < Lanes; l++) begin
      pc[l]    = pc_q[l];
      depth[l] = depth_q[l];
      if (run_q[l]) begin
        pc[l]    = jalr ? target_i[l*64+:64] : branch && taken[l] ? target : next_pc;
        depth[l] = next_depth;
      end
    end
  end
  assign leaves  = next_pc[63:12] != run_pc_q[63:12];
  assign reaches = meets_q && next_pc >= meeting_q;

  // ---- whether the warp chooses (CU-87), and among which lanes ----
  logic             was_pending, point, over, chooses;
  logic [12:0]      slice;
  logic [Lanes-1:0] stays, waits, ready, pool;
  assign was_pending = pending_q != '0;
  assign stays = barrier || exits || sync ? '0 : run_q;
  assign waits = sync ? sync_q | run_q : sync_q;
  assign point = release_i || barrier || exits || sync || parts || reads_counter ||
                 (retire_valid_i && reaches) ||
                 (was_pending && (step_i || jalr || (jal && rd != 5'd0) || (all_jump && leaves)));
  always_comb begin
    slice = slice_q;
    if (retire_valid_i && was_pending) slice = atomic && atomics_q == Atomics ? '0 : slice_q - 13'd1;
  end
  assign over    = slice == '0;
  assign chooses = point || (over && borrowed_q && was_pending);
  assign ready   = pending_q | stays | (release_i ? barrier_q : '0);
  assign pool    = ready == '0 ? waits : chooses ? ready : pending_q; // CU-103: all others wait or have ended

  // ---- each lane beside each other one, where that is asked for ----
  logic                compares;
  logic [Lanes-1:0]    better [Lanes]; // [l][k]: lane l is at a better place than lane k (CU-82)
  logic [Lanes-1:0]    same   [Lanes];
  logic [Lanes-1:0]    leads;          // no lower lane of the pool is at its place
  logic [RankBits-1:0] rank   [Lanes]; // worse places in the pool
  logic [RankBits-1:0] places;
  assign compares = chooses || over;
  always_comb begin
    for (int l = 0; l < Lanes; l++) begin
      better[l] = '0;
      same[l]   = '0;
    end
    if (compares) begin
      for (int l = 1; l < Lanes; l++) begin
        for (int k = 0; k < l; k++) begin
          same[l][k]   = depth[l] == depth[k] && pc[l] == pc[k];
          same[k][l]   = same[l][k];
          better[l][k] = depth[l] > depth[k] || (depth[l] == depth[k] && pc[l] < pc[k]);
          better[k][l] = !better[l][k] && !same[l][k];
        end
      end
    end
  end
  always_comb begin
    places = '0;
    leads  = '0;
    for (int l = 0; l < Lanes; l++) rank[l] = '0;
    if (compares) begin
      for (int l = 0; l < Lanes; l++) begin
        leads[l] = pool[l];
        for (int k = 0; k < l; k++) if (pool[k] && same[l][k]) leads[l] = 1'b0;
        places += RankBits'(leads[l]);
      end
      for (int l = 0; l < Lanes; l++) for (int k = 0; k < Lanes; k++) rank[l] += RankBits'(leads[k] && better[l][k]);
    end
  end

  // ---- the split that runs, before a rotation; the best one behind it ----
  logic [Lanes-1:0] best, chosen, rest, second;
  always_comb begin
    for (int l = 0; l < Lanes; l++) best[l] = pool[l] && rank[l] + RankBits'(1) == places;
    chosen = chooses ? best : run_q;
    rest   = pool & ~chosen;
    for (int l = 0; l < Lanes; l++) second[l] = rest[l] && rank[l] + RankBits'(chooses ? 2 : 1) == places;
  end

  // ---- the rotation (CU-93) ----
  logic [Lanes-1:0]    met, left, turn, run_d, pending_d;
  logic [IndexBits-1:0] number;
  logic                ends_slice, rotates;
  always_comb begin
    ends_slice = over && !borrowed_q && rest != '0;
    met        = '0; // it may have yet to step there
    if (ends_slice) begin
      for (int l = 0; l < Lanes; l++) for (int k = 0; k < Lanes; k++) if (second[l] && chosen[k] && same[l][k]) met[l] = 1'b1;
    end
    left       = rest & ~met;
    rotates    = ends_slice && left != '0;
    number     = IndexBits'(places - RankBits'(chooses) - RankBits'(met != '0));
    for (int l = 0; l < Lanes; l++) turn[l] = left[l] && rank[l] == turn_q[number];
    run_d     = rotates ? turn : chosen | met;
    pending_d = rotates ? (left & ~turn) | chosen | met : left;
  end

  // ---- its place, and where it will meet another one ----
  logic [63:0] run_pc, second_pc;
  logic [31:0] run_depth, second_depth;
  always_comb begin
    run_pc       = next_pc;
    run_depth    = next_depth;
    second_pc    = '0;
    second_depth = '0;
    for (int l = 0; l < Lanes; l++) begin
      if ((chooses || rotates) && run_d[l]) begin
        run_pc    = pc[l];
        run_depth = depth[l];
      end
      if (second[l]) begin
        second_pc    = pc[l];
        second_depth = depth[l];
      end
    end
  end

  logic acts;
  assign acts    = retire_valid_i || step_i || release_i;
  assign chose_o = acts && (chooses || rotates || met != '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q       <= '0;
      pending_q   <= '0;
      barrier_q   <= '0;
      sync_q      <= '0;
      run_pc_q    <= '0;
      run_depth_q <= '0;
      steps_q     <= 1'b0;
      meets_q     <= 1'b0;
      meeting_q   <= '0;
      slice_q     <= Slice;
      borrowed_q  <= 1'b0;
      atomics_q   <= '0;
      rotations_q <= '0;
    end else if (begin_valid_i) begin
      run_q       <= begin_i.lanes[Lanes-1:0];
      pending_q   <= '0;
      barrier_q   <= '0;
      sync_q      <= '0;
      run_pc_q    <= begin_i.pc;
      run_depth_q <= '0;
      steps_q     <= 1'b0;
      meets_q     <= 1'b0;
      slice_q     <= Slice;
      borrowed_q  <= 1'b0;
      atomics_q   <= '0;
      rotations_q <= '0;
    end else if (acts) begin
      run_q       <= run_d;
      pending_q   <= pending_d;
      barrier_q   <= barrier ? barrier_q | run_q : release_i ? '0 : barrier_q;
      sync_q      <= waits & ~(run_d | pending_d);
      run_pc_q    <= run_pc;
      run_depth_q <= run_depth;
      steps_q     <= retire_valid_i && leaves && !all_jump && !chose_o;
      slice_q     <= pending_d == '0 ? Slice : rotates ? Borrowed : over ? Slice : slice;
      borrowed_q  <= pending_d != '0 && (rotates || (borrowed_q && !over));
      if (chose_o) begin // none is met that is worse, so that none is behind a rotation (CU-94)
        meets_q   <= second != '0 && second_depth == run_depth && second_pc[63:12] == run_pc[63:12] && second_pc > run_pc;
        meeting_q <= second_pc;
      end
      if (atomic && was_pending) atomics_q <= atomics_q + 5'd1;
      if (rotates) rotations_q <= rotations_q + RotationBits'(1);
    end
  end
  for (genvar l = 0; l < Lanes; l++) begin : gen_place
    always_ff @(posedge clk_i) begin
      if (run_q[l] && acts) begin
        pc_q[l]    <= pc[l];
        depth_q[l] <= depth[l];
      end
    end
    localparam logic [RankBits-1:0] Last = RankBits'(l > 1 ? l - 1 : 0);
    // R % n, n = l: it never counts further, as R does, but where R begins anew
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) turn_q[l] <= '0;
      else if (begin_valid_i) turn_q[l] <= '0;
      else if (acts && rotates) turn_q[l] <= rotations_q == '1 || turn_q[l] == Last ? '0 : turn_q[l] + RankBits'(1);
    end
  end

  assign running_o = {run_q != '0, steps_q, 32'(run_q), run_pc_q, run_depth_q};
  assign lanes_o   = {32'(live), 32'(pending_q), 32'(barrier_q), 32'(sync_q)};

  if (Lanes < 32) begin : gen_unused
    logic unused;
    assign unused = ^{begin_i.lanes[31:Lanes], retire_i.taken[31:Lanes]};
  end

`ifndef SYNTHESIS
  // the numbers above are those of the tables
  initial begin
    assert (int'(Slice) == galena_pkg::SplitSlice && int'(Borrowed) == galena_pkg::SplitBorrowed && int'(Atomics) + 1 == galena_pkg::SplitAtomics);
    assert (galena_pkg::InsnBarrierMatch == 32'h000b && galena_pkg::InsnExitMatch == 32'h100b && galena_pkg::InsnSgSyncMatch == 32'h200b);
  end
  assert property (@(posedge clk_i) begin_valid_i |-> begin_i.lanes[Lanes-1:0] != '0)
  else $error("a warp of no lane begins");
  assert property (@(posedge clk_i) (run_q & pending_q) == '0 && ((run_q | pending_q) & (barrier_q | sync_q)) == '0 && (barrier_q & sync_q) == '0)
  else $error("a lane is in two splits");
  assert property (@(posedge clk_i) retire_valid_i |-> run_q != '0 && !steps_q && !step_i && !release_i)
  else $error("an instruction retires that no split stands at");
  assert property (@(posedge clk_i) step_i |-> steps_q && !release_i)
  else $error("a split steps that is not at the end of its page");
  assert property (@(posedge clk_i) release_i |-> barrier_q == live)
  else $error("a barrier opens that is not complete");
  assert property (@(posedge clk_i) pending_q != '0 |-> run_q != '0 && slice_q != '0)
  else $error("splits are pending, and none runs");
`endif
endmodule
