/* The log: a ring of bytes in system memory. */
#include "firmware/firmware.h"
#include <stdarg.h>

static void put(char c)
{
	((volatile char *)boot.log)[boot.log_written++ & (boot.log_size - 1)] = c;
}

static void put_number(uint64_t v, unsigned base)
{
	char digits[20];
	size_t n = 0;
	do
		digits[n++] = "0123456789abcdef"[v % base];
	while (v /= base);
	while (n)
		put(digits[--n]);
}

void log_print(const char *f, ...)
{
	va_list ap;
	va_start(ap, f);
	for (; *f; f++) {
		if (*f != '%') {
			put(*f);
			continue;
		}
		bool wide = false;
		while (*++f == 'l')
			wide = true;
		if (*f == 's') {
			for (const char *s = va_arg(ap, const char *); *s; s++)
				put(*s);
		} else if (*f == 'u' || *f == 'x') {
			uint64_t v = wide ? va_arg(ap, uint64_t) : va_arg(ap, unsigned);
			put_number(v, *f == 'x' ? 16 : 10);
		} else if (!*f) {
			break;
		} else {
			put(*f);
		}
	}
	va_end(ap);
	boot_shared->log_written = boot.log_written;
	CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_LOG;
}
