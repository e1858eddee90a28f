# What every library, program and test of the kit uses: each takes from it what it needs.
$(call archive,base,$(wildcard base/*.c))
