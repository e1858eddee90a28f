// The semaphore unit: a wait for each waiter on a payload in memory, and looks at waiters whose payload may have come.
//
// It does one thing after the other. arm_i, store_i and notify_i are for a unit that is free; of those that come in one cycle it takes arm_i
// before store_i before notify_i. All waiters of the address are found in that cycle, and looked at one by one, the lowest first. A look
// is an access of the payload, and a second one that clears it where a binary wait is over. An access begins in the cycle in which the one
// before has its answer, and has its own in a later cycle; at an address that is no multiple of 8 that is the next one, without an access.
module sem (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  galena_pkg::sem_arm_t      arm_i,
  input  logic                      arm_valid_i,
  output logic                      arm_ready_o,
  input  galena_pkg::sem_store_t    store_i,
  input  logic                      store_valid_i,
  output logic                      store_ready_o,
  input  galena_pkg::sem_notify_t   notify_i,
  input  logic                      notify_valid_i,
  output logic                      notify_ready_o,
  output galena_pkg::sem_stored_t   stored_o,
  output logic                      stored_valid_o,
  output galena_pkg::sem_woken_t    woken_o,
  output logic                      woken_valid_o,
  output galena_pkg::sem_request_t  request_o,
  output logic                      request_valid_o,
  input  logic                      request_ready_i,
  input  galena_pkg::sem_response_t response_i,
  input  logic                      response_valid_i
);
  localparam int unsigned Waiters = 32; // queues, and behind them slots of the host

  typedef enum logic [1:0] {
    Free,
    Storing,
    Reading,
    Clearing
  } state_e;
  state_e state_q, state_d;

  // what is armed
  logic [Waiters-1:0] armed_q, armed_d;
  logic [63:0]        wait_address_q [Waiters];
  logic [63:0]        wait_value_q   [Waiters];
  logic [Waiters-1:0] wait_binary_q;

  // what it is at: the payload, the waiters that are left, of whom the lowest is looked at, and whether memory has not taken the request
  logic [63:0]        payload_q, payload_d;
  logic [63:0]        value_q;
  logic               host_q;
  logic [Waiters-1:0] left_q, left_d;
  logic               asking_q;

  // the waiter that is looked at
  logic [4:0]         waiter;
  logic [Waiters-1:0] waiter_bit;
  always_comb begin
    waiter = '0;
    for (int i = Waiters - 1; i >= 0; i--) if (left_q[i]) waiter = 5'(i);
    waiter_bit = left_q & (~left_q + 32'd1);
  end

  // what comes of the access
  logic       misaligned, ended, satisfied, clears, looked, goes_on, free;
  logic [7:0] fault;
  assign misaligned = payload_q[2:0] != 3'd0;
  assign ended      = state_q != Free && (misaligned || response_valid_i);
  assign fault      = misaligned ? 8'(galena_pkg::FaultMisaligned) : response_i.fault;
  assign satisfied  = wait_binary_q[waiter] ? response_i.data != 64'd0 : response_i.data >= wait_value_q[waiter];
  assign clears     = ended && state_q == Reading && fault == 8'd0 && wait_binary_q[waiter] && satisfied;
  assign looked     = ended && state_q != Storing && !clears;
  assign goes_on    = state_q == Storing ? fault == 8'd0 && left_q != '0 : (left_q & ~waiter_bit) != '0;
  assign free       = state_q == Free || (ended && !clears && !goes_on);

  assign stored_valid_o = ended && state_q == Storing;
  assign stored_o       = {fault, host_q};
  assign woken_valid_o  = looked && (state_q == Clearing || fault != 8'd0 || satisfied);
  assign woken_o        = {waiter, payload_q, fault, state_q == Clearing ? galena_pkg::AccessWrite : galena_pkg::AccessRead};

  // what is asked for
  logic arms, stores, notifies;
  assign arm_ready_o    = free;
  assign store_ready_o  = free && !arm_valid_i;
  assign notify_ready_o = free && !arm_valid_i && !store_valid_i;
  assign arms           = arm_valid_i && arm_ready_o;
  assign stores         = store_valid_i && store_ready_o;
  assign notifies       = notify_valid_i && notify_ready_o;

  // waiters of the address that is stored or notified, without the one that wakes now; none waits at address 0
  logic [Waiters-1:0] still_armed, waiters;
  logic [63:0]        address;
  always_comb begin
    still_armed = armed_q & ~(woken_valid_o ? waiter_bit : '0);
    address     = store_valid_i ? store_i.address : notify_i.address;
    for (int i = 0; i < Waiters; i++) waiters[i] = still_armed[i] && wait_address_q[i] == address;
  end

  always_comb begin
    armed_d = still_armed;
    if (arms) armed_d[arm_i.waiter] = arm_i.address != 64'd0;
  end

  // what begins
  logic begins;
  always_comb begin
    state_d   = free ? Free : state_q;
    payload_d = payload_q;
    left_d    = looked ? left_q & ~waiter_bit : left_q;
    begins    = 1'b0;
    if (arms) begin
      begins    = arm_i.address != 64'd0;
      state_d   = begins ? Reading : Free;
      payload_d = arm_i.address;
      left_d    = 32'd1 << arm_i.waiter;
    end else if (stores) begin
      begins    = 1'b1;
      state_d   = Storing;
      payload_d = store_i.address;
      left_d    = waiters;
    end else if (notifies) begin
      begins    = waiters != '0;
      state_d   = begins ? Reading : Free;
      payload_d = notify_i.address;
      left_d    = waiters;
    end else if (clears) begin
      begins  = 1'b1;
      state_d = Clearing;
    end else if (ended && goes_on) begin
      begins  = 1'b1;
      state_d = Reading;
    end
  end

  assign request_valid_o = (begins && payload_d[2:0] == 3'd0) || asking_q;
  assign request_o       = {payload_d, state_d != Reading, state_d != Storing ? 64'd0 : stores ? store_i.value : value_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Free;
      armed_q  <= '0;
      asking_q <= 1'b0;
    end else begin
      state_q  <= state_d;
      armed_q  <= armed_d;
      asking_q <= request_valid_o && !request_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    payload_q <= payload_d;
    left_q    <= left_d;
    if (stores) begin
      value_q <= store_i.value;
      host_q  <= store_i.host;
    end
    if (arms) begin
      wait_address_q[arm_i.waiter] <= arm_i.address;
      wait_value_q[arm_i.waiter]   <= arm_i.value;
      wait_binary_q[arm_i.waiter]  <= arm_i.mode == galena_pkg::SemModeBinary;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) response_valid_i |-> state_q != Free && !misaligned && !asking_q)
  else $error("an answer of memory to no request");
  assert property (@(posedge clk_i) request_valid_o |-> request_o.address[2:0] == 3'd0)
  else $error("a request at an address that is no multiple of 8");
  assert property (@(posedge clk_i) !request_ready_i && request_valid_o |=> request_valid_o && $stable(request_o))
  else $error("a request that has not been taken changes");
  assert property (@(posedge clk_i) state_q == Reading || state_q == Clearing |-> (armed_q & waiter_bit) != '0)
  else $error("a look at a waiter that is not armed");
  assert property (@(posedge clk_i) state_q == Clearing |-> wait_binary_q[waiter])
  else $error("a timeline wait clears its payload");
  assert property (@(posedge clk_i) arm_valid_i && !arm_ready_o |=> arm_valid_i && $stable(arm_i))
  else $error("an arming that has not been taken changes");
  assert property (@(posedge clk_i) store_valid_i && !store_ready_o |=> store_valid_i && $stable(store_i))
  else $error("a store that has not been taken changes");
  assert property (@(posedge clk_i) notify_valid_i && !notify_ready_o |=> notify_valid_i && $stable(notify_i))
  else $error("a notification that has not been taken changes");
`endif
endmodule
