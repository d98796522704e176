# Sourced by .ci/run and .ci/full.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p out/tests

# run_steps COMMAND STEP...: runs the function step_STEP for each, one after the other. The last line names a failed step.
run_steps() {
  local command=$1 name status started
  local -a times=()
  shift
  for name in "$@"; do
    printf '\n== %s\n' "$name"
    started=$SECONDS
    # Not in a condition: Bash ignores `set -e` there.
    set +e
    (set -euo pipefail; "step_$name")
    status=$?
    set -e
    times+=("$(printf '%5d s  %s' $((SECONDS - started)) "$name")")
    if [ "$status" -ne 0 ]; then
      printf '\n%s\n' "${times[@]}"
      printf '\nFailed: %s. Repeat this step: %s %s\n' "$name" "$command" "$name"
      exit 1
    fi
  done
  printf '\n%s\n' "${times[@]}"
}

# check_names NAME...: ends the script if a step is unknown.
check_names() {
  local name
  for name in "$@"; do
    declare -F "step_$name" >/dev/null && continue
    printf 'Unknown step: %s. Choose from: %s\n' "$name" "${steps[*]}"
    exit 2
  done
}

# Commands that run at the same time: `aside NAME COMMAND...`, then `together`, which prints the output of those that failed.
names=() pids=()
aside() { local name=$1; shift; ("$@" >"out/tests/$name.log" 2>&1) & names+=("$name"); pids+=($!); }
together() {
  local failed=0 index
  for index in "${!pids[@]}"; do
    wait "${pids[$index]}" || { failed=1; printf '\n-- %s failed\n' "${names[$index]}"; cat "out/tests/${names[$index]}.log"; }
  done
  names=() pids=()
  return "$failed"
}

# system_packages COMMAND=PACKAGE...: installs the Debian packages whose command is missing.
system_packages() {
  local pair
  local -a missing=()
  for pair in "$@"; do command -v "${pair%%=*}" >/dev/null || missing+=("${pair#*=}"); done
  [ "${#missing[@]}" -eq 0 ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; }
}

# python_packages FILE: installs a list of requirements into .venv once.
python_packages() {
  [ -x .venv/bin/python ] || python3 -m venv .venv
  cmp -s "$1" ".venv/$(basename "$1")" && return
  .venv/bin/pip install --quiet --disable-pip-version-check -r "$1"
  cp "$1" ".venv/$(basename "$1")"
}

# vitest_run NAME ARGUMENT...: runs Vitest and keeps its results in out/tests/NAME.json.
vitest_run() {
  local name=$1
  shift
  SITEFRAME_TEST_RESULTS="out/tests/$name.json" npx vitest run "$@"
}
