import { connect } from 'node:net'
import { tcp as tcpChecker } from '../../src/checkers/tcp.ts'
import type { Benchmark } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { checkOf, CONCURRENCY } from './checking.ts'

const OURS = 'watchpost tcp check'
const RAW = 'net.connect'

export const tcp: Benchmark = {
  name: 'tcp',
  about: 'one tcp check against the connection alone',
  unit: 'check',
  async prepare(stage) {
    const { tcp: port } = await startFarm(stage)
    const units = Math.round(2000 * stage.scale)
    const check = checkOf(tcpChecker(), { host: '127.0.0.1', port })
    return {
      baseline: RAW,
      contenders: [
        { name: OURS, units, run: (count) => inFlight(count, CONCURRENCY, check) },
        { name: RAW, units, run: (count) => inFlight(count, CONCURRENCY, () => knock(port)) },
      ],
      goals: [{ of: OURS, against: RAW, at_most: 2 }],
    }
  },
}

function knock(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.destroy())
    socket.once('error', reject).once('close', () => resolve())
  })
}
