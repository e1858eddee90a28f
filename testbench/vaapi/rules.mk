# The VA-API driver as applications see it: through libva.
vaapi = $(call test,vaapi,$(1),testbench/vaapi/$(1).c testbench/vaapi/va_test.c,,-Wl$(comma)--no-as-needed -lgalena-drm -Wl$(comma)--as-needed -lva -lva-drm $(2) -lcmocka -lpthread -lm)
$(call vaapi,device)
$(call vaapi,surface,-lgalena-heap)
$(call vaapi,process)
$(call vaapi,picture)
$(call vaapi,jpeg,-ljpeg)
# what vainfo says
$(call script,vaapi,vainfo,testbench/vaapi/vainfo.sh)
# the same on other devices: it runs others
$(call script,vaapi,configurations,testbench/vaapi/configurations.sh)
$(BUILD)/test/vaapi/configurations: | $(addprefix $(BUILD)/test/,$(shell sed -n 's/^tests="\(.*\)"/\1/p' testbench/vaapi/configurations.sh))
