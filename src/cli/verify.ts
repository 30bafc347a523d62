/**
 * `watchpost verify`: verifies the signature of a webhook.
 *
 * @module
 */

import { createReadStream } from 'node:fs'
import { ConfigurationError, WatchpostError } from '../errors.ts'
import { verifyWebhook } from '../webhook/verify.ts'
import type { VerifyReason } from '../webhook/verify.ts'
import { EXIT, textFlag } from './command.ts'
import type { Call, Command, Flags } from './command.ts'
import { say } from './terminal.ts'

export const command: Command = {
  help: `watchpost verify --header 'sha256=…' [--secret …] [file|-]

Verifies the body of a webhook, from a file or stdin, with exactly the bytes that were received.

  WEBHOOK_SECRET=$(cat secret) watchpost verify --header "$HTTP_X_SERVICE_SIGNATURE" body.json
  curl … | WEBHOOK_SECRET=$(cat secret) watchpost verify --header 'sha256=…'

  --secret          WEBHOOK_SECRET   The contact's secret, repeatable; other users of the machine can read the
                                     flag in the process list
  --header                           Value of X-Service-Signature
  --tolerance-sec                    Maximum age by sent_at; 0 accepts any age (0)

Exit code: 0 genuine, 1 the file cannot be read, 2 not genuine, 64 wrong usage.`,
  options: {
    secret: { type: 'string', multiple: true },
    header: { type: 'string' },
    'tolerance-sec': { type: 'string' },
  },
  words: () => ({ files: true }),
  run,
}

const REASONS: Readonly<Record<VerifyReason, string>> = {
  missing_header: 'there is no header',
  malformed_header: 'the header is not "sha256=" and 64 lower-case hexadecimal digits',
  no_secret: 'there is no secret',
  mismatch: 'another secret, or another body: it was changed, cut, or parsed and written again',
  outside_tolerance: 'the signature is right, but sent_at is too far from now',
  bad_body: 'the signature is right, but the body is no webhook of this service',
}

async function run({ flags, words, env }: Call): Promise<number> {
  const secret = secretsOf(flags, env['WEBHOOK_SECRET'])
  const header = textFlag(flags, 'header')
  if (header === undefined) throw new ConfigurationError('--header is expected (see --help)')
  const toleranceSec = toleranceOf(textFlag(flags, 'tolerance-sec') ?? '0')
  const [file = '-', ...more] = words
  if (more.length > 0) throw new ConfigurationError('one file at most is expected')
  const result = verifyWebhook({ body: await bytesOf(file), header, secret, toleranceSec })
  if (!result.ok) {
    say(`not genuine: ${REASONS[result.reason]} (${result.reason})`)
    return EXIT.failing
  }
  say(`genuine: ${result.event}, notification ${result.notificationId}`)
  return EXIT.ok
}

const MAX_SECRETS = 10

function secretsOf(flags: Flags, fromEnv: string | undefined): string[] {
  const given = flags['secret']
  const secrets = Array.isArray(given) ? given.map(String) : [fromEnv ?? '']
  if (secrets.length > MAX_SECRETS || secrets.includes('')) {
    throw new ConfigurationError(
      `--secret or WEBHOOK_SECRET is expected, not empty, at most ${MAX_SECRETS} of them`,
    )
  }
  return secrets
}

function toleranceOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new ConfigurationError(`--tolerance-sec: "${text}" is no number of seconds`)
}

/** Our bodies are smaller by far. */
const BODY_LIMIT_BYTES = 1024 * 1024

async function bytesOf(file: string): Promise<Buffer> {
  const source = file === '-' ? process.stdin : createReadStream(file)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > BODY_LIMIT_BYTES) throw new Error(`more than ${BODY_LIMIT_BYTES} bytes`)
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new WatchpostError('unreadable', `${file} cannot be read: ${reason}`, { cause })
  }
  return Buffer.concat(chunks)
}
