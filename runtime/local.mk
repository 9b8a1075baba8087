# runtime
include runtime/samplers/step_local.mk
