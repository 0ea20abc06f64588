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
for folder in runtime sim props viz cli examples tests; do
    [[ -d $root/$folder ]] && folders+=("$root/$folder")
done

lines_that_cite() {
    grep -rnE --include='*.hpp' --include='*.cpp' --include='*.h' \
        -e '\bclauses? [0-9]' -e '//.*\[[0-9]\.[0-9]+\]' -e '\{.*EventKind::.*"[0-9]\.[0-9]+"\}' -e '^ *"[0-9]\.[0-9]+"\},$' \
        "${folders[@]}" || true
}

# One awk over the document (first file) and the lines, `file:line:text`: a process for each line would take seconds.
lines_that_cite | awk -v root="$root/" '
    NR == FNR {
        if (/^#+ [0-9](\.[0-9]+)? /) heading[$2] = 1
        next
    }

    function look_up(clause) {
        count++
        if (clause in heading) return
        printf "clauses: %s cites clause %s, which docs/protocol.md does not have\n", place, clause
        wrong = 1
    }

    {
        file = substr($0, 1, index($0, ":") - 1)
        rest = substr($0, length(file) + 2)
        line = substr(rest, 1, index(rest, ":") - 1)
        text = substr(rest, length(line) + 2)
        place = substr(file, length(root) + 1) ":" line
        # A citation may name several clauses. The last pattern is the clause of a transition.
        while (match(text, /clauses? [0-9][0-9., and]*|\[[0-9]\.[0-9]+\]|"[0-9]\.[0-9]+"}/)) {
            cited = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            while (match(cited, /[0-9](\.[0-9]+)?/)) {
                look_up(substr(cited, RSTART, RLENGTH))
                cited = substr(cited, RSTART + RLENGTH)
            }
        }
    }

    END {
        if (count == 0) { print "clauses: no citation was found below " root; exit 1 }
        if (!wrong) print "clauses: " count " citations lead somewhere"
        exit wrong
    }
' "$document" -
