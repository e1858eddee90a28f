/* What a program tells its recorder through the ring. Numbers are the host's: both are processes of one machine and one build. */
#ifndef GALENA_TRACES_MESSAGES_H
#define GALENA_TRACES_MESSAGES_H
#include "abi/bus.h"
#include "abi/counters.h"
#include "abi/events.h"

enum message_kind {
	/* requests, which are answered */
	MESSAGE_TRACE_OPEN = 1, /* message_device: its bus is recorded or hashed from here on */
	MESSAGE_EVENTS_OPEN,    /* message_device: its events follow */
	MESSAGE_COUNTERS_OPEN,  /* message_device: what it counts is reported at the end */
	MESSAGE_INJECT_OPEN,    /* message_injections: a device is asked for faults */
	MESSAGE_PROFILE_OPEN,   /* the name of a file that a device keeps its profile in, with its end */
	MESSAGE_OPENS,          /* these start a recorder */
	MESSAGE_TRACE_CLOSE = MESSAGE_OPENS, /* message_close */
	MESSAGE_EVENTS_CLOSE,   /* message_close */
	MESSAGE_END,            /* the program ends as it should: every file is completed, reports are made */
	MESSAGE_TOLD,           /* the rest */
	MESSAGE_RECORD = MESSAGE_TOLD,        /* message_record */
	MESSAGE_MEMORY,         /* message_memory, data unless refused for reading */
	MESSAGE_EVENT,          /* message_event */
	MESSAGE_COMPLETE,       /* message_complete */
	MESSAGE_INJECTION,      /* message_event: INJECT or INJECTED of a fault that was asked for */
	MESSAGE_COUNTERS,       /* message_counters: as they are now */
	MESSAGE_COUNTED,        /* message_counted: a command has ended; behind it its name, with its end */
};

struct message_device {
	uint32_t index, speed;
	char name[32], config[1024];
};
struct message_close { uint32_t device; };
struct message_record {
	uint32_t kind, device; /* enum trace_kind */
	uint64_t a, b;
};
struct message_memory {
	uint32_t kind, device;
	uint64_t address, length;
	uint32_t ok, reserved;
};
struct message_event {
	uint64_t device;
	struct event event;
};
struct message_complete { uint64_t device, cycle; };
struct message_counters {
	uint64_t device, cycle;
	struct counter_values values;
};
struct message_counted {
	uint64_t device, cycles;
	struct counter_values values; /* that it has added */
};
struct message_injections {
	uint32_t device, reserved;
	char text[]; /* of GALENA_INJECT, with its end */
};

#endif
