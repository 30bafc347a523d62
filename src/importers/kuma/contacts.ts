/**
 * Notifications of Uptime Kuma (the JSON in `notification.config`) as contacts.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { take } from '../taking.ts'
import type { Taking } from '../taking.ts'

type Note = (what: string) => void

/** `undefined`, with a note, if there is no such kind here, or something required is missing. */
export function contactOf(config: JsonObject, note: Note): JsonObject | undefined {
  const from = take(config)
  const type = from.text('type') ?? '(none)'
  const make = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
  const contact = make?.(from, note)
  if (make === undefined)
    note(`not imported: a notification of the type ${type} has no counterpart`)
  else if (contact === undefined) note('not imported: the notification is incomplete')
  else {
    from.ignore('name', 'isDefault', 'applyExisting', 'useTemplate')
    for (const field of from.left()) note(`${field} of the notification has no counterpart`)
  }
  return contact
}

/** Those whose only setting is an address. */
const byAddress =
  (kind: string, field: string) =>
  (from: Taking): JsonObject | undefined => {
    const url = from.text(field)
    return url === undefined ? undefined : { kind, url }
  }

const KINDS: Readonly<Record<string, (from: Taking, note: Note) => JsonObject | undefined>> = {
  slack: byAddress('slack', 'slackwebhookURL'),
  discord: byAddress('discord', 'discordWebhookUrl'),
  teams: byAddress('teams', 'webhookUrl'),
  webhook(from, note) {
    const url = from.text('webhookURL')
    if (url === undefined) return undefined
    note('its receiver gets another body, and a signature: see watchpost docs receiving-webhooks')
    from.ignore('webhookContentType', 'webhookCustomBody', 'httpMethod')
    const headers = headersOf(from.text('webhookAdditionalHeaders'), note)
    return { kind: 'webhook', url, ...(headers === undefined ? {} : { headers }) }
  },
  telegram(from) {
    const [token, chat_id] = [from.text('telegramBotToken'), from.text('telegramChatID')]
    const thread_id = from.number('telegramMessageThreadID')
    if (token === undefined || chat_id === undefined) return undefined
    from.ignore('telegramServerUrl')
    return { kind: 'telegram', token, chat_id, ...(thread_id === undefined ? {} : { thread_id }) }
  },
  ntfy(from, note) {
    const [topic, server] = [from.text('ntfytopic'), from.text('ntfyserverurl')]
    const [token, priority] = [from.text('ntfyaccesstoken'), from.number('ntfyPriority')]
    if (topic === undefined) return undefined
    if (from.text('ntfyAuthenticationMethod') === 'usernamePassword')
      note('the login of ntfy by user and password: make an access token')
    from.ignore('ntfyusername', 'ntfypassword')
    return {
      kind: 'ntfy',
      topic,
      ...(server === undefined ? {} : { server }),
      ...(token === undefined ? {} : { token }),
      ...(priority === undefined ? {} : { priority }),
    }
  },
  PagerDuty(from) {
    const routing_key = from.text('pagerdutyIntegrationKey')
    const url = from.text('pagerdutyIntegrationUrl') ?? ''
    if (routing_key === undefined) return undefined
    from.ignore('pagerdutyPriority', 'pagerdutyAutoResolve')
    return { kind: 'pagerduty', routing_key, ...(url.includes('.eu.') ? { region: 'eu' } : {}) }
  },
  smtp(from, note) {
    const host = from.text('smtpHost')
    const [sender] = addressesOf(from.text('smtpFrom'))
    const to = addressesOf(from.text('smtpTo')).map(({ address }) => address)
    const [port, user] = [from.number('smtpPort'), from.text('smtpUsername')]
    const pass = from.text('smtpPassword')
    if (host === undefined || sender === undefined || to.length === 0) return undefined
    if (sender.name !== '') note(`"${sender.name}", the name of the sender, has no counterpart`)
    return {
      kind: 'email',
      host,
      from: sender.address,
      to,
      ...(port === undefined ? {} : { port }),
      ...(from.flag('smtpSecure') === true ? { tls: 'implicit' } : {}),
      ...(user === undefined ? {} : { user }),
      ...(user === undefined || pass === undefined ? {} : { pass }),
    }
  },
}

/** `"Ops, at night" <ops@example.com>, boss@example.com`: what Kuma hands to its mailer as it stands. */
function addressesOf(text = ''): { readonly name: string; readonly address: string }[] {
  const entries = text.match(/(?:"[^"]*"|[^",;])+/g) ?? []
  return entries
    .map((entry) => {
      const [, name = '', address = entry] = /^([^<]*)<([^<>]*)>\s*$/.exec(entry) ?? []
      return { name: name.replaceAll('"', '').trim(), address: address.trim() }
    })
    .filter(({ address }) => address !== '')
}

function headersOf(text: string | undefined, note: Note): JsonObject | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    note('webhookAdditionalHeaders: they are no JSON')
    return undefined
  }
}
