#!/bin/sh
# Adds ParaPLUIE Inspector to the menu of the desktop, from where this folder is now; `--remove` takes it out again.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
entry=${XDG_DATA_HOME:-$HOME/.local/share}/applications/parapluie.desktop
if [ "${1:-}" = --remove ]; then
    rm -f "$entry"
    exit
fi
mkdir -p "$(dirname "$entry")"
# What has a meaning in the entry (a backslash, a quote, a dollar, a backtick, a per cent sign) or for sed is marked.
quoted=$(printf '%s' "$folder" | sed -e 's/[\\"$`]/\\\\&/g' -e 's/%/%%/g' -e 's/[\\&|]/\\&/g')
icon=$(printf '%s' "$folder" | sed -e 's/[\\&|]/\\&/g')
sed -e "/^Exec/s|@FOLDER@|$quoted|" -e "/^Icon/s|@FOLDER@|$icon|" "$folder/parapluie.desktop" >"$entry"
echo "$entry"
