#include "regs_shim.h"
#include "Vgalena_regs.h"
#include "verilated.h"
#include <new>

struct port {
	void *at;
	size_t bytes;
};

struct regs_shim {
	VerilatedContext context;
	Vgalena_regs top{&context, "galena_regs"};
};

extern "C" {

struct regs_shim *regs_shim_create(uint32_t device_index)
{
	regs_shim *s = new (std::nothrow) regs_shim;

	if (!s)
		return nullptr;
	s->top.device_index_i = device_index;
	s->top.rst_ni = 1;
	s->top.eval();
	return s;
}

void regs_shim_destroy(struct regs_shim *s)
{
	if (s)
		s->top.final();
	delete s;
}

void regs_shim_reset(struct regs_shim *s)
{
	s->top.req_valid_i = 0;
	s->top.clk_i = 0;
	s->top.rst_ni = 0;
	s->top.eval();
	s->top.rst_ni = 1;
	s->top.eval();
}

uint8_t *regs_shim_port(struct regs_shim *s, unsigned reg, bool out, size_t *bytes)
{
#define OUT(name) { &s->top.name##_o, sizeof(s->top.name##_o) }
#define IN(name) { &s->top.name##_i, sizeof(s->top.name##_i) }
#define NONE { nullptr, 0 }
#define PORTS(out, in) { out, in },
	const port ports[][2] = {
#include "galena_regs_ports.inc"
	};

	if (reg >= sizeof(ports) / sizeof(*ports))
		return nullptr;
	*bytes = ports[reg][!out].bytes;
	return static_cast<uint8_t *>(ports[reg][!out].at);
}

unsigned regs_shim_master(const struct regs_shim *s) { return s->top.req_master_o; }

bool regs_shim_access(struct regs_shim *s, const struct regs_shim_access *a)
{
	s->top.req_valid_i = a->valid;
	s->top.req_write_i = a->write;
	s->top.req_master_i = a->master & 1;
	s->top.req_size_i = a->size & 3;
	s->top.req_addr_i = a->address;
	s->top.req_wdata_i = a->data;
	s->top.clk_i = 0;
	s->top.eval();
	return s->top.req_valid_i && s->top.req_ready_o;
}

struct regs_shim_response regs_shim_step(struct regs_shim *s)
{
	s->top.clk_i = 1;
	s->top.eval();
	return { s->top.rsp_valid_o != 0, s->top.rsp_error_o != 0, s->top.rsp_rdata_o };
}

}
