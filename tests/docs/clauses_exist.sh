#!/usr/bin/env bash
# usage: clauses_exist.sh <root>
# Every clause that the code cites must be a heading of docs/protocol.md, so that a citation leads somewhere. A citation
# is `clause 5.6`, `clauses 3.5 and 5.6`, `[5.6]`, or the clause of a transition.

set -euo pipefail
root=$1
document=$root/docs/protocol.md
[[ -f $document ]] || {
    echo "clauses: $document is missing"
    exit 1
}

folders=()
for folder in runtime cli viz tests; do
    [[ -d $root/$folder ]] && folders+=("$root/$folder")
done

headings=$(sed -nE 's/^#+ ([0-9](\.[0-9]+)?) .*/\1/p' "$document")

# file:line:clause, one citation a line. The last pattern is a row of a transition table.
citations() {
    grep -rnE --include='*.hpp' --include='*.cpp' --include='*.h' \
        -e '\bclauses? [0-9]' -e '//.*\[[0-9]\.[0-9]+\]' -e '\{.*EventKind::.*"[0-9]\.[0-9]+"\}' -e '^ *"[0-9]\.[0-9]+"\},$' \
        "${folders[@]}" |
        while IFS= read -r found; do
            local place=${found#"$root"/} text
            place=$(cut -d: -f1,2 <<<"$place")
            text=$(cut -d: -f3- <<<"$found" | grep -oE 'clauses? [0-9][0-9., and]*|\[[0-9]\.[0-9]+\]|"[0-9]\.[0-9]+"\}')
            grep -oE '[0-9](\.[0-9]+)?' <<<"$text" | sed "s|^|$place:|"
        done
}

wrong=0 count=0
while IFS=: read -r file line clause; do
    count=$((count + 1))
    grep -qxF -- "$clause" <<<"$headings" && continue
    echo "clauses: $file:$line cites clause $clause, which docs/protocol.md does not have"
    wrong=1
done < <(citations)

((count > 0)) || {
    echo "clauses: no citation was found below $root"
    exit 1
}
((wrong == 0)) && echo "clauses: $count citations lead somewhere"
exit "$wrong"
