#!/usr/bin/env bash
# The shell of action.yml. It needs the variables that GitHub sets, and the inputs as variables: see action.yml.
#   action.sh key      writes the key of the cache for this version of the action
#   action.sh build    builds simulate and bench
#   action.sh gates    runs the gates; writes the step summary, annotations, outputs and a report
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$RUNNER_TEMP/ratelab report=$RUNNER_TEMP/ratelab-report base=$RUNNER_TEMP/base

output() { echo "$1" >>"${GITHUB_OUTPUT:-/dev/null}"; }

# escaped writes a text for a workflow command. A property also needs ":" and "," escaped.
escaped() {
  local text=${1//'%'/%25}
  [ -z "${2:-}" ] || text=${text//:/%3A} text=${text//,/%2C}
  printf '%s' "$text"
}

# annotate LEVEL FILE LINE TEXT. Without a known line, the annotation is of the file.
annotate() {
  local at
  at="file=$(escaped "$2" property)"
  [ "$3" -le 1 ] || at+=",line=$3"
  echo "::$1 $at::$(escaped "$4")"
}

# annotate_all LEVEL SARIF annotates each red result. simulate writes each field of SARIF on its own line, sorted.
annotate_all() {
  local file text line
  while IFS=$'\t' read -r file line text; do
    printf -v file '%b' "${file//'%'/\\x}"
    annotate "$1" "$file" "$line" "$text"
  done < <(awk -F'": ' '
    function value(s) { sub(/,$/, "", s); gsub(/^"|"$/, "", s); gsub(/\\"/, "\"", s); gsub(/\\\\/, "\\", s); return s }
    /"level": / { level = value($2); uri = "" }
    /"uri": / { uri = value($2) }
    /"startLine": / { line = value($2) }
    /"text": / && level == "error" && uri != "" {
      print uri "\t" line "\t" value(substr($0, index($0, "\": ") + 3)); level = ""
    }' "$2")
}

# gate NAME FILE COMMAND… runs a gate and keeps the worst exit code. Its verdict goes to the log, its page to the
# summary. If the gate may be waived, and the pull request has the label, differences are only warnings.
gate() {
  local name=$1 file=$2 code=0 level=error line page
  shift 2
  "$@" --report "$report" >"$report/log" 2>"$report/lines" || code=$?
  cat "$report/log" "$report/lines"
  line=$(grep -v ': note: ' "$report/lines" | tail -1 || true)
  if [ "$code" = 1 ] && [ "$name" != check ]; then
    if [ "$ON_DIFFERENCE" = warn ]; then
      code=0 level=warning warned=1
    elif [ -n "$label" ]; then
      code=0 level=warning waived=1
    fi
  fi
  page=$(find "$report" -name '*.md' -newer "$report/mark" | head -1)
  { echo "### $name $file"; echo; [ -z "$page" ] || sed 's|/[^ ]*/base/|base/|g' "$page"; echo; } >>"$report/pages"
  if [ -n "$page" ] && [ -e "${page%.md}.sarif" ] && grep -q '"level": "error"' "${page%.md}.sarif"; then
    annotate_all "$level" "${page%.md}.sarif"
  elif [ "$code" != 0 ] || [ "$level" = warning ]; then
    annotate "$level" "$file" 0 "$line"
  fi
  touch "$report/mark" && sleep 0.01
  case "$code,$worst" in
    0,* | *,1) ;;
    1,* | *,0 | *,4) worst=$code ;;
  esac
}

gates() {
  local flags=() verdict differences label='' waived='' warned='' worst=0 script
  rm -rf "$report" && mkdir -p "$report" && touch "$report/mark" && sleep 0.01
  case "$PULL_LABELS" in *"\"$WAIVER_LABEL\""*) label=$WAIVER_LABEL ;; esac
  while read -r script; do
    [ -z "$script" ] || flags+=(--script "$script")
  done <<<"$SCRIPTS"
  gate check "$FOLDER" "$bin/simulate" check "$FOLDER" "${flags[@]}"
  if [ -n "$BASE" ]; then
    git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --no-tags --depth=1 origin "$BASE"
    git worktree add --quiet --detach "$base" "$BASE"
    trap 'git worktree remove --force "$base"' EXIT
    for script in "$FOLDER"/*.lua $SCRIPTS; do
      [ -e "$script" ] && [ -e "${script%.lua}.yaml" ] || continue
      if [ ! -e "$base/$script" ]; then
        echo "::notice file=$(escaped "$script" property)::new: there is nothing to compare it with"
        continue
      fi
      # shellcheck disable=SC2086 # the flags are words
      gate compare "$script" "$bin/simulate" compare --base "$base/$script" --head "$script" $COMPARE_FLAGS
      if [ "$BENCH" = true ] && ! cmp -s "$base/$script" "$script"; then
        gate bench "$script" "$bin/bench" compare --base "$base/$script" --head "$script" --within 2m
      fi
    done
  elif [ "$BENCH" = true ]; then
    echo "::notice::bench: true needs base, the commit to compare with"
  fi
  differences=$(cat "$report"/*.xml 2>/dev/null | grep -c '<failure ' || true)
  case "$worst" in
    0) verdict=ok ;; 1) verdict=regression ;; 4) verdict=inconclusive ;; *) verdict=error ;;
  esac
  [ "$worst" != 0 ] || [ -z "$warned" ] || verdict=warned
  [ "$worst" != 0 ] || [ -z "$waived" ] || verdict=waived
  if [ -z "$PULL" ] && { [ "$differences" != 0 ] || [ "$WAIVER_LABEL" != ratelab-accepted ]; }; then
    echo "::notice::waiver-label: this run has no pull request, so no label can waive a difference"
  fi
  {
    echo "## ratelab: $verdict"
    echo
    [ -z "$waived" ] || printf 'Waived by the label `%s` of the pull request.\n\n' "$label"
    cat "$report/pages"
  } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  output "verdict=$verdict"
  output "differences=$differences"
  output "report=$report"
  rm -f "$report"/{log,lines,mark,pages}
  return "$worst"
}

case "$1" in
  key)
    # The ref alone is not enough: a branch or a tag such as v1 moves.
    hash=$(cd "$here" && find . -name .git -prune -o -type f -print | LC_ALL=C sort | grep -Ev '^./(bin|docs|results)/' |
      git hash-object --no-filters --stdin-paths | git hash-object --stdin)
    output "key=ratelab-$RUNNER_OS-$RUNNER_ARCH-${ACTION_REF:-local}-$hash"
    ;;
  build) cd "$here" && go build -o "$bin/" ./cmd/simulate ./cmd/bench ;;
  gates) gates ;;
  *) echo "action.sh: $1: want key, build or gates" >&2 && exit 2 ;;
esac
