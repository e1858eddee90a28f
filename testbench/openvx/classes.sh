#!/bin/sh
# A type of data objects is one file with its class and one row of object_classes.def, and generic code finds it through the class.
. testbench/check.sh
folder=runtime/openvx
rows=$(sed -n 's/^OBJECT_CLASS(\([a-z_]*\))$/\1/p' $folder/object_classes.def)
classes=$(sed -n 's/^const struct object_class \([a-z_]*\)_class = {$/\1/p' $folder/*.c)
check "there are rows" [ -n "$rows" ]
check "each row has a class, and each class a row" [ "$(echo "$rows" | sort)" = "$(echo "$classes" | sort)" ]
for name in $rows; do
	check "$name: its class is in $name.c" grep -q "^const struct object_class ${name}_class = {" $folder/$name.c
done
# Files that name a type of data objects: those of the types, the built-in kernels, and those that have a reason.
reasons='
check.c valid regions, which images have
exchange.c valid regions
meta_format.c valid regions
graph.c delays that age by themselves
kernel.c delays, which are no outputs
ix_export.c images from handles
ix_origins.c objects that are made from others
ix_tables.c images of one value, which the device fills
queues.c scalars, which have no buffer until one is needed
object.h an example in a comment
'
types=$(sed -n 's/.*\.type = \(VX_TYPE_[A-Z_]*\),.*/\1/p' $(printf "$folder/%s.c " $rows) | paste -s -d '|')
for file in $(grep -lE "\b($types)\b" $folder/*.c $folder/*.h); do
	file=${file##*/}
	own=$(for name in $rows; do case $file in $name.c | ${name}_*.c) echo own ;; esac; done)
	case $file in vision_*.c) own=kernel ;; esac
	[ -n "$own" ] || check "$file has a reason to name a type" grep -q "^$file " <<-END
		$reasons
	END
done
for file in $(echo "$reasons" | sed '/^$/d; s/ .*//'); do
	check "$file still names a type" grep -qE "\b($types)\b" $folder/$file
done
finish
