#!/usr/bin/env bash
# The pages of rvsim serve in a browser.
here=$PWD/tests/prof/serve
cd "$TEST_TMP" || exit 1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "ok the pages of the service in a browser # SKIP no browser is installed"
    exit 0
fi
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 "$here/pages.py" "$browser"
