/**
 * TCP port: it accepts connections, speaks TLS where that is asked for, and says what is expected.
 *
 * The smallest of the checkers, and the model for one of your own.
 *
 * @module watchpost/checkers/tcp
 */

import { escapeBytes, escapedText } from '../fields/escapes.ts'
import { field } from '../fields/vocabulary.ts'
import { hostPort } from '../net/endpoint.ts'
import { CheckFailure } from '../net/failure.ts'
import { defineChecker, down, up } from './checker.ts'
import { reached, REACHED_HIGHLIGHTS, REACHED_MEASUREMENTS } from './reached.ts'

/** A banner that does not match within this many bytes does not match. */
const BANNER_LIMIT_BYTES = 4096

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
    },

    causes: {
      banner_mismatch: { text: 'The server said something else', phase: 'greeting' },
    },
    measurements: {
      banner: 'The beginning of what the server said, at most 256 characters, escaped',
      hint: 'Advice on this port',
      ...REACHED_MEASUREMENTS,
    },

    highlights: { ...REACHED_HIGHLIGHTS, banner: { title: 'Greeting' } },
    target: ({ host, port }) => hostPort(host, port),

    async run(ctx, { host, port, tls, ip_family, send, banner_regex }) {
      if (port === MYSQL_PORT) ctx.measure({ hint: MYSQL_HINT })
      const asksMore = tls || send !== undefined || banner_regex !== undefined
      const connection = await ctx.net
        .connect({ host, port, ip_family, tls: tls ? {} : undefined })
        .catch((error: unknown) => {
          // A server that accepts and resets at once is seen as either by chance; to a port it is all one.
          if (!asksMore && error instanceof CheckFailure && error.code === 'connect_reset')
            return null
          throw error
        })
      if (connection === null) return up()
      ctx.measure(reached(connection))
      if (send !== undefined) await ctx.phase('send', () => connection.write(send))
      if (banner_regex === undefined) {
        if (tls) await connection.end()
        return up()
      }

      const banner = await ctx.phase('greeting', () =>
        connection.readUntil(
          (gathered) => {
            ctx.measure({ banner: escapeBytes(gathered.toString('latin1'), 256) })
            return (
              banner_regex.test(gathered.toString('latin1')) ||
              gathered.length === BANNER_LIMIT_BYTES
            )
          },
          { max: BANNER_LIMIT_BYTES, orEnd: true },
        ),
      )
      const said = banner.toString('latin1')
      if (banner_regex.test(said)) return up()
      if (said === '') {
        const phase = 'greeting'
        return down('closed_early', 'The server closed the connection without a word', { phase })
      }
      return down('banner_mismatch', `The server said "${escapeBytes(said, 100)}"`)
    },
  })
