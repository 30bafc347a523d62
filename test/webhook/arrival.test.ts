import { expect, it } from 'vitest'
import { mayHaveArrived } from '../../src/webhook/retry.ts'

const status = (http_status: number) =>
  mayHaveArrived({ http_status, error: `http_${http_status}` })
const error = (code: string) => mayHaveArrived({ http_status: null, error: code })

it('a message has not arrived where its receiver refused it', () => {
  for (const refusal of [300, 301, 308, 400, 404, 410, 429, 499])
    expect(status(refusal)).toBe(false)
  for (const code of ['smtp_450', 'smtp_550']) expect(error(code)).toBe(false)
})

it('nor where nothing of it was on its way', () => {
  const codes =
    'dns_nxdomain dns_timeout connect_refused connect_timeout connect_unreachable tls_expired ' +
    'tls_timeout tls_unsupported auth_unsupported auth_timeout probe_offline probe_overloaded ' +
    'blocked invalid_url invalid_request missing_dependency lease_over storage connect_blocked'
  for (const code of codes.split(' ')) expect([code, error(code)]).toEqual([code, false])
})

it('all else may have arrived', () => {
  for (const maybe of [101, 200, 204, 299, 500, 502, 503, 504, 599])
    expect(status(maybe)).toBe(true)
  const codes =
    'timeout interrupted stopped internal_error connect_reset closed_early protocol_error ' +
    'http_response_timeout banner_timeout a_code_of_somebody_else connect_reset_x xconnect_refused ' +
    'connect_refusedx xblocked blockedx xdns_x xsmtp_450 smtp_4500 smtp_250 smtp_4x0'
  for (const code of codes.split(' ')) expect([code, error(code)]).toEqual([code, true])
  expect(mayHaveArrived({ http_status: null, error: null })).toBe(true)
})
