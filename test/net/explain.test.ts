import { describe, expect, it } from 'vitest'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import type { SharedCause } from '../../src/checkers/causes.ts'
import { ClosedError, MissingDependencyError } from '../../src/errors.ts'
import type { Phase } from '../../src/model.ts'
import { DeadlineError } from '../../src/net/timing/deadline.ts'
import { explain, toFailure } from '../../src/net/explain.ts'
import type { TransportCause } from '../../src/net/failure.ts'
import { CheckFailure } from '../../src/net/failure.ts'

const coded = (code: string, message = 'boom'): Error => Object.assign(new Error(message), { code })
const codeOf = (error: unknown, phase: Phase | null = 'connect'): string =>
  explain(error, { phase }).cause_code

describe('a failure', () => {
  it('is taken as it is, with its own phase before the one under way', () => {
    const failure = new CheckFailure('auth_failed', 'Wrong password', { phase: 'auth' })
    expect(explain(failure, { phase: 'greeting' })).toEqual({
      verdict: 'fail',
      cause_code: 'auth_failed',
      cause_text: 'Wrong password',
      phase: 'auth',
    })
    const unphased = new CheckFailure('protocol_error', '…')
    expect(explain(unphased, { phase: 'greeting' }).phase).toBe('greeting')
    expect(toFailure(failure, { phase: 'greeting' })).toBe(failure)
  })

  it('of ours is undecided', () => {
    const failure = new CheckFailure('probe_resolver_broken', 'No name server', {})
    expect(explain(failure, { phase: 'resolve' }).verdict).toBe('unknown')
    const limit = new CheckFailure('too_long', 'More than 8192 bytes')
    expect(explain(limit, { phase: 'greeting' }).verdict).toBe('unknown')
  })
})

describe('the deadline', () => {
  it.each<[Phase | null, string]>([
    ['resolve', 'dns_timeout'],
    ['connect', 'connect_timeout'],
    ['tls', 'tls_timeout'],
    ['starttls', 'tls_timeout'],
    ['greeting', 'banner_timeout'],
    ['send', 'timeout'],
    ['auth', 'auth_timeout'],
    ['query', 'query_timeout'],
    ['first_byte', 'http_response_timeout'],
    ['transfer', 'http_body_timeout'],
    ['handshake', 'timeout'],
    ['toString', 'timeout'],
    [null, 'timeout'],
  ])('in the phase %s is %s', (phase, code) => {
    expect(explain(new DeadlineError(1500), { phase })).toMatchObject({
      verdict: 'fail',
      cause_code: code,
      cause_text: expect.stringMatching(/ within 1500 ms$/),
      phase,
    })
    expect(codeOf(new DOMException('late', 'TimeoutError'), phase)).toBe(code)
    expect(codeOf(coded('ETIMEDOUT'), phase)).toBe(code)
  })
})

describe('a stop', () => {
  it.each([[new ClosedError('The engine is stopping')], [AbortSignal.abort().reason as unknown]])(
    'is no verdict on the server',
    (reason) => {
      expect(explain(reason, { phase: 'connect' })).toMatchObject({
        verdict: 'unknown',
        cause_code: 'probe_stopped',
      })
    },
  )
})

describe('an error of the system', () => {
  it.each([
    ['ECONNREFUSED', 'connect_refused', 'fail'],
    ['ECONNRESET', 'connect_reset', 'fail'],
    ['EPIPE', 'closed_early', 'fail'],
    ['ERR_STREAM_PREMATURE_CLOSE', 'closed_early', 'fail'],
    ['EHOSTUNREACH', 'connect_unreachable', 'fail'],
    ['ENETUNREACH', 'connect_unreachable', 'fail'],
    ['EINVAL', 'connect_unreachable', 'fail'],
    ['ENOTFOUND', 'dns_nxdomain', 'fail'],
    ['ENETDOWN', 'probe_offline', 'unknown'],
    ['EADDRNOTAVAIL', 'probe_overloaded', 'unknown'],
    ['EMFILE', 'probe_overloaded', 'unknown'],
    ['ENFILE', 'probe_overloaded', 'unknown'],
    ['ENOBUFS', 'probe_overloaded', 'unknown'],
    ['EACCES', 'probe_unsupported', 'unknown'],
    ['EPERM', 'probe_unsupported', 'unknown'],
    ['EAFNOSUPPORT', 'probe_unsupported', 'unknown'],
  ])('%s is %s', (code, cause_code, verdict) => {
    const context = { phase: 'connect', target: 'a.test:25' } as const
    const explained = explain(coded(code, 'secret'), context)
    expect(explained).toMatchObject({ cause_code, verdict })
    expect(explained.cause_text).not.toMatch(/secret|\{/)
    if (verdict === 'fail') expect(explained.cause_text).toContain('a.test:25')
  })

  it('is found behind the error of a library, and among several', () => {
    const inner = coded('ECONNREFUSED')
    expect(codeOf(new Error('driver', { cause: new Error('pool', { cause: inner }) }))).toBe(
      'connect_refused',
    )
    expect(codeOf(new AggregateError([new Error('x'), inner], 'all failed'))).toBe(
      'connect_refused',
    )
  })
})

describe('an error of TLS', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'tls_expired'],
    ['CERT_NOT_YET_VALID', 'tls_not_yet_valid'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_self_signed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_untrusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_chain_incomplete'],
    ['UNABLE_TO_GET_ISSUER_CERT', 'tls_untrusted'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_untrusted'],
    ['CERT_UNTRUSTED', 'tls_untrusted'],
    ['INVALID_CA', 'tls_untrusted'],
    ['INVALID_PURPOSE', 'tls_untrusted'],
    ['CERT_CHAIN_TOO_LONG', 'tls_untrusted'],
    ['CERT_SIGNATURE_FAILURE', 'tls_untrusted'],
    ['UNSPECIFIED', 'tls_untrusted'],
    ['CERT_REVOKED', 'tls_revoked'],
    ['HOSTNAME_MISMATCH', 'tls_name_mismatch'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_name_mismatch'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_not_tls'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'tls_not_tls'],
    ['ERR_SSL_HTTP_REQUEST', 'tls_not_tls'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls_protocol'],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'tls_protocol'],
    ['ERR_SSL_NO_SHARED_CIPHER', 'tls_protocol'],
    ['ERR_SSL_LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED', 'tls_protocol'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_handshake'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_handshake'],
  ])('%s is %s', (code, cause_code) => {
    expect(explain(coded(code), { phase: 'tls', target: 'a.test:443' })).toMatchObject({
      verdict: 'fail',
      cause_code,
      cause_text: expect.stringContaining('a.test:443'),
      phase: 'tls',
    })
  })

  it('is recognised where only the message tells', () => {
    const message =
      'write EPROTO 8068:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../x.c:1:\n'
    expect(codeOf(coded('EPROTO', message), 'tls')).toBe('tls_not_tls')
  })

  it('shows the names of a wrong certificate in printable ASCII, cut', () => {
    const cert = { subjectaltname: `DNS:\u001b[2J${'a'.repeat(500)}` }
    const error = Object.assign(coded('ERR_TLS_CERT_ALTNAME_INVALID'), { cert })
    const { cause_text } = explain(error, { phase: 'tls', target: 'a.test:443' })
    expect(cause_text).toMatch(
      /^The certificate of a\.test:443 is for another name \(DNS:\?\[2Ja+…\)$/,
    )
    expect(cause_text.length).toBeLessThan(300)
  })
})

describe('anything else', () => {
  it('is an internal error whose text gives nothing away', () => {
    const circular = new Error('password=secret')
    circular.cause = circular
    for (const thrown of [circular, 'secret', undefined, null, 7, { code: 'constructor' }, {}]) {
      expect(explain(thrown, { phase: null })).toEqual({
        verdict: 'unknown',
        cause_code: 'internal_error',
        cause_text: 'The check failed for a reason of its own',
        phase: null,
      })
    }
  })

  it('that is missing names the package', () => {
    expect(explain(new MissingDependencyError('mysql2'), { phase: null })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_unsupported',
      cause_text: expect.stringContaining('npm install mysql2'),
    })
  })
})

it('every cause of the network is one that all checkers share', () => {
  // Does not compile otherwise: `net` may not import the checkers, so the union is held against them here.
  const shared: (cause: TransportCause) => SharedCause = (cause) => cause
  expect(SHARED_CAUSES).toHaveProperty(shared('connect_refused'))
})
