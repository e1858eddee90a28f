# Programs that know nothing of Galena: ffmpeg, clinfo, clpeak; and what the libraries are made of.
# The checks are shell scripts; copied, so that each test is a program below BUILD/test.
CLIENTS := $(BUILD)/test/clients
$(call program,test/clients/frame_compare,testbench/clients/frame_compare.c)
$(call program,test/clients/mapped_files,testbench/clients/mapped_files.c,,-lOpenCL)
$(call program,test/clients/reload,testbench/clients/reload.c)
$(CLIENTS)/layer.so: $(BUILD)/obj/testbench/clients/layer.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $< $(ALL_LDFLAGS)

define clients_script_rule
$(CLIENTS)/$(1): testbench/clients/$(1).sh $(CLIENTS)/tap.sh $(addprefix $(CLIENTS)/,$(2))
	$$(call say,COPY,$$@)
	@mkdir -p $$(@D)
	$$(Q)install -m 755 $$< $$@
TESTS += $(CLIENTS)/$(1)
endef
# $(call clients_script,NAME,FILES): testbench/clients/NAME.sh as a test, with the files that it needs beside it
clients_script = $(eval $(call clients_script_rule,$(1),$(2)))

$(CLIENTS)/tap.sh $(CLIENTS)/filters.cl: $(CLIENTS)/%: testbench/clients/%
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

$(call clients_script,clinfo)
$(call clients_script,libraries,mapped_files)
$(call clients_script,loader,reload layer.so)
$(call clients_script,ffmpeg,frame_compare filters.cl)
$(call clients_script,ffmpeg_va_opencl,frame_compare)
$(CLIENTS)/ffmpeg_va_opencl: | $(LIBDIR)/galena_drv_video.so $(LIBDIR)/libgalena-drm.so $(BUILD)/share/galena/renderD128
$(call clients_script,ffmpeg_vulkan,frame_compare)
$(call clients_script,ffmpeg_vaapi,frame_compare)
$(call clients_script,clpeak)
$(call clients_script,hashcat)
$(call clients_script,clblast)
$(call clients_script,pyopencl)
