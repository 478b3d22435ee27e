#!/bin/sh
# A job that counts, writes a file, and says in JSON how fast it was.
set -eu
mkdir out
began=$(date +%s%N)
steps=0
while [ "$steps" -lt 200000 ]; do steps=$((steps + 1)); done
took=$(($(date +%s%N) - began))
echo "$steps steps by copy $ASSAY_COPY" > out/hits.dat
printf '{"results": [{"rate": %s}], "output": %s}\n' $((steps * 2000000 / (took / 1000))) "$(wc -c < out/hits.dat)" > out/summary.json
echo "all done"
