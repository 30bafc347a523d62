import type { Serving } from '../rig/serving.ts'
import type { Attack } from './attack.ts'
import { FLOOD_BOUND } from './flood.ts'
import { create, STRANGERS_BOUND, underVisitors } from './visitors.ts'
import type { Visit } from './visitors.ts'

const RUNS = 1000
const BODY = 'a line of a backup\n'.repeat(500)

export const knownHeartbeat: Attack = {
  name: 'known-heartbeat',
  does: 'Sends signals of a thousand runs, with a message of 9 KB each, to a known heartbeat address on 100 connections.',
  bound: `${FLOOD_BOUND}, ${STRANGERS_BOUND}`,
  attempt: () => underVisitors(signals),
}

async function signals(serving: Serving): Promise<Visit[]> {
  const settings = { type: 'heartbeat', name: 'Backup' }
  const { monitor } = await create<{ monitor: { token: string } }>(serving, 'monitors', settings)
  return Array.from({ length: RUNS }, (_, run) =>
    ['/start', '/log', '/fail', ''].map((kind) => ({
      path: `/hb/${monitor.token}${kind}?rid=run-${run}`,
      method: 'POST',
      body: BODY,
    })),
  ).flat()
}
