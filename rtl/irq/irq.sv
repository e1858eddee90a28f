// The interrupt controller: what is pending for the command processor and for the host, and the line of each.
//
// It stands behind the register block and keeps nothing: what is pending is in the registers, and the clock is for the assertions. A strobe of
// the register block sets bits in the cycle in which it comes, the one after the access; what is set in a cycle is in the register, and on
// the line, in the next one. The timer is looked at in each cycle.
module irq #(
  localparam int unsigned Queues         = 16,
  localparam int unsigned DoorbellBits   = 65,
  localparam int unsigned DescriptorBits = 65,
  localparam int unsigned RequestBits    = 33
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  // causes of the host: HOST_IRQ, and in the cycle of each a wait of the host that is over, a memory error, a crash
  input  galena_pkg::regs2hw_cp_host_irq_t               cp_host_irq_i,
  input  logic                                           host_woken_i,
  input  logic                                           memory_error_i,
  input  logic                                           crash_i,
  output galena_pkg::hw2regs_host_irq_status_t           host_irq_status_o,
  // the host's line
  input  galena_pkg::regs2hw_host_irq_status_t           host_irq_status_i,
  input  galena_pkg::regs2hw_host_irq_enable_t           host_irq_enable_i,
  output logic                                           host_irq_o,
  // what the host asks of queues, arrays of the register block, each as one vector; a device that is lost is asked for nothing
  input  logic                                           lost_i,
  input  logic [Queues*DoorbellBits-1:0]                 host_doorbell_i,
  input  logic [Queues*DescriptorBits-1:0]               host_queue_desc_i,
  input  logic [Queues*RequestBits-1:0]                  host_queue_ctrl_i,
  output galena_pkg::hw2regs_cp_doorbell_pending_t       cp_doorbell_pending_o,
  output galena_pkg::hw2regs_cp_queue_pending_t          cp_queue_pending_o,
  output galena_pkg::hw2regs_cp_ctrl_pending_t           cp_ctrl_pending_o,
  // causes of the command processor, each cleared at its register
  input  galena_pkg::regs2hw_cp_doorbell_pending_t       cp_doorbell_pending_i,
  input  galena_pkg::regs2hw_cp_queue_pending_t          cp_queue_pending_i,
  input  galena_pkg::regs2hw_cp_ctrl_pending_t           cp_ctrl_pending_i,
  input  galena_pkg::regs2hw_cp_replay_pending_t         cp_replay_pending_i,
  input  galena_pkg::regs2hw_cp_dispatch_done_t          cp_dispatch_done_i,
  input  galena_pkg::regs2hw_cp_dma_done_t               cp_dma_done_i,
  input  galena_pkg::regs2hw_cp_media_done_t             cp_media_done_i,
  input  galena_pkg::regs2hw_cp_sem_woken_t              cp_sem_woken_i,
  input  galena_pkg::regs2hw_cp_timer_t                  cp_timer_i,
  input  logic [63:0]                                    cycle_i,
  output galena_pkg::hw2regs_cp_irq_pending_t            cp_irq_pending_o,
  // the command processor's line
  output galena_pkg::cp_irq_t                            irq_o
);
  // ---- the host ----
  always_comb begin
    host_irq_status_o = '0;
    if (cp_host_irq_i.qe) host_irq_status_o.hwset[7:0] = cp_host_irq_i.q.set_;
    if (host_woken_i) host_irq_status_o.hwset.sem = 1'b1;
    if (memory_error_i) host_irq_status_o.hwset.ecc = 1'b1;
    if (crash_i) host_irq_status_o.hwset.crash = 1'b1;
  end
  assign host_irq_o = (host_irq_status_i.q[7:0] & host_irq_enable_i.q.mask) != '0;

  // ---- queues ----
  logic [Queues-1:0]                    doorbells, descriptors, requests;
  galena_pkg::regs2hw_host_doorbell_t   doorbell;
  galena_pkg::regs2hw_host_queue_desc_t descriptor;
  galena_pkg::regs2hw_host_queue_ctrl_t request;
  always_comb begin
    for (int i = 0; i < Queues; i++) begin
      doorbell       = host_doorbell_i[i*DoorbellBits+:DoorbellBits];
      descriptor     = host_queue_desc_i[i*DescriptorBits+:DescriptorBits];
      request        = host_queue_ctrl_i[i*RequestBits+:RequestBits];
      doorbells[i]   = doorbell.qe;
      descriptors[i] = descriptor.qe;
      requests[i]    = request.qe && request.q != '0; // 0 asks for nothing, or says that it is done
    end
  end
  assign cp_doorbell_pending_o.hwset = {16'd0, lost_i ? '0 : doorbells};
  assign cp_queue_pending_o.hwset    = {16'd0, lost_i ? '0 : descriptors};
  assign cp_ctrl_pending_o.hwset     = {16'd0, lost_i ? '0 : requests};

  // ---- the command processor ----
  always_comb begin
    cp_irq_pending_o            = '0;
    cp_irq_pending_o.d.doorbell = cp_doorbell_pending_i.q != '0;
    cp_irq_pending_o.d.queue_   = cp_queue_pending_i.q != '0;
    cp_irq_pending_o.d.dispatch = cp_dispatch_done_i.q != '0;
    cp_irq_pending_o.d.dma      = cp_dma_done_i.q != '0;
    cp_irq_pending_o.d.sem      = cp_sem_woken_i.q != '0;
    cp_irq_pending_o.d.timer    = cp_timer_i.q != '0 && cycle_i >= cp_timer_i.q;
    cp_irq_pending_o.d.ctrl     = cp_ctrl_pending_i.q != '0;
    cp_irq_pending_o.d.replay   = cp_replay_pending_i.q != '0;
    cp_irq_pending_o.d.media    = cp_media_done_i.q != '0;
  end
  assign irq_o.level = cp_irq_pending_o.d != '0;

  // values that are the firmware's to read, bits that no field covers, and what reads of IRQ_STATUS tell
  logic unused;
  assign unused = ^{doorbell.q, descriptor.q, cp_host_irq_i.q, host_irq_status_i, host_irq_enable_i.q};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) host_irq_status_o.hwset != '0 |=> ($past(host_irq_status_o.hwset) & ~host_irq_status_i.q) == '0)
  else $error("a bit of IRQ_STATUS that was set is not there");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (host_irq_status_i.q & ~32'hff) == '0)
  else $error("IRQ_STATUS has a bit that no field covers");
  assert property (@(posedge clk_i) disable iff (!rst_ni) cp_irq_pending_o.d.timer |=> cp_irq_pending_o.d.timer || !$stable(cp_timer_i.q))
  else $error("CYCLE went back behind TIMER");
  assert property (@(posedge clk_i) disable iff (!rst_ni) cp_doorbell_pending_o.hwset != '0 |=> cp_irq_pending_o.d.doorbell && irq_o.level)
  else $error("a doorbell does not interrupt the command processor");
`endif
endmodule
