#!/usr/bin/env bash
# C3: work areas, in both engines, on machines that lose their shadow frames all the time, with
# perfinst blocks of either form.
. tests/integration/lib.sh
build_bare areas || not_ok "areas builds"
for machine in default in_order small_caches long_lines; do
    for mode in fast detailed; do
        for form in auto full; do
            run areas --mode $mode --set shadow.form=$form $(machine_options $machine) \
                --meta "$tmp/areas.meta" "$tmp/areas"
            name="$mode engine, ${machine//_/ }, $form form"
            same "C3 C2: the program reads the counts of its work areas, $name" 0 $status
            same "C3: the counts of work areas are exact, $name" \
                "$(expected marks "$tmp/areas")" "$(query marks "$tmp/areas.json")"
        done
    done
done

# together TAKEN OPTION...: the sum of the counts of two harts overflows cells
together() {
    local taken=$1 name
    shift
    name="an interrupt after $taken of two harts' 405, ${*:-default}"
    build_bare area_harts -DTAKEN=$taken || not_ok "area_harts builds"
    run area_harts --harts 2 "$@" --meta "$tmp/area_harts.meta" "$tmp/area_harts"
    same "C3 S5: cells stay at their top, wrap or interrupt once, $name" 0 $status
    same "C3 S5: the counts of shared cells are exact, $name" \
        "$(expected marks "$tmp/area_harts")" "$(query marks "$tmp/area_harts.json")"
}
together 400
together 400 --set shadow.form=full
together 400 $(machine_options in_order)
together 400 $(machine_options small_caches)
together 400 --set shadow.dframes=64
together 400 --set shadow.placement=line
together 240 --set shadow.placement=mixed
together 240 --mode fast

refused() {
    run areas --meta <(echo "$2") "$tmp/areas"
    same "C3: $1 is refused" "2 $3" \
        "$status $(sed -n 's/^rvsim: error: [^:]*://p' "$tmp/areas.err")"
}
run areas --config tiny --meta "$tmp/areas.meta" "$tmp/areas"
same "C3: a granule wider than a cache line is refused" 2 $status
refused "an array that is too small" "area words 64 granule=1 counts=cells" \
    "1:6: the counts need 512 bytes, and their array has 16"
refused "a size that is none" "area words 64 size=3" \
    "1:15: 'size=3': expected a power of two up to 8"
refused "a ninth area" "$(for i in 1 2 3 4 5 6 7 8 9; do echo "area words 64"; done)" \
    "9:6: more than 8 areas"
refused "an unknown option" "area words 64 grain=8" \
    "1:15: no option 'grain=8': expected granule=BYTES, size=BYTES, counts=SYMBOL, saturate or near"
