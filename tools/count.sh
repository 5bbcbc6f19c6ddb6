#!/bin/sh
# What the repository weighs: lines of source and of tests that people wrote, words of its pages.
cd "$(dirname "$0")/.." || exit 1
lines() { git ls-files | grep -E '\.(ts|tsx|sql|mjs|mts|py|go|java|css)$' | grep "$@" | xargs awk 'FNR == 1 { made = /Code generated .* DO NOT EDIT/ } !made' | wc -l; }
tests='_test\.|(^|/)tests?/'
echo "source $(lines -vE "$tests")"
echo "tests $(lines -E "$tests")"
echo "words $(git ls-files '*.md' | xargs cat | wc -w)"
