/** The parts of public pages alone. */

export const PUBLIC = `
.group{margin-top:36px;padding-bottom:8px;border-bottom:1px solid var(--line)}
.group+.services{margin-top:4px}
.logo{height:28px;max-width:160px;object-fit:contain}
.report{padding:18px 20px;margin-top:14px;border:1px solid var(--line);border-radius:14px;background:var(--raised)}
.report.bad{border-color:var(--bad)}
.report .bar{align-items:center}
.report h3{font-size:16px}
.updates{margin-top:10px;padding:0;list-style:none}
.updates li{padding:10px 0;border-top:1px solid var(--line)}
.updates li:first-child{border-top:0}
.words{max-width:68ch;margin-top:4px;white-space:pre-line;overflow-wrap:anywhere}
.report+.back{margin-top:16px}
.banner p::first-letter{text-transform:uppercase}
.months{display:flex;justify-content:space-between;gap:16px;margin-top:24px}
.links{display:flex;flex-wrap:wrap;gap:8px 20px;margin-top:28px}
.sums{width:100%;border-collapse:collapse;margin-top:12px}
.sums td,.sums th{padding:8px 0;border-top:1px solid var(--line);text-align:start;font-weight:400}
.sums td{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap;padding-inline-start:16px}
`
