# What the measurements say about fixed figures: never about this host's time.
$(call script,bench,compare,testbench/bench/compare.sh)
$(call script,bench,table,testbench/bench/table.sh)
