#include "app/page/style.h"

namespace loadline::page {

std::string_view style_sheet() {
  // The hues were chosen such that readers who see no red, no green or no blue tell them apart too: in each of these
  // views any two lie well apart in a perceptually uniform space (Oklab), as does the red that is kept for what failed.
  // --i* is what is written onto them. Print is always light.
  return R"css(
:root{color-scheme:light dark;
--paper:#fff;--raised:#f6f7f8;--ink:#1b1f24;--soft:#59636e;--rule:#d9dee3;--grid:#eaedf0;--base:#aab2bb;
--c0:#14509f;--c1:#dfae1a;--c2:#0fae9d;--c3:#7f6fd7;--c4:#48bdf6;--c5:#dc8c69;--c6:#86195a;--c7:#544c04;
--i0:#fff;--i1:#241a00;--i2:#00211d;--i3:#fff;--i4:#06202e;--i5:#2b1005;--i6:#fff;--i7:#fff;
--waiting:#8b949e;--failed:#dc3d22;--on-failed:#fff}
@media screen and (prefers-color-scheme:dark){:root{
--paper:#0f1318;--raised:#171c23;--ink:#e6eaef;--soft:#9aa5b1;--rule:#2b323b;--grid:#20262e;--base:#56616d;
--c0:#629efb;--c1:#e79916;--c2:#9cedb6;--c3:#7a69d4;--c4:#45c6ec;--c5:#dca493;--c6:#b05a82;--c7:#e4d55a;
--i0:#041425;--i1:#241a00;--i2:#021b13;--i3:#fff;--i4:#06202e;--i5:#2b1005;--i6:#fff;--i7:#201c00;
--waiting:#78828d;--failed:#e0452a;--on-failed:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;
font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
main{max-width:1168px;margin:0 auto;padding:36px 24px 64px}
h1{font-size:27px;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0;overflow-wrap:anywhere}
.subtitle{margin:6px 0 0;color:var(--soft);overflow-wrap:anywhere}
h2{font-size:16px;line-height:1.3;font-weight:650;margin:0 0 6px;overflow-wrap:anywhere}
section{margin:40px 0 0}
p{max-width:75ch;margin:20px 0 0;overflow-wrap:anywhere}
.note{max-width:none;margin:0 0 6px;font-size:13px;color:var(--soft)}
details{margin:20px 0 0;border:1px solid var(--rule);border-radius:8px;padding:9px 14px}
details p{margin:8px 0 4px;font-size:14px}
summary{cursor:pointer;font-weight:600;font-size:14px;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:24px 0 0}
dl div{background:var(--raised);border:1px solid var(--rule);border-radius:8px;padding:12px 16px;min-width:0}
dt{font-size:13px;color:var(--soft);overflow-wrap:anywhere}
dd{margin:2px 0 0;font-size:25px;line-height:1.2;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:3px 18px;margin:0 0 8px;padding:0;font-size:13px}
.legend li{display:flex;align-items:center;gap:7px;min-width:0;overflow-wrap:anywhere}
.legend .more{color:var(--soft)}
.key{flex:none;width:12px;height:12px;border-radius:3px;background:var(--c)}
.key.stroke{width:16px;height:3px;border-radius:2px}
.key.pale{opacity:.5}
.key.box.waiting{background:repeating-linear-gradient(135deg,var(--waiting) 0 1.5px,transparent 1.5px 4px);
border:1px solid var(--waiting)}
.c0{--c:var(--c0);--i:var(--i0)}.c1{--c:var(--c1);--i:var(--i1)}.c2{--c:var(--c2);--i:var(--i2)}
.c3{--c:var(--c3);--i:var(--i3)}.c4{--c:var(--c4);--i:var(--i4)}.c5{--c:var(--c5);--i:var(--i5)}
.c6{--c:var(--c6);--i:var(--i6)}.c7{--c:var(--c7);--i:var(--i7)}
.pale{--i:var(--ink)}
.waiting{--c:var(--waiting);--i:var(--ink)}
.failed{--c:var(--failed);--i:var(--on-failed)}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{font-size:11px;fill:var(--ink)}
.definitions{position:absolute;width:0;height:0}
.grid{stroke:var(--grid)}.base{stroke:var(--base)}.separator{stroke:var(--grid)}
svg .tick{fill:var(--soft)}
.middle{text-anchor:middle}.end,.lane{text-anchor:end}
svg .value{font-size:12px}.strong{font-weight:650}
.axis{position:sticky;top:0;background:var(--paper);z-index:1}
.lanes rect{fill:var(--c)}
.lanes rect.waiting{fill:url(#waiting)}
.lanes rect.pale{fill-opacity:.45}
.lanes rect.d1{fill-opacity:.45}.lanes rect.d2{fill-opacity:.6}.lanes rect.d3{fill-opacity:.8}
.lanes rect:hover{stroke:var(--ink);stroke-width:1.5}
.lanes rect+text{fill:var(--i);pointer-events:none}
.lanes text.waiting{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.lanes g:hover .lane{font-weight:650}
.line{fill:none;stroke:var(--c);stroke-width:1.75;stroke-linejoin:round}
.line.pale{stroke-dasharray:5 3}
.area{fill:var(--c);fill-opacity:.13}
.dot,.estimate circle{fill:var(--c);stroke:var(--paper);stroke-width:1.5}
.moments rect{fill:var(--ink);fill-opacity:0}.moments rect:hover{fill-opacity:.09}
svg .variant{font-size:12px}
.guide{stroke:var(--rule);stroke-dasharray:1 3}
.whisker{stroke:var(--c);stroke-width:2}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;min-width:40%}
th,td{text-align:left;vertical-align:top;padding:5px 24px 5px 0;border-bottom:1px solid var(--grid)}
th{font-weight:600;color:var(--soft);border-bottom-color:var(--base);white-space:nowrap}
th:last-child,td:last-child{padding-right:4px}
td{overflow-wrap:anywhere}
td:first-child{min-width:9em}
tbody tr:hover td{background:var(--raised)}
.number{text-align:right;white-space:nowrap}
@media (max-width:760px){section{overflow-x:auto}.chart{min-width:760px}main{padding:24px 16px 48px}}
@media print{@page{size:A4 landscape;margin:12mm}
body{font-size:12px;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}section{margin-top:24px}
.chart,tr,dl div{break-inside:avoid}h2,.legend,.note,.axis{break-after:avoid}.axis{position:static}}
)css";
}

}  // namespace loadline::page
