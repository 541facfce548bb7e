#!/bin/sh
# Runs the benchmarks in an environment of their own, which has the peers too: sh benchmarks/run.sh [answer|progress|speed|calibration|scale|ranks|curves|recovery|intervals|luck|population|evidence|strength|nuts|noise|systems|moves|skat|engine|comparisons|peers|growth|forecasts|sides|full_scale|adversary|dependence|legal] [...]
set -eu
cd "$(dirname "$0")/.."
if [ ! -e .venv-benchmarks/.ready ] || [ requirements/benchmarks.txt -nt .venv-benchmarks/.ready ]; then
  "${PYTHON:-python3}" -m venv .venv-benchmarks
  .venv-benchmarks/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/benchmarks.txt
  .venv-benchmarks/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
  touch .venv-benchmarks/.ready
fi
which=${1:-all}
[ $# -eq 0 ] || shift
case $which in
  all) for part in answer progress speed calibration scale ranks curves recovery intervals luck population evidence strength nuts noise systems moves skat engine comparisons peers forecasts sides adversary dependence legal; do .venv-benchmarks/bin/python "benchmarks/$part.py"; done ;;
  *) .venv-benchmarks/bin/python "benchmarks/$which.py" "$@" ;;
esac
