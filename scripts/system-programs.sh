#!/bin/sh
# Installs the system programs that some tests and later commands use, where that is allowed (root on Debian).
# Elsewhere it only says how to get them; whatever needs a missing program skips itself with that reason.
set -u

programs="chromium stockfish gnubg xskat"
missing=""
for program in $programs; do
  command -v "$program" >/dev/null 2>&1 || [ -x "/usr/games/$program" ] || missing="$missing $program"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing system programs:$missing"
  export DEBIAN_FRONTEND=noninteractive
  if apt-get update -qq >/dev/null 2>&1; then
    for program in $missing; do
      apt-get install -y -qq --no-install-recommends "$program" >/dev/null 2>&1 ||
        echo "could not install $program; what needs it is skipped"
    done
  else
    echo "the package list could not be read; not installed:$missing (what needs them is skipped)"
  fi
else
  echo "not installed:$missing (what needs them is skipped)."
  echo "On Debian or Ubuntu: sudo apt-get install$missing"
fi
exit 0
