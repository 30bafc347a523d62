/**
 * Lists, tables and figures.
 *
 * @module
 */

export const CONTENT = `.icon{flex:none;display:inline-block;vertical-align:-2.5px}
.icon .solid{fill:currentColor}
.icon .cut{fill:none;stroke:var(--cut);stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
.icon .line{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round}
.icon.good{color:var(--good)}.icon.bad{color:var(--bad)}.icon.warn{color:var(--warn)}.icon.quiet{color:var(--quiet)}
.state{display:inline-flex;align-items:center;gap:6px;white-space:nowrap;font-size:14px}
.state.bad{color:var(--bad);font-weight:600}
.state.warn{color:var(--warn);font-weight:600}
.state.quiet,.state.good{color:var(--muted)}
.what{display:inline-flex;align-items:center;gap:6px;min-width:0}
.tag{display:inline-block;padding:0 7px;border:1px solid var(--line);border-radius:99px;font-size:12px;line-height:18px}
.headline{display:flex;gap:14px;align-items:flex-start;min-height:74px}
.headline .icon{width:26px;height:26px;margin-top:3px}
.headline .near{display:inline}
.headline .near .icon{width:16px;height:16px;margin:0;margin-inline-end:6px}
.headline strong{font-size:20px;letter-spacing:-.015em;font-weight:600}
.headline p{min-width:0;flex:1}
.headline .muted{display:block;overflow-wrap:anywhere}
.headline br{display:none}
.over{display:flex;gap:16px;align-items:flex-start}
.over .headline{flex:1;min-width:0}
.over .button{margin-top:6px;flex:none}
.list{display:grid;grid-template-columns:minmax(200px,1fr) minmax(200px,1fr) minmax(120px,max-content) max-content}
.list>li{display:grid;grid-column:1/-1;grid-template-columns:subgrid;gap:6px 24px;align-items:center;padding:14px 0;border-top:1px solid var(--line);font-size:14px}
.list{margin-top:14px}
.list form{justify-self:end}
.list .what{vertical-align:top}
.list h2{font-size:15px}
.list h2 a{text-decoration:none}
.list h2 a:hover{text-decoration:underline}
.timeline{font-size:14px}
.timeline li{display:grid;grid-template-columns:minmax(76px,max-content) 16px 1fr;gap:14px;padding:7px 0;align-items:start}
.timeline .at{color:var(--muted)}
.timeline .icon{margin-top:3px}
.timeline .what{display:inline-flex;vertical-align:top}
.timeline .what .icon{margin-top:3px}
.headline form{flex:none;margin-block:6px}
.headline .tag{vertical-align:3px;margin-inline-start:4px}
.list-head,.row{display:grid;grid-template-columns:minmax(220px,10fr) minmax(180px,9fr) minmax(300px,10fr);gap:8px 28px;align-items:center}
.list-head{font-size:13px;color:var(--muted);padding-bottom:8px}
.figures{display:grid;grid-template-columns:64px 1fr 82px;gap:14px;text-align:end}
.response{display:flex;align-items:center;justify-content:flex-end;gap:10px}
.response span{min-width:56px;white-space:nowrap}
.row{padding:15px 0;border-top:1px solid var(--line)}
.lead{display:flex;align-items:center;gap:12px;min-width:0}
.row h2{font-size:15px;letter-spacing:-.005em;min-width:0}
.row h2 a{text-decoration:none;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.row h2 a:hover{text-decoration:underline}
.row .target{font-size:13px;margin-top:1px;display:flex;flex-wrap:wrap;height:1.5em;overflow:hidden;white-space:nowrap}
.row .mono{font-size:12.5px;max-width:100%;overflow:hidden;text-overflow:ellipsis}
.row .reason{font-size:13px;margin-top:1px;display:flex;gap:5px;height:1.5em;white-space:nowrap}
.row .reason>span:first-of-type{min-width:0;overflow:hidden;text-overflow:ellipsis}
.row .reason .tag{flex:none}
.row .near{display:block;min-width:0;overflow:hidden;text-overflow:ellipsis;font-weight:400;color:var(--text)}
.row .near .icon{margin-inline-end:6px}
.row .near+:is(.mono,span)::before,.row .mono+span::before{content:"·";margin-inline:.5em}
.who{min-width:0}
.row dl{font-size:14px}
.row dt{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.cause{white-space:normal;overflow-wrap:anywhere}
.row.stale :is(.bars,.line){opacity:.55}
.row.stale .figures{color:var(--muted)}
.row.stale .checked{color:var(--warn);font-weight:600}
.number{text-align:end}
.title{display:flex;flex-wrap:wrap;gap:12px 24px;justify-content:space-between;align-items:flex-start;margin-bottom:22px}
.title>div:first-child{flex:1 1 320px;min-width:0}
.title .target{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;margin-top:2px;overflow-wrap:anywhere}
.actions{display:flex;gap:8px}
.tiles{display:grid;grid-auto-flow:column;grid-auto-columns:1fr;margin-top:22px;border:1px solid var(--line);border-radius:12px;background:var(--raised);overflow:hidden}
.tiles div{padding:13px 16px;border-inline-start:1px solid var(--line);margin-block-start:-1px;margin-inline-start:-1px;border-top:1px solid var(--line)}
.tiles dt{font-size:13px;color:var(--muted)}
.tiles dd{font-size:17px;font-weight:600;letter-spacing:-.01em;white-space:nowrap}
section{margin-top:40px}
section>.facts{max-width:680px}
section>h2,.bar{margin-bottom:12px}
.bar{display:flex;align-items:baseline;justify-content:space-between;gap:8px 16px;flex-wrap:wrap}
.bar a{font-size:14px;color:var(--muted)}
.bar a:hover{color:var(--text)}
.choices{display:flex;flex-wrap:wrap;gap:2px}
.choices a{padding:3px 10px;border-radius:7px;text-decoration:none;white-space:nowrap}
.choices a[aria-current]{background:var(--line);color:var(--text)}
.columns{display:grid;grid-template-columns:1fr 1fr;gap:0 56px}
h1+.wide{margin-top:16px}
.wide{overflow-x:auto;position:relative}
td,thead th{white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:start;vertical-align:top;padding-block:8px;padding-inline:0 20px;border-top:1px solid var(--line);font-weight:400}
th:last-child,td:last-child{padding-inline-end:0}
th bdi{overflow-wrap:break-word}
td .what{vertical-align:top}
.act{text-align:end}
.entries td:nth-child(n+3){white-space:normal;overflow-wrap:anywhere}
.entries td:nth-child(3){min-width:180px}
thead th{border-top:0;color:var(--muted);font-size:13px;padding-top:0;white-space:nowrap}
th.number,td.number{text-align:end}
.facts div{display:flex;justify-content:space-between;gap:20px;padding:8px 0;border-top:1px solid var(--line);font-size:14px}
.facts div:first-child{border-top:0;padding-top:0}
.facts dt{color:var(--muted);flex:none}
.facts .address{flex-direction:column;gap:2px}
.facts .address dd{text-align:start}
.facts dd{text-align:end;min-width:0;overflow-wrap:anywhere}
.near{display:inline-flex;align-items:center;gap:6px;font-weight:600}
.as-table{margin-top:12px;font-size:14px}
.as-table summary{color:var(--muted);cursor:pointer;width:fit-content}
.as-table .wide{margin-top:14px;max-height:420px;overflow:auto}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px;color:var(--muted);margin-bottom:10px}
.legend>span{display:inline-flex;align-items:center;gap:6px}
.checks>li,.incidents>li{border-top:1px solid var(--line)}
.checks>li:last-child,.incidents>li:last-child{border-bottom:1px solid var(--line)}
summary{cursor:pointer}
.checks summary{display:grid;grid-template-columns:124px minmax(70px,100px) minmax(110px,1fr) 1fr 76px;gap:4px 20px;align-items:center;padding:9px 0;font-size:14px;list-style:none}
summary::-webkit-details-marker{display:none}
.checks summary:hover{background:var(--raised)}
.checks .where{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.checks .what{align-items:flex-start}
.checks .what:has(+.took){grid-column:span 2}
.checks .what>.icon{margin-top:3px}
.checks .what>span{overflow-wrap:anywhere}
.where{color:var(--muted)}
.took{text-align:end;white-space:nowrap}
.full{columns:2;column-gap:56px;padding:4px 0 18px;font-size:13px}
.full div{display:flex;gap:14px;padding:4px 0;break-inside:avoid}
.full dt{color:var(--muted);flex:0 0 150px;overflow-wrap:anywhere}
.full dd{min-width:0;overflow-wrap:anywhere}
.incidents .flat{display:grid;grid-template-columns:minmax(130px,max-content) 1fr max-content 96px;gap:4px 20px;align-items:center;padding:11px 0;font-size:14px;list-style:none}
.incidents strong{font-weight:600;font-size:14px}
.incidents .at{color:var(--muted);white-space:nowrap}
[data-density=compact] .rows .row{padding:5px 0}
[data-density=compact] .rows .row:not(:has(.reason)) :is(.target:not(:has(.near))){display:none}
[data-density=compact] .rows .bars{height:20px}
.on-wall :is(main,.foot){max-width:none}
.on-wall .headline strong{font-size:32px;line-height:1.2}
.on-wall .headline .muted{font-size:18px}
.on-wall .headline>.icon{width:40px;height:40px}
.wall{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:12px;margin:20px 0}
.wall li{padding:14px 18px;border:1px solid var(--line);border-radius:10px;background:var(--raised);min-width:0}
.wall li.bad{background:var(--bad-soft);border-color:var(--bad);grid-column:span 2}
.wall li.warn{border-color:var(--warn)}
.wall h2{font-size:20px;overflow-wrap:anywhere}
.wall h2 a{text-decoration:none}
.wall .state{font-size:18px}
.wall p{font-size:16px;overflow-wrap:anywhere}
@media (max-width:900px){
.wall li.bad{grid-column:auto}
.tiles{grid-auto-flow:row;grid-template-columns:repeat(12,1fr)}
.tiles div{grid-column:span 3}
.tiles div:nth-child(n+5){grid-column:span 4}
.tiles div:nth-child(5):nth-last-child(4),.tiles div:nth-child(5):nth-last-child(4)~div{grid-column:span 3}
.checks summary{grid-template-columns:max-content 1fr max-content;gap:3px 12px}
.checks .what,.checks .what:has(+.took){grid-column:1/3;grid-row:2}
.checks .took{grid-column:3;grid-row:1}
.checks .waterfall{grid-column:1/4;grid-row:3}
.list-head{display:none}
.row{grid-template-columns:1fr;gap:10px;padding:18px 0}
.row dl{text-align:start;font-size:14px}
.row .figures{grid-template-columns:minmax(0,4fr) minmax(0,6fr) minmax(0,4fr)}
.response{flex-direction:row-reverse}
.row dt{position:static;width:auto;height:auto;clip-path:none;font-size:12px;color:var(--muted)}
.columns{grid-template-columns:1fr}
.full{columns:1}
}
@media (max-width:720px){
.lead{justify-content:space-between}
.lead h2{flex:1}
.over{flex-wrap:wrap}
.over .headline{flex:1 0 100%}
.over .button{margin:0 0 4px}
.headline{min-height:100px}
.tiles div{padding:11px 14px;grid-column:span 6}
.tiles div:nth-child(5):nth-last-child(4),.tiles div:nth-child(5):nth-last-child(4)~div{grid-column:span 6}
.tiles dd{font-size:16px}
section{margin-top:34px}
.actions{flex:1 0 100%}
.actions :is(form,a){flex:1 0 auto;justify-content:center}
.actions button{width:100%}
.incidents .flat{grid-template-columns:1fr max-content;gap:2px 12px}
.incidents .why{grid-column:1/3;grid-row:2}
.incidents .took{grid-column:2;grid-row:1}
.incidents .at{grid-column:1/3;grid-row:3;font-size:13px}
.headline.whole{flex-wrap:wrap}
.headline form{flex:1 0 100%;margin:0;padding-inline-start:40px}
button.small{min-height:38px}
.list{grid-template-columns:1fr max-content}
.list form{grid-column:2;grid-row:1}
.list>li>p{grid-column:1/3}
.timeline li{grid-template-columns:16px 1fr;gap:2px 10px}
.timeline .at{grid-column:2;grid-row:1}
.timeline .icon{grid-row:1/3}
.timeline .what .icon{grid-row:auto}
th,td{padding-inline-end:14px}
.full dt{flex-basis:110px}
}
`
