# A process that has loaded a compiler and forks for each job: the client's side is an archive, the server's goes into the compiler.
COMPILE_SERVER_SERVE := compile_server/serve.c compile_server/text.c
$(foreach f,client start serve text,$(eval CFLAGS_compile_server_$(f) := -D_GNU_SOURCE))
$(call archive,compile_server,compile_server/client.c compile_server/start.c)
# ThreadSanitizer takes clone() for a fork, whose child is to see nothing, and would see nothing of the parent either: they share memory.
$(if $(findstring thread,$(SAN)),$(eval CFLAGS_base_spawn := -Dclone=__clone))
