# Lockstep: compares what two devices do, event by event.
$(call archive,lockstep,lockstep/lockstep.c lockstep/print.c)
