# gcov and lcov over everything in C: build/coverage/index.html and one summary line.
coverage: ## line and branch coverage of all C code (build/coverage/index.html)
	$(Q)$(MAKE) BUILD=build/cov COV='--coverage -fprofile-update=atomic' OPT=-O1 check
	$(Q)mkdir -p build/coverage
	$(Q)lcov --quiet --capture --directory build/cov/obj --base-directory . --no-external \
		--rc lcov_branch_coverage=1 --output-file build/coverage/all.info
	$(Q)lcov --quiet --remove build/coverage/all.info '*/testbench/*' '*/bench/*' --rc lcov_branch_coverage=1 \
		--output-file build/coverage/galena.info
	$(Q)genhtml --quiet --branch-coverage --title Galena --output-directory build/coverage build/coverage/galena.info
	@lcov --summary build/coverage/galena.info --rc lcov_branch_coverage=1 2>&1 | \
		awk '/lines/ { l = $$2 } /functions/ { f = $$2 } /branches/ { b = $$2 } \
		END { print "coverage: lines " l ", functions " f ", branches " b " (build/coverage/index.html)" }'
.PHONY: coverage
