# From samples by source file (columns: percent, file; a line `# engine NAME` before each engine's)
# to a table of stages and engines.
BEGIN {
    list["fetch"] = "^FETCH$|^(fusion|stage_front)"
    list["branch prediction"] = "^BPRED$|^snapshot\\.|intrin\\.h$"   # vectors are in predictors only
    list["decode, rename, dispatch"] = "^(decode|rename|dispatch)"
    list["issue and wake-up"] = "^(INORDER|MODEL)$|^(issue|latency\\.|wheel|replay|units|slots|balance|holds|wake|places|stage_(back|queue))"
    list["execution"] = "^(execute|divider|uop|system|privilege|csr_access|indirect|magic)|^ISA$"
    list["loads and stores"] = "^LSU$|^stage_(lsu|stores)"
    list["memory and translation"] = "^MEM$"
    list["commit and squash"] = "^(commit|tally|squash|redirect|control|retire|stuck)"
    list["accounting and profiling"] = "^(account|trace|storage|stage_account)|^(PROFILE|PMU)$"
    list["the cycle loop"] = "^(core|cpu|extras|instance|entry|generate|cycle|idle|pause|wait|stage\\.|stage_mode|port\\.|warm|sane|look|shape|back_port)"
    count = split("fetch|branch prediction|decode, rename, dispatch|issue and wake-up|execution|" \
        "loads and stores|memory and translation|commit and squash|accounting and profiling|" \
        "the cycle loop|the rest", stage, "|")
    while (("ls sim/core sim/core/pipe") | getline file > 0) lives[file] = file   # isa has a decode.c too
    rooms = split("sim/core/bpred BPRED sim/core/bpred/*/ BPRED sim/core/fetch FETCH " \
        "sim/core/inorder INORDER sim/core/lsu LSU sim/core/profile PROFILE isa ISA sim/mem MEM " \
        "sim/mem/*/ MEM pmu PMU pmu/*/ PMU shadowcache PMU sim/core/model/*/ MODEL", room, " ")
    for (i = 1; i < rooms; i += 2)
        while (("ls " room[i]) | getline file > 0)
            if (!(file in lives)) lives[file] = room[i + 1]
}
/^# engine / { engine[++engines] = $3; next }
/^#/ || NF < 2 { next }
{
    where = $2 in lives ? lives[$2] : $2
    hit = "the rest"
    for (s in list) if (where ~ list[s]) hit = s
    share[hit, engines] += $1
}
END {
    printf "| stage, %% of the time |"
    for (e = 1; e <= engines; e++) printf " %s |", engine[e]
    printf "\n|---|"
    for (e = 1; e <= engines; e++) printf "--:|"
    print ""
    for (i = 1; i <= count; i++) {
        printf "| %s |", stage[i]
        for (e = 1; e <= engines; e++) printf " %.1f |", share[stage[i], e]
        print ""
    }
}
