# Sourced by the examples that use the penumbra command:  . command.sh NAME  builds it, unless the caller names one in $PENUMBRA, and defines
# penumbra (runs it) and show (prints a command line, then runs it). The caller has set root.
if [[ -z ${PENUMBRA-} ]]; then
  "$root/toolchains/setup" >&2
  mkdir -p "$root/build"
  log=$root/build/$1.log
  [[ -x $root/build/host/bin/penumbra ]] || echo 'building the penumbra command, which takes some minutes the first time' >&2
  (cd -- "$root" && cmake --preset host && cmake --build --preset host --target penumbra) >"$log" 2>&1 ||
    { tail -n 40 -- "$log" >&2 && echo "$1: the penumbra command does not build; all of it: $log" >&2 && exit 1; }
  PENUMBRA=$root/build/host/bin/penumbra
fi

penumbra() { "$PENUMBRA" "$@"; }
show() { echo && echo "\$ $*" && "$@"; }
