# Compiles the kernels ahead, by using them: sh compile_kernels.sh COMMAND SAMPLE
# COMMAND is the neardup to use, SAMPLE a file of JSON Lines with copies in it.
set -e
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
used() {  # 1: records of the sample are rejected, as some are
    "$@" >"$place/said" 2>&1 || [ $? -eq 1 ] || { cat "$place/said" >&2; exit 1; }
}
used "$1" ingest "$2" --window "$place/sketch.window" --partial --kinds --format quiet
used "$1" query --window "$place/sketch.window" --text "What else says this?" --partial
used "$1" ingest "$2" --window "$place/complete.window" --retrieval complete --format quiet
used "$1" dedup "$2" --output "$place/clean.jsonl"
