/**
 * Bars, charts and waterfalls, and the public page.
 *
 * @module
 */

export const PICTURES = `.bars{display:block;width:100%;height:30px}
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
.chart{display:grid;grid-template-columns:max-content 1fr;gap:0 12px}
.chart svg{width:100%;height:200px;display:block;overflow:visible}
.chart .scale{display:flex;flex-direction:column;justify-content:space-between;text-align:right;font-size:12px;line-height:1;color:var(--muted);margin-block:-6px;min-width:52px}
.chart .span,.chart figcaption{grid-column:2}
.chart figcaption{display:flex;align-items:center;gap:8px;font-size:13px;color:var(--muted);margin-top:8px}
.chart .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
.chart .band{fill:var(--accent);opacity:.12}
.chart .p50,.chart .p95{fill:none;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}
.chart .p95{stroke-width:1.25;stroke-dasharray:1 3.5}
#chart .empty{display:grid;place-items:center;min-height:252px;padding:0;border-block:1px solid var(--line)}
.chart .area{fill:transparent}
.chart .area:hover{fill:var(--text);fill-opacity:.07}
.key{display:inline-block;width:10px;height:10px;border-radius:3px;background:var(--edge)}
figcaption .key{width:18px;height:0;border-radius:0;background:none;border-top:2px solid var(--accent)}
figcaption .key.p95{border-top:2px dotted var(--accent);margin-left:12px}
.waterfall{width:100%;height:10px;display:block;border-radius:2px;overflow:hidden}
.waterfall .rest{fill:var(--none)}
.waterfall .resolve,.key.resolve{fill:var(--phase-0);background:var(--phase-0)}
.waterfall .connect,.key.connect{fill:var(--phase-1);background:var(--phase-1)}
.waterfall .tls,.key.tls,.waterfall .starttls,.key.starttls{fill:var(--phase-2);background:var(--phase-2)}
.waterfall .send,.key.send,.waterfall .auth,.key.auth,.waterfall .query,.key.query,.waterfall .own,.key.own{fill:var(--phase-5);background:var(--phase-5)}
.waterfall .first_byte,.key.first_byte,.waterfall .greeting,.key.greeting{fill:var(--phase-3);background:var(--phase-3)}
.waterfall .transfer,.key.transfer{fill:var(--phase-4);background:var(--phase-4)}
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
.bars{height:34px}
.banner{padding:18px 16px;gap:12px}
.banner h1{font-size:19px}
.chart{display:block}
.chart .scale{flex-direction:row-reverse;margin:0 0 6px;text-align:left}
.chart .scale span:nth-child(n+2){display:none}
#chart .empty{min-height:218px}
.chart svg{height:160px}
}
@media (forced-colors:active){.bars path,.waterfall rect,.key,.icon{forced-color-adjust:none}}
`
