#!/usr/bin/env bash
# usage: run_docs.sh <root> <document>...
# Runs the commands that the documents show, so that no reader is the first to find out that one does not work.
#
# Commands are the lines of ```console blocks that begin with `$ `; a backslash at the end continues one. The other
# lines are output, shown for the reader and not compared. A document is run from top to bottom in an empty folder
# that its blocks share; each block is a shell of its own, with PATH as this script got it. Two comments on the line
# before a block change what is expected of it:
#
#   <!-- exit: 3 -->             its last command ends with that status (and all before it with 0)
#   <!-- not run: reason -->     it is skipped

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(cd "$1" && pwd)
shift
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
mkdir "$room/tmp"
export TMPDIR=$room/tmp # pictures of runs that are meant to fail go there
block_seconds=300
run=0 skipped=0

stop() {
    printf 'docs: %s\n' "$*"
    exit 1
}

# The block being read: its commands, the line each begins on, and what its comment said.
commands=() lines=() expected=0 reason=''

forget_block() {
    commands=() lines=() expected=0 reason=''
}

# Writes the block as a script that reports the first command whose status is not the expected one.
script_of_block() {
    local i last=$((${#commands[@]} - 1)) want
    for ((i = 0; i <= last; i++)); do
        want=$((i == last ? expected : 0))
        printf '%s\n' "${commands[i]}"
        # shellcheck disable=SC2016  # the script looks at its own $?
        printf 'status=$?; ((status == %d)) || { echo "docs: %s:%d: exit status $status, expected %d"; exit 1; }\n' \
            "$want" "$document" "${lines[i]}" "$want"
    done
}

run_block() {
    if [[ -n $reason ]]; then
        skipped=$((skipped + ${#commands[@]}))
    elif ((${#commands[@]} > 0)); then
        local command
        for command in "${commands[@]}"; do printf '%s: %s\n' "$document" "${command//$'\n'/ }"; done
        script_of_block >"$room/block.sh"
        (cd "$room/$folder" && timeout --kill-after=5 "$block_seconds" bash "$room/block.sh") >"$room/output" 2>&1 </dev/null || {
            cat "$room/output"
            stop "$document: the block that begins at line ${lines[0]} failed"
        }
        run=$((run + ${#commands[@]}))
    fi
    forget_block
}

run_document() {
    local line number=0 inside=no continued=no
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        if [[ $inside == console ]]; then
            if [[ $line == '```' ]]; then
                inside=no
                run_block
            elif [[ $continued == yes ]]; then
                commands[-1]+=$'\n'$line
                [[ $line == *\\ ]] || continued=no
            elif [[ $line == '$ '* ]]; then
                commands+=("${line#\$ }")
                lines+=("$number")
                [[ $line != *\\ ]] || continued=yes
            fi
        elif [[ $inside == other ]]; then
            [[ $line != '```'* ]] || inside=no
        elif [[ $line == '```console'* ]]; then
            inside=console
        elif [[ $line =~ ^[[:space:]]+'```console' ]]; then
            stop "$document:$number: an indented block would not be run; begin it in the first column"
        elif [[ $line == '```'* ]]; then
            inside=other
            forget_block
        elif [[ $line =~ ^'<!-- exit: '([0-9]+)' -->'$ ]]; then
            expected=${BASH_REMATCH[1]}
        elif [[ $line =~ ^'<!-- not run:'(.*)'-->'$ ]]; then
            reason=${BASH_REMATCH[1]// /}
            [[ -n $reason ]] || stop "$document:$number: 'not run' needs a reason"
        elif [[ -n $line ]]; then
            forget_block # a comment holds for the block right behind it only
        fi
    done <"$root/$document"
    [[ $inside == no ]] || stop "$document: a block is never closed"
}

for document in "$@"; do
    folder=${document//\//_}
    mkdir "$room/$folder"
    run_document
done
printf 'docs: %d commands run, %d skipped\n' "$run" "$skipped"
