# Sourced by scripts whose long commands write to a log: tells on stderr how far such a command is.

# Until end_progress, writes the last line of the log to stderr every ten seconds, if it is a new one.
begin_progress() { # LOG
  tell_progress "$1" &
  progress_teller=$!
}

end_progress() {
  kill "$progress_teller" 2>/dev/null || true
  wait "$progress_teller" 2>/dev/null || true
}

tell_progress() { # LOG
  local line last="" nothing
  # A read that times out, since a `sleep` would outlive this shell and keep stderr open.
  exec {nothing}<> <(:)
  until read -r -t 10 -u "$nothing"; do
    line=$(tail -n 1 "$1" 2>/dev/null | tr -d '\r' | cut -c 1-76)
    [[ -z $line || $line == "$last" ]] || echo "     $line" >&2
    last=$line
  done
}
