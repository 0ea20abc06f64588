#!/usr/bin/env bash
# usage: protocol_is_pure.sh <root> <archive of runtime/protocol>
# The machine touches nothing of the world: its sources include only what protocol_includes.txt allows, and its
# objects refer to no symbol that protocol_symbols.txt forbids. Includes alone would not do (a declaration can be
# written by hand, an allowed header can pull in another); symbols alone would not do either (an unused header).

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$1 archive=$2
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

# --- includes ---------------------------------------------------------------------------------------------------

mapfile -t files < <(files_under "$root/runtime/protocol" hpp h cpp c)
((${#files[@]} > 0)) || { echo "protocol_is_pure: no sources in $root/runtime/protocol"; exit 1; }

declare -A allowed_in
while read -r header pattern; do allowed_in[$header]=$pattern; done < <(table protocol_includes.txt)

while IFS=: read -r file line text; do
    header=${text#*<}
    header=${header%%>*}
    # The pattern is meant to be one: it stays unquoted.
    # shellcheck disable=SC2053
    [[ -n ${allowed_in[$header]:-} && ${file##*/} == ${allowed_in[$header]} ]] ||
        echo "runtime/protocol/$file:$line: <$header> is not allowed here (protocol_includes.txt)" >>"$findings"
done < <(cd "$root/runtime/protocol" && grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' "${files[@]}")

# --- symbols ----------------------------------------------------------------------------------------------------

# nm -A prints `archive:object.cpp.o:   U symbol`. An archive without undefined symbols would mean that nm failed.
symbols=$(nm --print-file-name --undefined-only "$archive" | sed -E 's/^.*:([^:]+)\.o:.* ([^ ]+)$/\1 \2/')
[[ -n $symbols ]] || { echo "protocol_is_pure: no symbols in $archive"; exit 1; }

awk '
    NR == FNR && $1 == "may-allocate" { exempt[$2] = 1; next }
    NR == FNR { keyword[++rules] = $1; pattern[rules] = "^" $2 "$"; next }
    {
        for (i = 1; i <= rules; i++)
            if ($2 ~ pattern[i] && !(keyword[i] == "machine" && $1 in exempt))
                printf "%s: refers to %s, which is forbidden (%s)\n", $1, $2, keyword[i]
    }
' <(table protocol_symbols.txt) - <<<"$symbols" >>"$findings"

mapfile -t references <<<"$symbols"
conclude protocol_is_pure "$findings" "${#files[@]} files and ${#references[@]} references"
