#!/bin/sh
# Holds a node for assay. Arguments: the folder for the job's keys without the job's id, the public key that may
# enter, seconds after which an unused node is given back, and the job's id where it is not Slurm's.
# Exit codes: 41 no sshd, 42 no ssh-keygen or flock, 43 the folder cannot be made, 44 the account has no name.
set -eu
umask 077
[ -x /usr/sbin/sshd ] || exit 41
command -v ssh-keygen >/dev/null && command -v flock >/dev/null || exit 42
for old in "$1"-*; do # keys of a job that was killed
  if [ -O "$old" ] && [ ! -L "$old" ] && flock -n "$old/held" true; then rm -rf "$old"; fi
done
account=$(id -un) || exit 44
[ "$(id -u)" != 0 ] || mkdir -p -m 755 /run/sshd # where Debian's sshd of root wants it
made=$(mktemp -d /tmp/.assay-XXXXXXXX) || exit 43
place=$1-${4:-$SLURM_JOB_ID}
trap 'rm -rf "$made" "$place"' EXIT
trap 'exit 0' TERM INT
exec 9>"$made/held"
flock 9
: >"$made/used"
printf '%s\n' "$2" >"$made/authorized"
ssh-keygen -q -t ed25519 -N '' -C "$account" -f "$made/host"
mv "$made/host.pub" "$made/ready"
mv -T "$made" "$place" || exit 43 # it appears whole, and its lock is held
unused=0
while [ "$unused" -lt "$3" ]; do
  sleep 2 9>&- & wait $!
  if flock -n "$place/used" true; then unused=$((unused + 2)); else unused=0; fi
done
