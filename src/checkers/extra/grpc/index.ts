/**
 * gRPC: asks the standard health service (grpc.health.v1.Health/Check) whether a service is serving.
 * https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 *
 * @module watchpost/checkers/extra/grpc
 */

import { field } from '../../../fields/vocabulary.ts'
import { escapeBytes } from '../../../fields/escapes.ts'
import { hostPort } from '../../../net/connection/endpoint.ts'
import { CheckFailure } from '../../../net/failure.ts'
import type { CauseTable } from '../../checker.ts'
import { defineChecker, down, up } from '../../checker.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
  tlsFields,
  unusedCertificate,
} from '../../client-certificate.ts'
import {
  connectionDetails,
  CONNECTION_HIGHLIGHTS,
  CONNECTION_MEASUREMENTS,
} from '../../connection-details.ts'
import { callUnary } from '../../../net/http/grpc-call.ts'
import type { CallAnswer } from '../../../net/http/grpc-call.ts'
import { requestMessage, servingStatus } from './health-messages.ts'
import type { ServingStatus } from './health-messages.ts'

const CAUSES = {
  /** The service reports that it is not ready: check its log, and what it depends on. */
  grpc_not_serving: { text: 'The service is not serving', phase: 'query' },
  /** settings: The health service does not know the name in `service`. */
  grpc_service_unknown: { text: 'The health service does not know the service', phase: 'query' },
  /** settings: Register grpc.health.v1.Health in the server, or check the path of a proxy in front. */
  grpc_health_missing: { text: 'The server has no health service', phase: 'query' },
  /** settings: The status is UNAUTHENTICATED or PERMISSION_DENIED: check the metadata in `headers`. */
  grpc_denied: { text: 'The server refused the call', phase: 'query' },
  /** `cause_text` contains the status and message; `UNAVAILABLE` often comes from a proxy without a backend. */
  grpc_status: { text: 'The call ended with another status', phase: 'query' },
} as const satisfies CauseTable

/** https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const STATUS_NAMES = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND'],
  ...['ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION'],
  ...['ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'],
  'UNAUTHENTICATED',
]

const CAUSE_OF: Readonly<Record<number, keyof typeof CAUSES>> = {
  5: 'grpc_service_unknown',
  7: 'grpc_denied',
  12: 'grpc_health_missing',
  16: 'grpc_denied',
}

export const grpc = () =>
  defineChecker({
    type: 'grpc',
    title: 'gRPC health',
    description: 'Asks the standard health service of a gRPC server.',

    fields: {
      host: field.host({ description: 'Host name or IP address' }).required(),
      port: field.port({ description: 'TCP port' }).required(),
      service: field.text({
        description: 'Service that is asked about; where absent the server as a whole',
        max: 200,
        example: 'shop.Cart',
      }),
      ...tlsFields,
      authority: field.host({
        description: 'Name in :authority and SNI, and in the certificate; where absent the host',
      }),
      headers: field.headers({
        description:
          'Metadata of the call, such as authorization; values of all but well-known harmless ones are secrets',
      }),
      ip_family: field.ipFamily().default('auto'),
      ...clientCertificateFields,
    },

    causes: CAUSES,
    figures: [],
    measurements: {
      serving_status: 'SERVING, NOT_SERVING, UNKNOWN or SERVICE_UNKNOWN',
      grpc_status: 'Status of the call, such as OK or UNIMPLEMENTED',
      ...CONNECTION_MEASUREMENTS,
    },
    highlights: { ...CONNECTION_HIGHLIGHTS, serving_status: { title: 'Serving' } },
    refine(settings) {
      const problems = clientCertificateProblems(settings)
      return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
    },
    unused: (settings) => (settings.tls ? {} : unusedCertificate(settings, 'tls is off')),
    target: ({ host, port, service }) =>
      hostPort(host, port) + (service === undefined ? '' : `/${service}`),

    async run(ctx, settings) {
      const { host, port, tls, ignore_tls_errors, ip_family, authority = host } = settings
      const connection = await ctx.net.connect({
        ...{ host, port, ip_family },
        tls: tls
          ? {
              verify: !ignore_tls_errors,
              identity: identityOf(settings),
              alpn: ['h2'],
              servername: authority,
            }
          : undefined,
      })
      ctx.measure(connectionDetails(connection))
      const { service = '', headers = [] } = settings
      const answer = await ctx.phase('query', () =>
        callUnary(connection, {
          scheme: tls ? 'https' : 'http',
          authority: hostPort(authority, port),
          path: '/grpc.health.v1.Health/Check',
          metadata: headers,
          message: requestMessage(service),
          timeout_ms: ctx.remaining(),
          signal: ctx.signal,
          clock: ctx.clock,
          turns: { add: (job) => void ctx.inTurns(repeated(job)).catch(() => undefined) },
        }),
      )
      const grpc_status = STATUS_NAMES[answer.status] ?? String(answer.status)
      ctx.measure({ grpc_status })
      if (answer.status !== 0) return refused(answer, grpc_status)
      const serving = statusOf(answer)
      ctx.measure({ serving_status: serving })
      if (serving === 'SERVING') return up()
      const name = service === '' ? 'The server' : `The service ${service}`
      return down('grpc_not_serving', `${name} reports ${serving}`, { phase: 'query' })
    },
  })

function* repeated(job: () => boolean): Generator<void, void> {
  while (job()) yield
}

function statusOf({ message }: CallAnswer): ServingStatus {
  const serving = message === undefined ? undefined : servingStatus(message)
  if (serving !== undefined) return serving
  throw new CheckFailure('protocol_error', 'The answer is not that of a health service')
}

function refused({ status, said }: CallAnswer, name: string) {
  const cause = CAUSE_OF[status] ?? 'grpc_status'
  const text = said === '' ? '' : `: "${escapeBytes(said, 160)}"`
  return down(cause, `The call ended with ${name}${text}`, { phase: 'query' })
}
