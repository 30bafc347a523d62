/**
 * Type, head and footer, forms: the base of all pages.
 *
 * @module
 */

export const BASE = `*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scrollbar-gutter:stable}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0;padding:0}
ul,ol{list-style:none}
h1,h2,h3{font-weight:600;line-height:1.3;letter-spacing:-.011em;text-wrap:balance}
h1{font-size:24px}
h2{font-size:16px}
h3{font-size:15px}
a{color:inherit;text-decoration-color:var(--edge);text-underline-offset:3px;text-decoration-thickness:1px}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
main:focus{outline:none}
code,pre,.mono{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
bdi{overflow-wrap:anywhere}
.muted{color:var(--muted)}
.hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;inset-inline-start:16px;top:-60px;background:var(--raised);padding:8px 14px;border:1px solid var(--edge);border-radius:8px;z-index:1}
.skip:focus{top:12px}
.top,main,.foot{max-width:1120px;margin-inline:auto;padding-inline:24px}
.top{display:flex;align-items:center;gap:8px 28px;min-height:64px}
.mark{display:flex;align-items:center;gap:10px;text-decoration:none;letter-spacing:-.01em;font-size:16px}
.mark strong{font-weight:600}
.brand{display:block;flex:none}
.top nav{display:flex;gap:4px;flex:1}
.top nav a{padding:6px 12px;border-radius:8px;text-decoration:none;color:var(--muted)}
.top nav a:hover{color:var(--text)}
.top nav a[aria-current]{color:var(--text);background:var(--line)}
main{padding-block:16px 56px;min-height:60vh}
.foot{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:12px 24px;padding-block:20px 32px;color:var(--muted);font-size:13px}
.foot::before{content:"";flex:1 0 100%;border-top:1px solid var(--line);margin-bottom:6px}
#live{display:inline-block;min-width:9ch}
.looks{display:flex;flex-wrap:wrap;align-items:center;gap:4px 20px;margin-inline-end:-10px}
time{unicode-bidi:plaintext}
.foot #zone{min-height:28px;padding:2px 8px;margin:0;font-size:13px}
button,input,select{font:inherit;color:inherit;letter-spacing:inherit}
button{padding:6px 14px;min-height:36px;border:1px solid var(--edge);border-radius:8px;background:var(--raised);cursor:pointer}
button:hover{border-color:var(--text)}
button.primary{background:var(--text);color:var(--ground);border-color:var(--text);font-weight:600}
button.small{min-height:30px;padding:2px 10px;font-size:13px}
a.button{display:inline-flex;align-items:center;padding:6px 14px;min-height:36px;border:1px solid var(--edge);border-radius:8px;background:var(--raised);text-decoration:none}
a.button:hover{border-color:var(--text)}
button.danger{background:var(--bad);color:var(--cut);border-color:var(--bad);font-weight:600}
textarea{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:inherit;width:100%;padding:7px 10px;border:1px solid var(--edge);border-radius:8px;background:var(--raised);resize:vertical}
.fields{max-width:680px;margin-top:22px}
.field{margin-bottom:18px}
.field>label,.label{font-weight:600;font-size:14px}
.field>label:not(.checkbox),.label{display:block;margin-bottom:4px}
.field>input[type=checkbox]{min-height:0;margin:0;margin-inline-end:8px;vertical-align:-1px}
.field>input[type=checkbox]+label{display:inline}
.field>input:not([type=checkbox]){width:100%}
.field>input.number{max-width:180px;text-align:start}
.field>select{max-width:320px}
.note{font-size:13px;color:var(--muted);margin-top:4px}
.note::first-letter{text-transform:uppercase}
.field .problem{font-size:14px}
.wrong>:is(input,select,textarea){border-color:var(--bad)}
.checkboxes{display:flex;flex-wrap:wrap;gap:6px 18px}
.checkbox{display:inline-flex;align-items:center;gap:8px;font-size:14px;min-height:36px}
.checkbox input{min-height:0}
.several{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;font-size:14px;padding-top:16px;border-top:1px solid var(--line)}
.lead input{flex:none;min-height:0;width:16px;height:16px;margin:0}
fieldset{border:0;margin:0;padding:0;min-width:0}
legend{font-weight:600;font-size:14px;padding:0;margin-bottom:4px}
.option{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;font-size:14px;padding:4px 0}
.option .number{width:80px;text-align:start}
.option select[multiple]{min-width:240px}
.made{margin:16px 0;padding:14px 18px;border:1px solid var(--good);border-radius:10px;background:var(--raised)}
.made code{font-size:15px;overflow-wrap:anywhere}
.fold{border-top:1px solid var(--line);padding:14px 0}
.fold>summary{font-weight:600;margin-bottom:10px}
.fold[open]>summary{margin-bottom:18px}
#outcome{margin-block:16px}
#outcome td{white-space:normal;overflow-wrap:anywhere}
#outcome h2{margin-bottom:10px}
#outcome ul{list-style:disc;padding-inline-start:20px}
.buttons{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:center;margin-top:18px}
.hint{margin-top:12px;font-size:14px}
.types{columns:2;column-gap:40px;margin-top:20px}
.types li{break-inside:avoid;padding:10px 0;border-top:1px solid var(--line)}
.types a{font-weight:600}
.types p{font-size:13px}
button.plain{border-color:transparent;background:none;color:var(--muted);padding-inline:8px;margin-inline-end:-8px}
button.plain:hover{color:var(--text)}
input,select{min-height:36px;padding:5px 10px;border:1px solid var(--edge);border-radius:8px;background:var(--raised)}
select{padding-inline-end:6px;max-width:180px}
input::placeholder{color:var(--muted);opacity:1}
.themes{display:flex;gap:2px}
.themes button{min-height:28px;padding:2px 10px;border-color:transparent;background:none;color:var(--muted);font-size:13px}
.themes button:hover{color:var(--text)}
.themes button[aria-pressed=true]{background:var(--line);color:var(--text)}
.filter{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:center;margin-block:10px 24px;font-size:14px;color:var(--muted)}
h1+.filter,#planned:has(ul)+.filter{margin-top:20px}
.filter select,.filter input,.filter button{color:var(--text);margin-inline-start:4px}
.filter .grow{flex:1 1 220px}
.filter .grow input{width:100%;margin:0}
.stack{display:flex;flex-direction:column;gap:8px;margin-block:20px}
.stack label{font-weight:600}
.stack input{min-height:42px}
.stack button{min-height:42px;margin-top:10px}
.problem{color:var(--bad)}
.slim .top,.slim main,.slim .foot{max-width:868px}
.first{max-width:680px;margin:8vh auto 0}
.first.narrow{max-width:380px}
.first p{margin-top:12px}
.first pre{white-space:pre-wrap;overflow-wrap:anywhere;margin-top:16px;padding:16px;background:var(--raised);border:1px solid var(--line);border-radius:10px;overflow:auto}
.pages{display:flex;gap:20px;align-items:center;margin-top:24px}
.toasts{position:fixed;bottom:16px;left:50%;transform:translateX(-50%);width:max-content;max-width:calc(100vw - 32px);display:grid;gap:8px;justify-items:center;z-index:1}
.toasts p{padding:8px 16px;border:1px solid var(--edge);border-radius:20px;background:var(--raised);font-size:14px}
.toasts #newly{border-color:var(--bad);background:var(--bad-soft)}
.toasts [hidden]{display:none}
.back{margin-bottom:6px;color:var(--muted)}
.back::before{content:"← "}
[dir=rtl] .back::before{content:"→ "}
.empty{color:var(--muted);padding:18px 0}
@media (max-width:720px){
.top,main,.foot{padding-inline:16px}
.top{flex-wrap:wrap;padding-block:10px;min-height:0;gap:6px 12px}
.top .mark{flex:1}
.top nav{order:3;flex:1 0 100%;flex-wrap:wrap}
.top nav a{padding:6px 9px}
main{padding-top:8px}
button,input,select,a.button{min-height:42px}
.types{columns:1}
.actions{flex-wrap:wrap}
.themes button,.foot #zone{min-height:36px}
.themes button{padding-inline:14px}
.looks{margin-inline:0}
.filter{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:10px 8px}
.filter label{display:flex;flex-direction:column;gap:2px;font-size:13px}
.filter .grow{grid-column:1/3}
.filter select{margin:0;max-width:none;width:100%}
.filter button{margin:0;grid-column:3;grid-row:1}
}
@media (prefers-reduced-motion:no-preference){button,.top a{transition:border-color .12s,color .12s}}
`
