# gnuplot -c scale.gnuplot POINTS OUTPUT: the cost of placing a pod over the number of nodes, as an SVG.
# POINTS has the columns nodes, p50, p99, mean, mean of the real scheduler, all times in microseconds.
set terminal svg size 820,480 dynamic font "sans-serif,14" background "white"
set output ARG2
set title "Time to place one pod, every node considered"
set xlabel "nodes"
set ylabel "microseconds a pod"
set logscale xy
set xrange [800:125000]
set xtics ("1k" 1000, "5k" 5000, "10k" 10000, "20k" 20000, "50k" 50000, "100k" 100000)
set format y "%g"
set grid y lt 1 lc rgb "#dddddd"
set border 3
set tics nomirror
set key outside below center horizontal
set datafile missing "nan"
plot ARG1 using 1:5 title "kube-scheduler, mean" with linespoints lw 2 pt 7 ps 0.6 lc rgb "#888888", \
     ARG1 using 1:4 title "Loadline, mean" with linespoints lw 2 pt 7 ps 0.6 lc rgb "#0b6e99", \
     ARG1 using 1:2 title "Loadline, p50" with linespoints lw 1.5 dt 2 pt 6 ps 0.6 lc rgb "#0b6e99", \
     ARG1 using 1:3 title "Loadline, p99" with linespoints lw 1.5 dt 3 pt 4 ps 0.6 lc rgb "#d1495b"
