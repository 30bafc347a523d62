/**
 * Whether checks run in this process or in remote probes.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { bullmqProbes } from '../../probes/bullmq/transport.ts'
import type { ProbeTransport } from '../../probes/transport.ts'
import type { SettingValues } from '../environment.ts'

/** @throws ConfigurationError without a key: passwords of monitors would be unencrypted on Redis */
export function remoteProbes(
  { redis_url, secret_key }: SettingValues<'redis_url' | 'secret_key'>,
  log: Logger,
): { readonly probes?: ProbeTransport } {
  if (redis_url === undefined) return {}
  if (secret_key === undefined)
    throw new ConfigurationError(
      'REDIS_URL needs WATCHPOST_SECRET_KEY, the same here and for every probe: ' +
        'it seals the passwords of monitors on Redis (make one with: openssl rand -base64 32)',
    )
  return { probes: bullmqProbes({ connection: redis_url, secretKey: secret_key, logger: log }) }
}
