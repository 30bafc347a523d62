/**
 * All attacks, in the order in which they run.
 *
 * @module
 */

import type { Attack } from './attack.ts'
import { deafSockets } from './deaf-sockets.ts'
import { halfHeaders } from './half-headers.ts'
import { hangingChecks } from './hanging-checks.ts'
import { heavyPages } from './heavy-pages.ts'
import { knownHeartbeat } from './known-heartbeat.ts'
import { manyHeaders } from './many-headers.ts'
import { publishedPages } from './published-pages.ts'
import { sessionChecks } from './session-checks.ts'
import { hoardedLiveUpdates } from './hoarded-live-updates.ts'
import { slowBodies } from './slow-bodies.ts'
import { smallChunks } from './small-chunks.ts'
import { unendedHeaders } from './unended-headers.ts'
import { unreadAnswers } from './unread-answers.ts'
import { unreadMetrics } from './unread-metrics.ts'
import { wrongKeys } from './wrong-keys.ts'

export const attacks: readonly Attack[] = [
  unreadAnswers,
  halfHeaders,
  deafSockets,
  slowBodies,
  smallChunks,
  manyHeaders,
  unreadMetrics,
  sessionChecks,
  wrongKeys,
  hangingChecks,
  heavyPages,
  hoardedLiveUpdates,
  publishedPages,
  knownHeartbeat,
  unendedHeaders,
]
