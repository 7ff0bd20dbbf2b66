#!/usr/bin/env bash
# rvsim lsp (P10): hover and completion with costs, of files and of a service.
. tests/sim/cli/lib.sh
export ROOT=$OLDPWD
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/command/lsp/lsp.py"
refused "neither files nor a service" "lsp: expected either --from FILE or --service URL" lsp
refused "both" "lsp: expected either --from FILE or --service URL" \
    lsp --from costs.csv --service http://127.0.0.1:1
