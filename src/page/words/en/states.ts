/**
 * English: states, verdicts, phases of a check.
 *
 * @module
 */

export const STATES = {
  /** A label, what it means, and how the state reads within a sentence: `2 up, 1 paused`. */
  states: {
    up: { label: 'Up', meaning: 'The last check succeeded', short: 'up' },
    down: { label: 'Down', meaning: 'An incident is open', short: 'down' },
    confirming: {
      label: 'Confirming',
      meaning: 'A check failed; the next ones decide whether it is down',
      short: 'confirming',
    },
    recovering: {
      label: 'Recovering',
      meaning: 'A check succeeded; the next ones decide whether it is up',
      short: 'recovering',
    },
    late: { label: 'Late', meaning: 'A signal is overdue, within its grace', short: 'late' },
    pending: { label: 'Pending', meaning: 'Nothing is known yet', short: 'pending' },
    maintenance: { label: 'Maintenance', meaning: 'Planned work', short: 'maintenance' },
    paused: { label: 'Paused', meaning: 'Checks are paused', short: 'paused' },
    stale: {
      label: 'Unknown',
      meaning: 'No check has been completed for a while',
      short: 'unknown',
    },
  },
  verdicts: { ok: 'OK', fail: 'Failed', unknown: 'Unknown' },
  phases: {
    resolve: 'DNS',
    connect: 'Connect',
    tls: 'TLS',
    starttls: 'STARTTLS',
    greeting: 'Greeting',
    send: 'Send',
    auth: 'Login',
    query: 'Query',
    first_byte: 'First byte',
    transfer: 'Transfer',
  },
}
