# Goals of the study, which measures: `make help-study`.

# Needed by report, report-page and the suite `report`; and by spark alone.
setup_report := $(VENV)/.installed-report
setup_spark  := $(CACHE)/spark/.installed-$(SPARK_VERSION)
# Needed by bench and report, and by the study's tests of firmware and of the SoC.
setup_upb    := $(CACHE)/upb/.installed-$(UPB_VERSION)
$(setup_report): pyproject.toml | $(setup_python)
	@make/setup.sh report $@
$(setup_upb): | $(setup_python)
	@make/setup.sh upb $@
$(setup_spark): | setup-debian
	@make/setup.sh spark $@

run_bench       = study bench $(SUITE)
run_demo-skyway = study demo-skyway
run_profile     = study profile $(if $(MESSAGE),"$(MESSAGE)") $(own_message)
run_spark       = study.bench.spark --jars $(CACHE)/spark
run_report      = study.workflow $(if $(QUICK),--quick) $(if $(SUITE),--suites "$(SUITE)")
run_report-page = study.report $(if $(QUICK),--bench build/report/quick/bench --output build/report/quick/index.html $(if $(wildcard build/report/quick/cuts.json),--cuts build/report/quick/cuts.json) --markdown build/report/quick/results.md,--markdown build/report/results.md)

.PHONY: setup-upb
setup-upb: $(setup_upb)
.PHONY: bench bench-machines profile demo-skyway spark spark-programs report report-page power power-machine
# Some suites have machines of their own. What is common to all machines comes from the first.
suite_machines = $(PYTHON) -m study.bench.machines $(SUITE)
bench: $(call needs,bench,$(setup_upb) bench-machines)
	@env $$($(suite_machines) | cut -d' ' -f1 | tr , ' ') $(run)
bench-machines: | $(setup_python) $(if $(filter rpc,$(SUITE)),$(setup_pigweed))
	@machines=$$($(suite_machines)) || exit 1; for machine in $$machines; do $(MAKE) --no-print-directory firmware sim $$(echo $$machine | tr , ' ') || exit 1; done

profile: $(call needs,profile,verilog)
demo-skyway: $(call needs,demo-skyway,firmware sim)
spark: $(call needs,spark,$(setup_spark) spark-programs)
report-page: $(call needs,report-page,$(setup_report))
profile demo-skyway spark report-page:
	@$(run)
spark-programs:
	@$(MAKE) --no-print-directory -C study/java spark JARS=$(abspath $(CACHE)/spark) OUT=$(abspath build/spark)

# Makes the page from the rows that exist, even if not everything could be measured.
report: $(call needs,report,$(setup_report) $(setup_upb))
	@$(if $(asked),$(run),mkdir -p build && exec 9>build/.report && \
	 { flock -n 9 || { echo "report: another one runs in this tree. What to do: wait for it" >&2; exit 1; }; } && $(run) || \
	 { $(PYTHON) -m $(run_report-page); echo "report: not all was measured (above); what was is on the page. What to do: run make report again, it goes on where it stopped" >&2; exit 1; })

power: $(setup_synth)
	@$(MAKE) --no-print-directory power-machine CONFIG=cereal
power-machine: verilog firmware $(TRACE_SIM)
	@$(PYTHON) -m study.power --data-width $(DATA_WIDTH)
