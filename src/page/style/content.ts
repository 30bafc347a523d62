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
.headline{display:flex;gap:14px;align-items:flex-start;min-height:52px}
.headline .icon{width:26px;height:26px;margin-top:3px}
.headline .near{display:inline}
.headline .near .icon{width:16px;height:16px;margin:0 6px 0 0}
.headline strong{font-size:20px;letter-spacing:-.015em;font-weight:600}
.headline p{min-width:0;flex:1}
.headline .muted{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.headline br{display:none}
.headline form{flex:none;margin-block:6px}
.headline .tag{vertical-align:3px;margin-left:4px}
.list-head,.row{display:grid;grid-template-columns:minmax(220px,10fr) minmax(180px,9fr) minmax(300px,10fr);gap:8px 28px;align-items:center}
.list-head{font-size:13px;color:var(--muted);padding-bottom:8px}
.figures{display:grid;grid-template-columns:64px 1fr 82px;gap:14px;text-align:right}
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
.row .near{font-weight:400;color:var(--text);margin-right:10px}
.row .mono+span::before{content:"·";margin-inline:.5em}
.who{min-width:0}
.row dl{font-size:14px}
.row dt{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.number{text-align:right}
.title{display:flex;flex-wrap:wrap;gap:12px 24px;justify-content:space-between;align-items:flex-start;margin-bottom:22px}
.title .target{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px;margin-top:2px;overflow-wrap:anywhere}
.actions{display:flex;gap:8px}
.tiles{display:grid;grid-auto-flow:column;grid-auto-columns:1fr;margin-top:22px;border:1px solid var(--line);border-radius:12px;background:var(--raised);overflow:hidden}
.tiles div{padding:13px 16px;border-left:1px solid var(--line);margin:-1px 0 0 -1px;border-top:1px solid var(--line)}
.tiles dt{font-size:13px;color:var(--muted)}
.tiles dd{font-size:17px;font-weight:600;letter-spacing:-.01em;white-space:nowrap}
section{margin-top:40px}
section>h2,.bar{margin-bottom:12px}
.bar{display:flex;align-items:baseline;justify-content:space-between;gap:8px 16px;flex-wrap:wrap}
.bar a{font-size:14px;color:var(--muted)}
.bar a:hover{color:var(--text)}
.choices{display:flex;gap:2px}
.choices a{padding:3px 10px;border-radius:7px;text-decoration:none}
.choices a[aria-current]{background:var(--line);color:var(--text)}
.columns{display:grid;grid-template-columns:1fr 1fr;gap:0 56px}
.wide{overflow-x:auto}
td,thead th{white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:8px 20px 8px 0;border-top:1px solid var(--line);font-weight:400}
th:last-child,td:last-child{padding-right:0}
thead th{border-top:0;color:var(--muted);font-size:13px;padding-top:0;white-space:nowrap}
th.number,td.number{text-align:right}
.facts div{display:flex;justify-content:space-between;gap:20px;padding:8px 0;border-top:1px solid var(--line);font-size:14px}
.facts div:first-child{border-top:0;padding-top:0}
.facts dt{color:var(--muted);flex:none}
.facts .address{flex-direction:column;gap:2px}
.facts .address dd{text-align:left}
.facts dd{text-align:right;min-width:0;overflow-wrap:anywhere}
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
.checks summary:hover,.incidents summary:hover{background:var(--raised)}
.checks .where,.checks .what>span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.where{color:var(--muted)}
.took{text-align:right;white-space:nowrap}
.full{columns:2;column-gap:56px;padding:4px 0 18px;font-size:13px}
.full div{display:flex;gap:14px;padding:4px 0;break-inside:avoid}
.full dt{color:var(--muted);flex:0 0 150px;overflow-wrap:anywhere}
.full dd{min-width:0;overflow-wrap:anywhere}
.incidents summary,.incidents .flat{display:grid;grid-template-columns:minmax(130px,max-content) 1fr max-content 96px;gap:4px 20px;align-items:center;padding:11px 0;font-size:14px;list-style:none}
.incidents strong{font-weight:600;font-size:14px}
.incidents .at{color:var(--muted);white-space:nowrap}
.incidents details[open]{padding-bottom:16px}
.incidents h3{font-size:13px;color:var(--muted);margin:14px 0 4px;letter-spacing:0}
.incidents h3:first-of-type{margin-top:2px}
.course{font-size:14px}
.course li{display:flex;gap:20px;padding:3px 0}
.course .at{flex:0 0 auto;min-width:110px}
@media (max-width:900px){
.tiles{grid-auto-flow:row;grid-template-columns:repeat(12,1fr)}
.tiles div{grid-column:span 3}
.tiles div:nth-child(n+5){grid-column:span 4}
.checks summary{grid-template-columns:max-content 1fr max-content;gap:3px 12px}
.checks .what{grid-column:1/3;grid-row:2}
.checks .took{grid-column:3;grid-row:1}
.checks .waterfall{grid-column:1/4;grid-row:3}
.list-head{display:none}
.row{grid-template-columns:1fr;gap:10px;padding:18px 0}
.row dl{text-align:left;font-size:14px}
.row .figures{grid-template-columns:1fr 1fr 1fr}
.response{flex-direction:row-reverse}
.row dt{position:static;width:auto;height:auto;clip-path:none;font-size:12px;color:var(--muted)}
.columns{grid-template-columns:1fr}
.full{columns:1}
}
@media (max-width:720px){
.lead{justify-content:space-between}
.headline .muted{white-space:normal;display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical}
.headline{min-height:76px}
.tiles div{padding:11px 14px;grid-column:span 6}
.tiles dd{font-size:16px}
section{margin-top:34px}
.actions{flex:1 0 100%}
.actions form{flex:1}
.actions button{width:100%}
.incidents summary,.incidents .flat{grid-template-columns:1fr max-content;gap:2px 12px}
.incidents .why{grid-column:1/3;grid-row:2}
.incidents .took{grid-column:2;grid-row:1}
.incidents .at{grid-column:1/3;grid-row:3;font-size:13px}
.course li{flex-direction:column;gap:0}
th,td{padding-right:14px}
.full dt{flex-basis:110px}
}
`
