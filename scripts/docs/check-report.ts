/**
 * What `watchpost check` prints, for the pages that show it: a run that was recorded, by the code that
 * prints it. Recorded on 2026-11-21 with `check http … --json` against a TLS server on the same machine;
 * afterwards its name and address were changed to those that are free for documentation.
 */

import { report } from '../../src/cli/check/report.ts'
import { rendered } from '../../src/cli/terminal.ts'
import { http } from '../../src/checkers/http/index.ts'
import type { TimedOutcome } from '../../src/engine/api/views.ts'
import { block } from './markdown.ts'

const URL = 'https://shop.example.com/maintenance'

const RECORDED: TimedOutcome = {
  verdict: 'fail',
  cause_code: 'keyword_missing',
  cause_text: '"Add to basket" is not in the body',
  phase: 'transfer',
  started_at: '2026-11-21T21:43:53.902Z',
  duration_ms: 107.44,
  response_ms: 107.44,
  phases: {
    resolve_ms: 1.13,
    connect_ms: 2.24,
    tls_ms: 5.77,
    first_byte_ms: 86.99,
    transfer_ms: 7.81,
  },
  remote_ip: '192.0.2.10',
  details: {
    status: 200,
    http_version: '1.1',
    final_url: URL,
    body_bytes: 2022,
    content_type: 'text/html',
    tls: {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      not_after: '2027-02-03T21:43:50.000Z',
    },
    response_ms: 105.01,
  },
}

export function checkReport(): string {
  const lines = report(RECORDED, `http ${URL}`, http())
  return block(
    'console',
    [
      `$ npx watchpost check http url=${URL} 'keyword_present=Add to basket'`,
      ...lines.map((line) => rendered(line, false)),
      '$ echo $?',
      '2',
    ].join('\n'),
  )
}
