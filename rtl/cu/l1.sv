// The L1 data cache of a compute unit: which lines it holds, what is asked for at the L2 cache or the bus, and when an access is over (MEM-18 to
// MEM-25, MEM-119 to MEM-121). With L1Data it holds their bytes, too (MEM-104 to MEM-113, MEM-122, MEM-123).
//
// It takes a line of an access in each cycle, those of an access one behind the other, and is done with its tags and bytes in that cycle. What a load
// misses and an atomic works on is asked for L1Latency cycles later. A load can be undone up to its last line: what there was when it began is kept
// beside what there is, and a place has two halves, one for each.
module l1 #(
  parameter int unsigned Lanes     = 4,     // of a warp
  parameter int unsigned Sets      = 8,
  parameter int unsigned Ways      = 2,     // up to 16
  parameter int unsigned LineBytes = 64,    // a power of two, 32 to 256
  parameter int unsigned L1Latency = 28,    // of the configuration
  parameter bit          L1Data    = 1'b0,  // of the configuration
  parameter int unsigned Accesses  = 16,    // that may be under way, two at least
  parameter int unsigned Answers   = 3,     // lines that may come in a cycle
  localparam int unsigned LineBits  = $clog2(LineBytes),
  localparam int unsigned LaneBits  = $clog2(Lanes + 1),
  localparam int unsigned CountBits = $clog2(3 * Lanes + 1),
  localparam int unsigned IdBits    = $clog2(Accesses)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      empty_i,        // MEM-22, MEM-109, MEM-110: behind the line of this cycle; not between those of a load
  // a line of an access, in the order of the coalescer
  input  logic                      line_valid_i,
  input  logic                      line_store_i,   // of a store
  input  logic                      line_atomic_i,  // of an atomic; else of a load
  input  logic                      line_failed_i,  // of a store or an atomic that ends in a fault, behind what its lanes have done (MEM-123)
  input  logic [55:LineBits]        line_number_i,
  input  logic                      line_last_i,    // of its access
  input  logic [IdBits-1:0]         line_id_i,      // number of its access, which none that is under way has
  input  logic [CountBits-1:0]      line_lines_i,   // lines of its access
  input  logic [LaneBits-1:0]       line_lanes_i,   // lanes that do an atomic
  input  logic [LineBits:0]         line_charge_i,  // bytes of a store that count for bandwidth (ISA-87)
  input  logic [LineBytes-1:0]      line_bytes_i,   // that a store changes
  input  logic [LineBytes*8-1:0]    line_data_i,    // and to what
  // in the same cycle
  output logic                      found_o,        // the line is there
  output logic                      take_o,         // it is brought in
  output logic [3:0]                way_o,          // where it is, or is brought in
  output logic                      read_o,         // of a load, with L1Data: its bytes are not there
  input  logic [LineBytes*8-1:0]    read_data_i,    // what memory held when the load issued
  input  logic                      read_fault_i,   // it cannot be read, and the load ends
  output logic [LineBytes*8-1:0]    data_o,         // of a load: the bytes of the line
  output logic                      counted_o,      // the load is at its end, and did not fail:
  output logic [CountBits-1:0]      hits_o,         // its lines that were there
  output logic [CountBits-1:0]      misses_o,       // and that were not
  // to the L2 cache or the bus
  output logic                      request_valid_o, // a line is read, of an atomic also written, behind that
  output logic                      request_atomic_o,
  output logic [55:LineBits]        request_number_o,
  output logic [IdBits-1:0]         request_id_o,
  output logic                      store_valid_o,   // a line is written
  output logic [55:LineBits]        store_number_o,
  output logic [LineBits:0]         store_bytes_o,
  output logic [IdBits-1:0]         store_id_o,
  input  logic [Answers-1:0]        answer_valid_i,  // a line has come or is accepted, in a later cycle than it was asked for in
  input  logic [Answers*IdBits-1:0] answer_id_i,     // of this access
  output logic [Accesses-1:0]       over_o           // the access is over, and its number free from the next cycle on
);
  localparam int unsigned NumberBits = 56 - LineBits;
  localparam int unsigned SetBits    = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned TagBits    = NumberBits - (Sets > 1 ? SetBits : 0);
  localparam int unsigned WayBits    = Ways > 1 ? $clog2(Ways) : 1;
  localparam int unsigned Places     = Sets * Ways;
  localparam int unsigned PlaceBits  = Places > 1 ? $clog2(Places) : 1;
  localparam int unsigned Halves     = 2 << PlaceBits;
  localparam logic [NumberBits-1:0] SystemLine = NumberBits'(galena_pkg::WindowSystemBase >> LineBits);

  logic [NumberBits-1:0] number;
  logic                  load, holds; // holds: a line that the cache may hold (MEM-111)
  assign number = line_number_i;
  assign load   = line_valid_i && !line_store_i && !line_atomic_i;
  assign holds  = !L1Data || number < SystemLine;

  // ---- places: what there is, and what there was when the load in progress began ----
  logic [Places-1:0]         valid_q, valid_d, valid_before_q;
  logic [Places-1:0]         half_q, half_d, half_before_q; // of the place, that has its line
  logic [Places*WayBits-1:0] age_q, age_d, age_before_q;    // ways of the set that were used after it
  logic [TagBits-1:0]        tag_q [Halves];
  logic                      open_q, open_d;                // within a load

  logic [SetBits-1:0]        set;
  logic [TagBits-1:0]        tag;
  logic [Ways-1:0]           valid, match;
  logic [Ways*WayBits-1:0]   age;
  logic [Ways*PlaceBits-1:0] place;
  assign set = Sets > 1 ? number[SetBits-1:0] : '0;
  assign tag = TagBits'(number >> (Sets > 1 ? SetBits : 0));
  for (genvar i = 0; i < Ways; i++) begin : gen_way
    logic [PlaceBits-1:0] own;
    assign own = PlaceBits'(32'(set) * Ways + i);
    assign place[i*PlaceBits+:PlaceBits] = own;
    assign valid[i] = valid_q[own];
    assign match[i] = holds && valid[i] && tag_q[{own, L1Data && half_q[own]}] == tag;
    assign age[i*WayBits+:WayBits] = age_q[own*WayBits+:WayBits];
  end

  // ---- the look-up ----
  logic                 found, brings, uses, drops, undo;
  logic [WayBits-1:0]   way, way_age;
  logic [PlaceBits-1:0] at;
  assign found = match != '0;
  always_comb begin
    way = '0;
    if (found) begin
      for (int unsigned i = 0; i < Ways; i++) if (match[i]) way = WayBits'(i);
    end else if (valid != '1) begin // the lowest one that is empty
      for (int unsigned i = Ways; i > 0; i--) if (!valid[i-1]) way = WayBits'(i - 1);
    end else begin                  // the one that was used longest ago
      for (int unsigned i = 0; i < Ways; i++) if (age[i*WayBits+:WayBits] == WayBits'(Ways - 1)) way = WayBits'(i);
    end
  end
  assign at      = place[way*PlaceBits+:PlaceBits];
  assign way_age = age[way*WayBits+:WayBits];
  assign read_o  = L1Data && load && !found;
  assign undo    = read_o && read_fault_i;
  assign brings  = load && holds && !found && !undo;
  assign uses    = brings || (found && (load || store_valid_o));
  assign drops   = L1Data && line_valid_i && line_atomic_i && found;
  assign found_o = line_valid_i && found;
  assign take_o  = brings;
  assign way_o   = 4'(way);

  // ---- what there is from the next cycle on ----
  assign open_d = line_valid_i ? load && !line_last_i && !undo : open_q;
  always_comb begin
    valid_d = undo ? valid_before_q : valid_q;
    half_d  = undo ? half_before_q : half_q;
    age_d   = undo ? age_before_q : age_q;
    if (brings) begin
      valid_d[at] = 1'b1;
      half_d[at]  = L1Data && !half_before_q[at];
    end
    if (drops) valid_d[at] = 1'b0;
    if (uses) begin
      for (int unsigned i = 0; i < Ways; i++) begin
        if (WayBits'(i) == way) age_d[place[i*PlaceBits+:PlaceBits]*WayBits+:WayBits] = '0;
        else if (age[i*WayBits+:WayBits] < way_age) age_d[place[i*PlaceBits+:PlaceBits]*WayBits+:WayBits] = age[i*WayBits+:WayBits] + WayBits'(1);
      end
    end
    if (empty_i) valid_d = '0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q  <= 1'b0;
      valid_q <= '0;
      half_q  <= '0;
      for (int unsigned i = 0; i < Places; i++) age_q[i*WayBits+:WayBits] <= WayBits'(i % Ways);
    end else begin
      open_q  <= open_d;
      valid_q <= valid_d;
      half_q  <= half_d;
      age_q   <= age_d;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_before_q <= '0;
      half_before_q  <= '0;
      for (int unsigned i = 0; i < Places; i++) age_before_q[i*WayBits+:WayBits] <= WayBits'(i % Ways);
    end else if (!open_d) begin
      valid_before_q <= valid_d;
      half_before_q  <= half_d;
      age_before_q   <= age_d;
    end
  end
  always_ff @(posedge clk_i) if (brings) tag_q[{at, L1Data && half_d[at]}] <= tag;

  // ---- bytes ----
  if (L1Data) begin : gen_data
    logic [LineBytes*8-1:0] data_q [Halves];
    logic [LineBytes*8-1:0] held, stored;
    logic                   stores;
    assign held   = data_q[{at, half_q[at]}];
    assign data_o = found ? held : read_data_i;
    assign stores = line_valid_i && line_store_i && found;
    for (genvar b = 0; b < LineBytes; b++) begin : gen_byte
      assign stored[b*8+:8] = line_bytes_i[b] ? line_data_i[b*8+:8] : held[b*8+:8];
    end
    always_ff @(posedge clk_i) if (brings || stores) data_q[{at, half_d[at]}] <= brings ? read_data_i : stored;
  end else begin : gen_no_data
    logic unused;
    assign data_o = read_data_i; // MEM-104
    assign unused = ^{line_bytes_i, line_data_i};
  end

  // ---- counters ----
  logic [CountBits-1:0] hits_q, misses_q; // of the load in progress
  assign counted_o = load && line_last_i && !undo;
  assign hits_o    = (open_q ? hits_q : '0) + CountBits'(found);
  assign misses_o  = (open_q ? misses_q : '0) + CountBits'(!found);
  always_ff @(posedge clk_i) begin
    if (load) begin
      hits_q   <= hits_o;
      misses_q <= misses_o;
    end
  end

  // ---- what is asked for ----
  logic asks, ends, leaves, left; // asks, ends: a line, the end of a load or an atomic goes into the delay; leaves, left: comes out of it
  logic [IdBits-1:0] left_id;
  assign asks            = (load && !found && !undo) || (line_valid_i && line_atomic_i && !line_failed_i);
  assign ends            = line_valid_i && line_last_i && !line_store_i && !line_failed_i && !undo;
  assign request_valid_o = leaves;
  assign request_id_o    = left_id;
  if (L1Latency > 0) begin : gen_delay
    localparam int unsigned StepBits  = L1Latency > 1 ? $clog2(L1Latency) : 1;
    localparam int unsigned EntryBits = NumberBits + IdBits + 1;
    logic [StepBits-1:0]  step_q;                 // what went in L1Latency cycles ago, and in whose place the line of this cycle goes
    logic [L1Latency-1:0] asks_q, ends_q, open_by_q; // open_by: of the load in progress
    logic [EntryBits-1:0] entry_q [L1Latency];
    assign leaves = asks_q[step_q];
    assign left   = ends_q[step_q];
    assign {request_atomic_o, left_id, request_number_o} = entry_q[step_q];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        step_q    <= '0;
        asks_q    <= '0;
        ends_q    <= '0;
        open_by_q <= '0;
      end else begin
        step_q            <= step_q == StepBits'(L1Latency - 1) ? '0 : step_q + StepBits'(1);
        asks_q            <= undo ? asks_q & ~open_by_q : asks_q;
        open_by_q         <= open_d ? open_by_q : '0;
        asks_q[step_q]    <= asks;
        ends_q[step_q]    <= ends;
        open_by_q[step_q] <= open_d && asks;
      end
    end
    always_ff @(posedge clk_i) if (asks || ends) entry_q[step_q] <= {line_atomic_i, line_id_i, number};
  end else begin : gen_at_once
    assign leaves           = asks;
    assign left             = ends;
    assign left_id          = line_id_i;
    assign request_atomic_o = line_atomic_i;
    assign request_number_o = number;
  end
  assign store_valid_o  = line_valid_i && line_store_i && !line_failed_i;
  assign store_number_o = number;
  assign store_bytes_o  = line_charge_i;
  assign store_id_o     = line_id_i;

  // ---- accesses under way ----
  logic                ends_now, sets_rest; // a store, or an access that fails; an atomic
  logic [LaneBits-1:0] rest;                // cycles that an atomic takes behind its last answer (ISA-95)
  assign ends_now  = (line_valid_i && line_last_i && (line_store_i || line_failed_i)) || undo;
  assign rest      = LaneBits'(32'(line_lanes_i) / (line_lines_i == '0 ? 32'd1 : 32'(line_lines_i)));
  assign sets_rest = line_valid_i && line_atomic_i && !line_failed_i;
  for (genvar a = 0; a < Accesses; a++) begin : gen_access
    logic                 closed_q, closed; // all of its lines have been asked for that are going to be
    logic [CountBits-1:0] pending_q, pending;
    logic [LaneBits-1:0]  rest_q;
    logic                 answered;
    always_comb begin
      pending = pending_q;
      if (leaves && left_id == IdBits'(a)) pending = pending + CountBits'(1);
      if (store_valid_o && line_id_i == IdBits'(a)) pending = pending + CountBits'(1);
      for (int unsigned i = 0; i < Answers; i++) begin
        if (answer_valid_i[i] && answer_id_i[i*IdBits+:IdBits] == IdBits'(a)) pending = pending - CountBits'(1);
      end
    end
    assign closed    = closed_q || (left && left_id == IdBits'(a)) || (ends_now && line_id_i == IdBits'(a));
    assign answered  = closed && pending == '0;
    assign over_o[a] = answered && rest_q == '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        closed_q  <= 1'b0;
        pending_q <= '0;
        rest_q    <= '0;
      end else begin
        closed_q  <= closed && !over_o[a];
        pending_q <= pending;
        if (sets_rest && line_id_i == IdBits'(a)) rest_q <= rest;
        else if (answered && !over_o[a]) rest_q <= rest_q - LaneBits'(1);
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) line_valid_i |-> !(line_store_i && line_atomic_i))
  else $error("a line of a store and of an atomic");
  assert property (@(posedge clk_i) open_q && line_valid_i |-> load && $stable(line_id_i))
  else $error("a line of another access within a load");
  assert property (@(posedge clk_i) empty_i |-> !open_d)
  else $error("the cache is emptied within a load");
  assert property (@(posedge clk_i) (match & (match - Ways'(1))) == '0)
  else $error("a line is in two ways");
  for (genvar a = 0; a < Accesses; a++) begin : gen_assert
    assert property (@(posedge clk_i) gen_access[a].pending <= CountBits'(3 * Lanes))
    else $error("more answers than lines that were asked for");
    assert property (@(posedge clk_i) gen_access[a].closed_q |-> !(line_valid_i && line_id_i == IdBits'(a)))
    else $error("a line of an access that waits for its answers");
  end
`endif
endmodule
