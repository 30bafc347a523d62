import { connect, createSecureContext, rootCertificates } from 'node:tls'
import type { SecureContext } from 'node:tls'
import { http as httpChecker } from '../../src/checkers/http/index.ts'
import { ssl } from '../../src/checkers/ssl/index.ts'
import type { Benchmark, Contender } from '../harness/benchmark.ts'
import { inFlight } from '../harness/benchmark.ts'
import { startFarm } from '../harness/farm.ts'
import { checkOf } from './checking.ts'
import { undiciClient } from './http-baselines.ts'

const OURS = 'watchpost http check of https'
const AUTO = 'watchpost http check, http_version auto of an HTTP/2 server'
const ONE = 'watchpost http check, http_version 1.1 of an HTTP/2 server'
const RAW = 'raw handshake, certificate read'
const UNDICI = 'undici request, fresh Client'

/** Handshakes of the server take a core of their own; more at once would only queue. */
const CONCURRENCY = 8

const WARM_UP_UNITS = 4000

export const https: Benchmark = {
  name: 'https',
  about: 'one https check, full handshake without resumption, against the handshake alone',
  unit: 'check',
  async prepare(stage) {
    const { http: plain, https: port, http2, ca } = await startFarm(stage)
    await warmUp(`http://127.0.0.1:${plain}`)
    const secureContext = createSecureContext({ ca: [...rootCertificates, ca] })
    const units = Math.round(300 * stage.scale)
    const contender = (name: string, work: () => Promise<void>): Contender => ({
      name,
      units,
      run: (count) => inFlight(count, CONCURRENCY, work),
    })
    const origin = `https://127.0.0.1:${port}`
    const secure = { secureContext, maxCachedSessions: 0 }
    return {
      baseline: RAW,
      contenders: [
        contender(OURS, checkOf(httpChecker(), { url: `${origin}/` }, ca)),
        contender(ONE, checkOf(httpChecker(), versioned(http2, '1.1'), ca)),
        contender(AUTO, checkOf(httpChecker(), versioned(http2, 'auto'), ca)),
        contender(
          'watchpost ssl check',
          checkOf(ssl(), { host: '127.0.0.1', port, days_warn: 1 }, ca),
        ),
        contender(UNDICI, () => undiciClient(origin, secure)),
        contender(RAW, () => handshake(port, secureContext)),
      ],
      goals: [
        // Were it met, `auto` could be the default.
        { of: AUTO, against: ONE, at_most: 1.15 },
        { of: OURS, against: RAW, at_most: 1.25 },
        { of: OURS, against: UNDICI, at_most: 0.85 },
        { of: OURS, against: UNDICI, at_most: 0.65 },
      ],
    }
  },
}

function versioned(port: number, http_version: string): object {
  return { url: `https://127.0.0.1:${port}/`, http_version }
}

/**
 * What a check does besides the handshake has to run a few thousand times until it is compiled. Without TLS
 * that takes a second; what is compared here are the prices afterwards.
 */
async function warmUp(origin: string): Promise<void> {
  const check = checkOf(httpChecker(), { url: `${origin}/` })
  for (const work of [check, () => undiciClient(origin)]) {
    await inFlight(WARM_UP_UNITS, CONCURRENCY, work)
  }
}

function handshake(port: number, secureContext: SecureContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, secureContext }, () => {
      const ends = socket.getPeerX509Certificate()?.validTo
      socket.destroy()
      if (ends === undefined) reject(new Error('no certificate'))
    })
    socket.once('error', reject).once('close', () => resolve())
  })
}
