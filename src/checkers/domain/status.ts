/**
 * Registration statuses in one spelling: that of EPP (RFC 5731, RFC 3915).
 *
 * @module
 */

import { cleanText, MAX_STATUSES } from './registration.ts'

/** RFC 5731, 2.3, and the grace periods of RFC 3915, 3.1. */
const EPP = [
  'ok',
  'inactive',
  'linked',
  'clientDeleteProhibited',
  'clientHold',
  'clientRenewProhibited',
  'clientTransferProhibited',
  'clientUpdateProhibited',
  'serverDeleteProhibited',
  'serverHold',
  'serverRenewProhibited',
  'serverTransferProhibited',
  'serverUpdateProhibited',
  'pendingCreate',
  'pendingDelete',
  'pendingRenew',
  'pendingRestore',
  'pendingTransfer',
  'pendingUpdate',
  'addPeriod',
  'autoRenewPeriod',
  'redemptionPeriod',
  'renewPeriod',
  'transferPeriod',
] as const

/** RDAP terms (RFC 8056, 2) and registry-specific terms for the same statuses. */
const OTHERS: Readonly<Record<string, string>> = {
  active: 'ok',
  associated: 'linked',
  connect: 'ok',
  published: 'ok',
  quarantine: 'redemptionPeriod',
  inquarantine: 'redemptionPeriod',
  redemption: 'redemptionPeriod',
  onhold: 'serverHold',
  dnshold: 'serverHold',
  notdelegated: 'inactive',
}

const KNOWN: ReadonlyMap<string, string> = new Map([
  ...EPP.map((word) => [word.toLowerCase(), word] as const),
  ...Object.entries(OTHERS),
])

/** `client hold`, `clientHold https://icann.org/epp#clientHold` and `CLIENT-HOLD` are all `clientHold`. */
function readStatus(text: string): string | null {
  const bare = text.replace(/\(?https?:\/\/.*$/i, '')
  const clean = cleanText(bare)
  if (clean === null) return null
  return KNOWN.get(clean.toLowerCase().replace(/[^a-z]/g, '')) ?? clean.slice(0, 64)
}

/** Each once, in the order of the answer, at most {@link MAX_STATUSES}. */
export function readStatuses(texts: readonly string[]): readonly string[] {
  const all = texts.slice(0, 4 * MAX_STATUSES).map(readStatus)
  return [...new Set(all.filter((status) => status !== null))].slice(0, MAX_STATUSES)
}
