# shellcheck shell=bash
# Sourced by every checker of this folder. A checker takes the root of a source tree, prints one line for each
# finding, and fails if there was one. Taking the root as an argument is what lets self_check.sh hand it bad trees.

set -euo pipefail
export LC_ALL=C

policy_dir=${BASH_SOURCE[0]%/*}
[[ $policy_dir == /* ]] || policy_dir=$PWD/$policy_dir # a checker may go elsewhere before it reads a table

# table <file>: the lines of a data file of this folder, without comments and blank lines.
table() { sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$policy_dir/$1"; }

# files_under <root> <extension>...: paths relative to the root, sorted; never build trees or hidden folders.
files_under() {
    local root=$1 names=() extension
    shift
    for extension in "$@"; do names+=(-o -name "*.$extension"); done
    find "$root/" -mindepth 1 \( -name build -o -name '.?*' \) -prune -o -type f \( "${names[@]:1}" \) -printf '%P\n' | sort
}

# conclude <name> <file with findings> <what was looked at>
conclude() {
    local lines
    mapfile -t lines <"$2"
    ((${#lines[@]} == 0)) || sort -V "$2"
    printf '%s: %s, %d findings\n' "$1" "$3" "${#lines[@]}"
    ((${#lines[@]} == 0))
}
