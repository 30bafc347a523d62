/**
 * TCP port: it accepts connections, speaks TLS if requested, and sends the expected banner.
 *
 * The smallest checker, and a template for your own.
 *
 * @module watchpost/checkers/tcp
 */

import { escapeBytes, escapedText } from '../fields/escapes.ts'
import { field } from '../fields/vocabulary.ts'
import { hostPort } from '../net/connection/endpoint.ts'
import type { Pattern } from '../fields/pattern.ts'
import { awaitAcceptance } from '../net/connection/tls.ts'
import { CheckFailure } from '../net/failure.ts'
import type { Connection } from '../net/net.ts'
import { defineChecker, down, unknown, up } from './checker.ts'
import type { CheckContext } from './checker.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
  unusedCertificate,
} from './client-certificate.ts'
import { notSearched } from './causes.ts'
import {
  connectionDetails,
  CONNECTION_HIGHLIGHTS,
  CONNECTION_MEASUREMENTS,
} from './connection-details.ts'

/** Maximum bytes searched for a banner. */
const BANNER_LIMIT_BYTES = 4096

/** The first segments of a banner are searched as soon as they arrive; later ones are batched. */
const EAGER_SEARCHES = 16
/** Batch time; extended to nine times the duration of the last search. */
const GATHER_MS = 20
const SEARCH_SHARE = 9

/** https://dev.mysql.com/doc/refman/8.4/en/server-system-variables.html#sysvar_max_connect_errors */
const MYSQL_PORT = 3306
const MYSQL_HINT =
  'A MySQL server counts connections without a login as errors and blocks the host after max_connect_errors of them: use the type mysql here'

export const tcp = () =>
  defineChecker({
    type: 'tcp',
    title: 'TCP port',
    description: 'Connects to a port; can speak TLS, send something, and match what comes back.',

    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      port: field.port({ description: 'TCP port' }).required(),
      tls: field
        .flag({
          description: 'Speak TLS from the first byte, with a valid certificate',
          aliases: { none: false, implicit: true },
        })
        .default(false),
      ip_family: field.ipFamily().default('auto'),
      send: escapedText({
        description:
          'Sent once connected, at most 1024 bytes; \\r \\n \\t \\0 \\\\ and \\xHH are read as escapes',
        maxBytes: 1024,
        example: 'PING\\r\\n',
      }),
      banner_regex: field.regex({
        description: `What the server must say, matched against its first ${BANNER_LIMIT_BYTES} bytes as latin1`,
      }),
      ...clientCertificateFields,
    },

    causes: {
      banner_mismatch: { text: 'The server said something else', phase: 'greeting' },
    },
    figures: [],
    measurements: {
      banner: 'The beginning of what the server said, at most 256 characters, escaped',
      hint: 'Advice on this port',
      ...CONNECTION_MEASUREMENTS,
    },

    highlights: { ...CONNECTION_HIGHLIGHTS, banner: { title: 'Greeting' } },
    target: ({ host, port }) => hostPort(host, port),
    refine(settings) {
      const problems = clientCertificateProblems(settings)
      return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
    },
    unused: (settings) => (settings.tls ? {} : unusedCertificate(settings, 'tls is off')),

    async run(ctx, settings) {
      const { host, port, tls, ip_family, send, banner_regex } = settings
      const identity = identityOf(settings)
      if (port === MYSQL_PORT) ctx.measure({ hint: MYSQL_HINT })
      const asksMore = tls || send !== undefined || banner_regex !== undefined
      const connection = await ctx.net
        .connect({ host, port, ip_family, tls: tls ? { identity } : undefined })
        .catch((error: unknown) => {
          // Whether a server that accepts and resets at once fails in connecting or later is a
          // race; for the port both mean the same.
          if (!asksMore && error instanceof CheckFailure && error.code === 'connect_reset')
            return null
          throw error
        })
      if (connection === null) return up()
      ctx.measure(connectionDetails(connection))
      if (send !== undefined) await ctx.phase('send', () => connection.write(send))
      if (banner_regex === undefined) {
        if (tls && identity !== undefined) await awaitAcceptance(connection, ctx)
        if (tls) await connection.end()
        return up()
      }

      const { said, matches } = await ctx.phase('greeting', () =>
        hearBanner(ctx, connection, banner_regex),
      )
      if (matches) return up()
      if (said === '') {
        const phase = 'greeting'
        return down('closed_early', 'The server closed the connection without a word', { phase })
      }
      if (said.length > banner_regex.searched) {
        return unknown('too_long', notSearched(banner_regex), { phase: 'greeting' })
      }
      return down('banner_mismatch', `The server said "${escapeBytes(said, 100)}"`)
    },
  })

/**
 * Even if a server sends single bytes and the pattern is expensive, searching takes at most a tenth
 * of the CPU time.
 */
async function hearBanner(
  ctx: CheckContext,
  connection: Connection,
  pattern: Pattern,
): Promise<{ readonly said: string; readonly matches: boolean }> {
  let said = ''
  for (let searches = 1; ; searches++) {
    const max = BANNER_LIMIT_BYTES - said.length
    const part = await connection.readUntil(() => true, { max, orEnd: true })
    // A pattern may match an empty banner of a server that closes without sending.
    if (part.length === 0) return { said, matches: said === '' && pattern.test(said) }
    said += part.toString('latin1')
    ctx.measure({ banner: escapeBytes(said, 256) })
    const from = ctx.clock.monotonic()
    if (pattern.test(said)) return { said, matches: true }
    const took_ms = ctx.clock.monotonic() - from
    if (said.length >= BANNER_LIMIT_BYTES) return { said, matches: false }
    if (searches >= EAGER_SEARCHES)
      await ctx.clock.sleep(Math.max(GATHER_MS, SEARCH_SHARE * took_ms), ctx.signal)
  }
}
