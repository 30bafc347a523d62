import { http as httpChecker } from '../../src/checkers/http/index.ts'
import type { Benchmark, Contender } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { checkOf, CONCURRENCY } from './checking.ts'
import * as baseline from './http-baselines.ts'

const OURS = 'watchpost http check'
const CLIENT = 'undici request, fresh Client'
const DISPATCH = 'undici dispatch, fresh Client'
const NODE = 'node:http'

export const http: Benchmark = {
  name: 'http',
  about: 'one http check with phases and judgement, against bare requests over fresh connections',
  unit: 'check',
  async prepare(stage) {
    const { http: port } = await startFarm(stage)
    const origin = `http://127.0.0.1:${port}`
    const units = Math.round(1000 * stage.scale)
    const contender = (name: string, work: () => Promise<void>): Contender => ({
      name,
      units,
      run: (count) => inFlight(count, CONCURRENCY, work),
    })
    return {
      baseline: CLIENT,
      contenders: [
        contender(OURS, checkOf(httpChecker(), { url: `${origin}/` })),
        contender(CLIENT, () => baseline.undiciClient(origin)),
        contender(DISPATCH, () => baseline.undiciDispatch(origin)),
        contender('undici request, shared Agent, reset', baseline.undiciRequest(origin)),
        contender(NODE, baseline.nodeHttp(port)),
        contender('raw socket', () => baseline.overSocket(port)),
      ],
      goals: [
        { of: OURS, against: CLIENT, at_most: 0.65 },
        { of: OURS, against: CLIENT, at_most: 0.5 },
        { of: OURS, against: DISPATCH, at_most: 1.3 },
        { of: OURS, against: NODE, at_most: 1.3 },
      ],
    }
  },
}
