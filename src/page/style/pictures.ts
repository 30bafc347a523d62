/**
 * Bars, charts and waterfalls, and the public page. Time runs from left to right in every language.
 *
 * @module
 */

export const PICTURES = `:is(.bars,.line,.waterfall,.plots,.span){direction:ltr}
.bars{display:block;width:100%;height:30px}
.bars rect{fill:transparent}
.bars rect:hover{fill:var(--text);fill-opacity:.14}
.bars .up{fill:var(--good-soft)}
.bars .down{fill:var(--bad)}
.bars .none{fill:var(--none)}
.bars .rest{fill:var(--edge)}
#days .bars{height:44px}
.line{flex:1 1 0;min-width:0;max-width:140px;height:21px;overflow:visible}
.line .band{fill:var(--accent);opacity:.16}
.line .p50{fill:none;stroke:var(--accent);stroke-width:1.25;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.span{display:flex;justify-content:space-between;gap:12px;font-size:13px;color:var(--muted);margin-top:6px}
.moment{display:flex;flex-wrap:wrap;gap:0 12px;min-height:24px;font-size:14px;color:var(--muted)}
.moment span:first-child{color:var(--text);font-weight:600}
.plots{position:relative;border-radius:6px}
.plots:has(.pointer:focus-visible){outline:2px solid var(--accent);outline-offset:6px}
.panel+.panel{margin-top:18px}
.keys{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 16px;margin:2px 0 14px;font-size:13px;color:var(--muted)}
.keys h3{font-size:13px;color:var(--text)}
.keys b{display:inline-block;min-width:56px;font-weight:600;color:var(--text);font-variant-numeric:tabular-nums}
.plot{display:grid;grid-template-columns:56px minmax(0,1fr);gap:0 12px}
.plot svg{width:100%;height:110px;display:block}
.panel:first-child .plot svg{height:200px}
.plot .scale{display:flex;flex-direction:column;justify-content:space-between;text-align:end;font-size:12px;line-height:1;color:var(--muted);margin-block:-6px;white-space:nowrap}
.plot .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.plot .band{fill:var(--accent);opacity:.12}
.plot .trace{fill:none;stroke-width:1.25;vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}
.plot .trace.p50,.plot .trace.p95{stroke:var(--accent);stroke-width:2}
.plot .trace.p95{stroke-width:1.25;stroke-dasharray:1 3.5}
.plot .peak,.plot .over{fill:none;stroke:var(--edge);stroke-width:1.5;vector-effect:non-scaling-stroke}
.plot .over{stroke-width:2}
.plot .cursor{stroke:var(--text);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.plot .fails{stroke:var(--bad);stroke-width:2.5;vector-effect:non-scaling-stroke;fill:none}
.plot .down{fill:var(--bad);opacity:.16}
.plot .maintenance{fill:var(--phase-1);opacity:.16}
.plot .paused{fill:var(--edge);opacity:.16}
.plot .degraded{fill:var(--warn);opacity:.16}
.times{display:block;width:calc(100% - 68px);height:18px;margin:4px 0 0 68px;overflow:visible;font-size:12px;fill:var(--muted);text-anchor:middle}
.times .begin{text-anchor:start}.times .end{text-anchor:end}
.pointer{position:absolute;inset:0 0 0 68px;width:calc(100% - 68px);height:100%;margin:0;padding:0;opacity:0;cursor:crosshair;touch-action:pan-y;appearance:none}
.pointer::-webkit-slider-thumb{appearance:none;width:1px;height:100%}
.pointer::-moz-range-thumb{width:1px;height:100%;border:0}
@media (scripting:none){.pointer{display:none}}
.chart figcaption{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:13px;color:var(--muted);margin-top:10px}
.chart .empty{padding:14px 0}
#chart>.empty{display:grid;place-items:center;min-height:252px;padding:0;border-block:1px solid var(--line)}
.trace.at-0,.key.at-0{stroke:var(--phase-0);border-color:var(--phase-0)}.trace.at-1,.key.at-1{stroke:var(--phase-2);border-color:var(--phase-2)}.trace.at-2,.key.at-2{stroke:var(--phase-4);border-color:var(--phase-4)}.trace.at-3,.key.at-3{stroke:var(--phase-5);border-color:var(--phase-5)}.trace.at-4,.key.at-4{stroke:var(--phase-3);border-color:var(--phase-3)}.trace.at-5,.key.at-5{stroke:var(--phase-1);border-color:var(--phase-1)}
.trace.figure-0,.key.figure-0{stroke:var(--accent);border-color:var(--accent)}.trace.figure-1,.key.figure-1{stroke:var(--phase-4);border-color:var(--phase-4)}.trace.figure-2,.key.figure-2{stroke:var(--phase-3);border-color:var(--phase-3)}.trace.figure-3,.key.figure-3{stroke:var(--phase-5);border-color:var(--phase-5)}.trace.figure-4,.key.figure-4{stroke:var(--phase-2);border-color:var(--phase-2)}.trace.figure-5,.key.figure-5{stroke:var(--phase-0);border-color:var(--phase-0)}.trace.figure-6,.key.figure-6{stroke:var(--phase-1);border-color:var(--phase-1)}.trace.figure-7,.key.figure-7{stroke:var(--edge);border-color:var(--edge)}
.plot .trace[class*=figure]{stroke-width:2}
.key{display:inline-block;width:10px;height:10px;border-radius:3px;background:var(--edge)}
.chart .key{margin-inline-end:6px}
.key:is(.p50,.p95,[class*=at-],[class*=figure-]){width:18px;height:0;border-radius:0;background:none;border-top-width:2px;border-top-style:solid;vertical-align:middle}
.key.p50,.key.p95{border-color:var(--accent)}
.key.p95{border-top-style:dotted}
.key.peak{width:12px;height:0;border-radius:0;background:none;border-top:1.5px solid var(--edge);vertical-align:middle}
.key.fails{width:0;height:12px;border-radius:0;background:none;border-left:2.5px solid var(--bad)}
.key.over{width:0;height:7px;border-radius:0;background:none;border-left:2px solid var(--edge);vertical-align:5px}
.key.down,.key.maintenance,.key.paused,.key.degraded{opacity:.4}
.key.down{background:var(--bad)}.key.maintenance{background:var(--phase-1)}.key.degraded{background:var(--warn)}
.waterfall{width:100%;height:10px;display:block;border-radius:2px;overflow:hidden}
.waterfall .rest{fill:var(--none)}
.waterfall .resolve,.area.resolve,.key.resolve{fill:var(--phase-0);background:var(--phase-0)}
.waterfall .connect,.area.connect,.key.connect{fill:var(--phase-1);background:var(--phase-1)}
.waterfall .tls,.area.tls,.key.tls,.waterfall .starttls,.area.starttls,.key.starttls{fill:var(--phase-2);background:var(--phase-2)}
.waterfall .send,.area.send,.key.send,.waterfall .auth,.area.auth,.key.auth,.waterfall .query,.area.query,.key.query,.waterfall .own,.area.own,.key.own{fill:var(--phase-5);background:var(--phase-5)}
.waterfall .first_byte,.area.first_byte,.key.first_byte,.waterfall .greeting,.area.greeting,.key.greeting{fill:var(--phase-3);background:var(--phase-3)}
.waterfall .transfer,.area.transfer,.key.transfer{fill:var(--phase-4);background:var(--phase-4)}
.banner{display:flex;align-items:center;gap:16px;padding:22px 24px;border:1px solid var(--line);border-radius:14px;background:var(--raised);min-height:76px}
.banner .icon{width:30px;height:30px}
.banner h1{font-size:22px;letter-spacing:-.02em}
.banner p{font-size:14px}
.lost{position:fixed;inset:auto 16px 16px;width:fit-content;margin-inline:auto;padding:12px 18px;border:1px solid var(--warn);border-radius:10px;background:var(--raised);font-size:14px;z-index:1}
[data-lost] :is(.headline,.banner,.state,.row .icon){filter:grayscale(1)}
.banner.bad{background:var(--bad-soft);border-color:var(--bad)}
.about{margin-top:20px;color:var(--muted);max-width:65ch}
.services{margin-top:28px}
.services>li{padding:20px 0;border-top:1px solid var(--line)}
.services>li:first-child{border-top:0}
.services .bar{margin-bottom:10px;align-items:center}
.services h3{font-size:16px}
.services .bars{height:36px}
.day{margin-top:22px;padding-bottom:8px;border-bottom:1px solid var(--line);color:var(--muted);font-weight:600;font-size:14px}
.past li{display:flex;gap:12px;padding:12px 0}
.past .icon{margin-top:3px}
@media (max-width:720px){
.entries thead{position:absolute;clip-path:inset(50%)}
.entries tr{display:block;padding-block:10px;border-top:1px solid var(--line)}
.entries td{display:block;border:0;padding:2px 0}
.entries td:nth-child(-n+2){display:inline-block;padding-inline-end:12px;color:var(--muted)}
.bars{height:34px}
.banner{padding:18px 16px;gap:12px}
.banner h1{font-size:19px}
.keys{gap:2px 12px}
.keys b{min-width:52px}
.plot{grid-template-columns:44px minmax(0,1fr);gap:0 8px}
.plot .scale{font-size:11px}
.panel:first-child .plot svg{height:160px}
.times{width:calc(100% - 52px);margin-left:52px;font-size:11px}
.times .minor{display:none}
.pointer{left:52px;width:calc(100% - 52px)}
#chart>.empty{min-height:218px}
}
@media (forced-colors:active){.bars path,.waterfall rect,.area,.key,.icon{forced-color-adjust:none}}
`
