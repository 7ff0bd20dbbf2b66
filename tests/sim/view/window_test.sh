#!/usr/bin/env bash
# rvsim view in a window of a display of its own: it is drawn in its colours, follows keys, scales,
# and leaves.
. tests/sim/view/lib.sh
if ! command -v Xvfb xdotool import convert >/dev/null || [ ! -e "$BUILD/view/sdl.so" ]; then
    ok "the view in a window # SKIP no Xvfb, xdotool, imagemagick, or built without libsdl2-dev"
    exit
fi
build_mixed
env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER timeout -k 5 20 "$RVSIM" view mixed \
    2>view.err </dev/null
same "without a screen the window is refused" 2 $?
matches "another way than the window is named" \
    "no window: .*; --tui shows it in the terminal" "$(<view.err)"
mkfifo number
exec 9<>number
Xvfb -displayfd 9 -screen 0 1400x900x24 -nolisten tcp -noreset >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
read -r -t 20 display <&9
export DISPLAY=:$display SDL_VIDEODRIVER=x11

# open_window ARGUMENT...: leaves $window and $viewer
open_window() {
    timeout -k 5 100 "$RVSIM" view "$@" 2>view.err &
    viewer=$!
    window=
    for _ in $(seq 400); do
        window=$(timeout 60 xdotool search --onlyvisible --name '^rvsim view$' 2>/dev/null |
            head -n 1)
        [ -n "$window" ] && break
        sleep 0.05
    done
    same "a window opens" True "$([ -n "$window" ] && echo True)"
    [ -n "$window" ] || exit
    timeout 60 xdotool windowfocus "$window" 2>/dev/null
}
appears() { for _ in $(seq 1200); do [ -s "$1" ] && return; sleep 0.05; done; return 1; }
# coloured FILE COLOUR: pixels of that colour
coloured() {
    convert "$1" -fill black +opaque "#$2" -fill white -opaque "#$2" \
        -format '%[fx:round(mean*w*h)]' info:
}
drawn() {
    for _ in $(seq 600); do
        timeout 60 import -window "$window" "$1" 2>/dev/null &&
            [ "$(coloured "$1" "$2")" -gt 200 ] && return
        sleep 0.1
    done
    return 1
}

open_window --config tiny --at 300 mixed
drawn shot.png 009e73
same "the window has the picture" 0 "$?$(<view.err)"
for colour in 56b4e9 0072b2 cc79a7 e69f00 f0e442; do
    same "the picture has its colour $colour" \
        True "$([ "$(coloured shot.png $colour)" -gt 100 ] && echo True)"
done
timeout 60 xdotool key Right Right s
appears view-302.svg
same "keys step, and save a picture" 1 "$(grep -c 'cycle 302 ' view-302.svg)"
timeout 60 xdotool key Left s
appears view-301.svg
rv view --config tiny --at 301 --save straight.svg mixed
same "a step back is the picture of a run there" "$(grep '<rect' straight.svg | md5sum)" \
    "$(grep '<rect' view-301.svg | md5sum)"
timeout 60 xdotool key d
drawn light.png f3f5f8
same "d is light" True "$([ "$(coloured light.png f3f5f8)" -gt 5000 ] && echo True)"
timeout 60 xdotool key q
wait $viewer
same "q leaves with status 0" "0|" "$?|$(<view.err)"

open_window --config tiny --at 300 --scale 2 --size 80x24 --root "$PWD/left" mixed
drawn large.png 009e73
same "at twice the scale a cell is 16 by 32" 1280x768 "$(identify -format '%wx%h' large.png)"
kill -TERM $viewer
wait $viewer 2>/dev/null
for _ in $(seq 600); do pgrep -f "$PWD/left" >/dev/null || break; sleep 0.1; done
same "nothing of it is left when it is killed" "" "$(pgrep -f "$PWD/left")"
