/**
 * Style, script and icon, each at a path with its digest: browsers cache them indefinitely, and a changed file has a
 * new path.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import type { Answer } from './answer.ts'
import { ALARM, BRAND } from '../layout/icons.ts'
import { textOf } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import { CHART_SCRIPT } from '../chart/chart-script.ts'
import { FORM_SCRIPT } from '../forms/form-script.ts'
import type { AssetPaths } from '../layout/frame.ts'
import { SCRIPT } from '../layout/script.ts'
import { TIMES_SCRIPT } from '../layout/times-script.ts'
import { style } from '../style/style.ts'
import { ENGLISH } from '../words/language.ts'

export interface Assets extends AssetPaths {
  find(path: string): Answer | undefined
}

export function createAssets(): Assets {
  const drawn = (mark: Markup): string =>
    textOf(mark, ENGLISH).replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
  const files = {
    style: asset('css', 'text/css; charset=utf-8', style()),
    script: asset('js', 'text/javascript; charset=utf-8', SCRIPT),
    form: asset('js', 'text/javascript; charset=utf-8', FORM_SCRIPT),
    chart: asset('js', 'text/javascript; charset=utf-8', CHART_SCRIPT),
    times: asset('js', 'text/javascript; charset=utf-8', TIMES_SCRIPT),
    icon: asset('svg', 'image/svg+xml', drawn(BRAND)),
    alarm: asset('svg', 'image/svg+xml', drawn(ALARM)),
  }
  const answers = new Map(Object.values(files).map(({ path, answer }) => [path, answer]))
  return {
    style: files.style.path,
    script: files.script.path,
    form: files.form.path,
    chart: files.chart.path,
    times: files.times.path,
    icon: files.icon.path,
    alarm: files.alarm.path,
    find: (path) => answers.get(path),
  }
}

function asset(
  ending: string,
  type: string,
  body: string,
): { readonly path: string; readonly answer: Answer } {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12)
  const headers = {
    'Content-Type': type,
    ETag: `"${digest}"`,
    'Cache-Control': 'public, max-age=31536000, immutable',
  }
  return {
    path: `/assets/${digest}.${ending}`,
    answer: { status: 200, headers, body: Buffer.from(body) },
  }
}
