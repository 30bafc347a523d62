/**
 * The style sheet of all pages: colours, light and dark, then the parts, then the rules for print, which come last to
 * override the others. Text has a contrast of at least 4.5:1 against its background, icons and lines with a meaning 3:1
 * (WCAG 2.2, 1.4.3 and 1.4.11).
 *
 * @module
 */

import { CONTENT } from './content.ts'
import { BASE } from './base.ts'
import { PICTURES } from './pictures.ts'

interface Tokens {
  readonly ground: string
  readonly raised: string
  readonly line: string
  readonly edge: string
  readonly text: string
  readonly muted: string
  readonly accent: string
  readonly good: string
  readonly good_soft: string
  readonly bad: string
  readonly bad_soft: string
  readonly warn: string
  readonly quiet: string
  readonly none: string
  readonly cut: string
  /** Phases of a check, in order. */
  readonly phases: readonly [string, string, string, string, string, string]
}

const LIGHT: Tokens = {
  ground: '#fafaf9',
  raised: '#ffffff',
  line: '#e6e6e3',
  edge: '#8b8f96',
  text: '#1a1c1f',
  muted: '#5b6069',
  accent: '#2456c7',
  good: '#1f8558',
  good_soft: '#2f9c6a',
  bad: '#c6303c',
  bad_soft: '#fbeced',
  warn: '#a86100',
  quiet: '#6d727b',
  none: '#d5d6d8',
  cut: '#ffffff',
  phases: ['#7b6fd0', '#3d7edb', '#1f9bb4', '#2f9c6a', '#c9852a', '#b9608f'],
}

const DARK: Tokens = {
  ground: '#101214',
  raised: '#171a1d',
  line: '#2a2e33',
  edge: '#7d838c',
  text: '#e9ebee',
  muted: '#a1a7b0',
  accent: '#8db2ff',
  good: '#46b985',
  good_soft: '#3aa574',
  bad: '#f2676f',
  bad_soft: '#2c1a1d',
  warn: '#e2a440',
  quiet: '#969ca6',
  none: '#383d44',
  cut: '#101214',
  phases: ['#9a8ff0', '#5c9cf5', '#3bb8d1', '#46b985', '#e0a04a', '#d97fae'],
}

/** The parts of public pages alone. */
const PUBLIC = `
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

const PRINT = `@media print{
.top nav,.top form,.filter,.actions,.over .button,.lead input,.several,.act,.title form,.headline form,.choices,.pages,.toasts,.foot form,#live,#zone{display:none}
body{print-color-adjust:exact}
li,tr,figure{break-inside:avoid}
h2{break-after:avoid}
}
`

export function style(): string {
  return tokens() + BASE + CONTENT + PICTURES + PUBLIC + PRINT
}

/** Custom properties: by the system's preference, unless a theme is chosen. Print is light. */
function tokens(): string {
  return `:root{color-scheme:light;${declared(LIGHT)}}
:root[data-theme=dark]{color-scheme:dark;${declared(DARK)}}
@media (prefers-color-scheme:dark){:root[data-theme=auto]{color-scheme:dark;${declared(DARK)}}}
@media print{:root[data-theme]{color-scheme:light;${declared(LIGHT)}}}
`
}

function declared({ phases, ...plain }: Tokens): string {
  return [
    ...Object.entries(plain).map(([name, value]) => `--${name.replace('_', '-')}:${value}`),
    ...phases.map((value, at) => `--phase-${at}:${value}`),
  ].join(';')
}
