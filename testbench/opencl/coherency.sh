#!/bin/sh
# Programs on devices that are not coherent with their host: the driver's maintenance makes them right.
# They are tests of their own; here they run with GALENA_CONFIG=...,coherent=0.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
# testbench/opencl/rules.mk reads them here, too
tests="driver/transfer driver/queues opencl/buffer opencl/map opencl/import opencl/import_dmabuf opencl/import_protected opencl/import_hardware_buffer opencl/external_memory opencl/image opencl/kernel opencl/ndrange opencl/printf opencl/program opencl/event opencl/svm opencl/svm_commands opencl/va"
# of many units, make check tries what maintains caches by itself; make check-long all of it
several="driver/queues opencl/buffer opencl/map opencl/import_dmabuf opencl/import_hardware_buffer opencl/external_memory opencl/svm"
[ -z "${CHECK_LONG:-}" ] || several=$tests
for config in full,coherent=0 mini,coherent=0; do
	case $config in full*) these=$several ;; *) these=$tests ;; esac
	for t in $these; do
		# these break rules of the device on purpose: nobody checks them here
		case $t in opencl/import_dmabuf | opencl/import_protected) unchecked="-u GALENA_CHECK" ;; *) unchecked= ;; esac
		# shellcheck disable=SC2086
		capture env $unchecked GALENA_CONFIG=$config "$build/test/$t"
		check "$t with $config" [ "$status" = 0 ]
	done
done
finish
