/**
 * Modules of blackbox_exporter as settings, prober by prober.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { barePattern, hostAndPort, noteExtraType, oauthFrom, withoutLogin } from '../imported.ts'
import { take } from '../taking.ts'
import type { Taking } from '../taking.ts'
import { isJsonObject } from '../../model/json.ts'

/** Settings for one target; `undefined` where it has no port. */
export type SettingsOf = (target: string) => (JsonObject & { readonly type: string }) | undefined

type Note = (what: string) => void

export function probe(module: Taking, note: Note): SettingsOf | undefined {
  const prober = module.text('prober') ?? ''
  const make = Object.hasOwn(PROBERS, prober) ? PROBERS[prober] : undefined
  if (make === undefined) note(`not imported: the prober ${prober || '(none)'} has no counterpart`)
  return make?.(module.object(prober), note)
}

const PROBERS: Readonly<Record<string, (options: Taking, note: Note) => SettingsOf>> = {
  http,
  tcp,
  icmp(options) {
    const family = familyOf(options)
    return (target) => ({ type: 'ping', host: hostAndPort(target).host, ...family })
  },
  dns,
  grpc,
}

function http(options: Taking, note: Note): SettingsOf {
  const method = options.text('method') ?? 'GET'
  const body = options.text('body')
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  if (body !== undefined && !hasBody) note(`the body: a ${method} request has none`)
  const codes = options.texts('valid_status_codes')
  const follows = options.flag('follow_redirects') ?? options.flag('no_follow_redirects') !== true
  const encrypted = options.flag('fail_if_not_ssl') === true
  options.ignore('valid_http_versions', 'compression', 'enable_http2', 'no_follow_redirects')
  const settings = {
    type: 'http',
    method,
    expected_status: codes.length > 0 ? codes.join(',') : '200-299',
    ...(hasBody ? { body } : {}),
    ...(follows ? {} : { follow_redirects: false }),
    ...(options.object('tls_config').flag('insecure_skip_verify') === true
      ? { ignore_tls_errors: true }
      : {}),
    ...keyword(options, 'fail_if_body_not_matches_regexp', 'keyword_present_regex', note),
    ...keyword(options, 'fail_if_body_matches_regexp', 'keyword_absent_regex', note),
    ...headersOf(options),
    ...authOf(options),
    ...oauthOf(options.object('oauth2')),
    ...familyOf(options),
  }
  return (target) => {
    // As the exporter reads it.
    const url = /^https?:\/\//.test(target) ? target : `http://${target}`
    if (encrypted && url.startsWith('http://'))
      note(`fail_if_not_ssl for ${withoutLogin(target)}: a redirect to https is not required`)
    return { ...settings, url }
  }
}

function keyword(options: Taking, theirs: string, ours: string, note: Note): JsonObject {
  const [first, ...more] = options.texts(theirs)
  if (more.length > 0) note(`${theirs}: of ${more.length + 1} patterns the first one is judged`)
  return first === undefined ? {} : { [ours]: barePattern(first) }
}

function headersOf(options: Taking): JsonObject {
  const given = options.value('headers')
  const authorization = options.object('authorization')
  const token = options.text('bearer_token') ?? authorization.text('credentials')
  const headers = {
    ...(isJsonObject(given) ? given : {}),
    ...(token === undefined
      ? {}
      : { Authorization: `${authorization.text('type') ?? 'Bearer'} ${token}` }),
  }
  return Object.keys(headers).length > 0 ? { headers } : {}
}

function authOf(options: Taking): JsonObject {
  const basic = options.object('basic_auth')
  const [user, pass] = [basic.text('username'), basic.text('password')]
  return user === undefined ? {} : { auth: { user, ...(pass === undefined ? {} : { pass }) } }
}

function oauthOf(from: Taking): JsonObject {
  const scopes = from.texts('scopes')
  return oauthFrom({
    token_url: from.text('token_url'),
    client_id: from.text('client_id'),
    client_secret: from.text('client_secret'),
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    audience: from.object('endpoint_params').text('audience'),
  })
}

/** Only where nothing else is taken instead; ours takes the first address that answers otherwise. */
function familyOf(options: Taking): JsonObject {
  const preferred = options.text('preferred_ip_protocol') ?? 'ip6'
  if (options.flag('ip_protocol_fallback') !== false) return {}
  return { ip_family: preferred === 'ip4' ? 'ipv4' : 'ipv6' }
}

function tcp(options: Taking, note: Note): SettingsOf {
  const steps = options.list('query_response').filter(isJsonObject).map(take)
  const [first, second] = steps
  const send = first?.text('send')
  const expect = first?.text('expect') ?? (send === undefined ? undefined : second?.text('expect'))
  const read = expect === first?.text('expect') ? 1 : 2
  if (steps.length > read || steps.some((step) => step.flag('starttls') === true)) {
    note(
      'query_response: one line each way is what can be said; mail servers have types of their own',
    )
  }
  const settings = {
    type: 'tcp',
    ...(options.flag('tls') === true ? { tls: true } : {}),
    ...(send === undefined ? {} : { send: `${send}\\r\\n` }),
    ...(expect === undefined ? {} : { banner_regex: barePattern(expect) }),
    ...familyOf(options),
  }
  if (options.object('tls_config').flag('insecure_skip_verify') === true) {
    note('tls_config.insecure_skip_verify: the certificate is verified')
  }
  return (target) => {
    const { host, port } = hostAndPort(target)
    return port === undefined ? undefined : { ...settings, host, port }
  }
}

function grpc(options: Taking, note: Note): SettingsOf {
  const service = options.text('service')
  const insecure = options.object('tls_config').flag('insecure_skip_verify') === true
  const metadata = options.value('metadata')
  const settings = {
    type: 'grpc',
    ...(service === undefined ? {} : { service }),
    ...(options.flag('tls') === true ? { tls: true } : {}),
    ...(insecure ? { ignore_tls_errors: true } : {}),
    ...familyOf(options),
  }
  noteExtraType('grpc', note)
  if (metadata !== undefined) note('metadata: give it as "headers"')
  return (target) => {
    const { host, port } = hostAndPort(target)
    return port === undefined ? undefined : { ...settings, host, port }
  }
}

/** Over there the target is the name server, and the module has the question. */
function dns(options: Taking, note: Note): SettingsOf {
  const asked = options.text('query_type')?.toUpperCase()
  if (asked === undefined || asked === 'ANY') note('query_type ANY: A is asked for')
  const codes = options.texts('valid_rcodes')
  if (codes.some((code) => code !== 'NOERROR'))
    note(`valid_rcodes ${codes.join(', ')}: NOERROR is what is right`)
  const scheme = options.text('transport_protocol') === 'tcp' ? 'tcp://' : ''
  const settings = {
    type: 'dns',
    dns_name: (options.text('query_name') ?? '').replace(/\.$/, ''),
    rrtype: asked === undefined || asked === 'ANY' ? 'A' : asked,
  }
  return (target) => ({ ...settings, nameserver: scheme + target })
}
