/** How what is to be told gets there. */
import type { Rule } from './rule.ts'

export const ATTEMPT_RULES: readonly Rule[] = [
  {
    name: 'no-fencing-of-attempts',
    about: 'Whoever claimed a notification once may record its end.',
    file: 'store/memory/notifications.ts',
    find: "row.status !== 'sending' || row.claims !== end.claim",
    replace: "row.status !== 'sending'",
  },
  {
    name: 'sent-after-the-lease',
    about: 'A process that stood still since its claim sends what another has sent meanwhile.',
    file: 'engine/delivery/attempt.ts',
    find: '    if (clock.monotonic() > latest_start) return attempted(TOO_LATE)\n',
    replace: '    void [TOO_LATE, latest_start]\n',
  },
  {
    name: 'up-before-down-arrived',
    about: 'Recovery is sent although the failure never arrived.',
    file: 'engine/delivery/decision.ts',
    find: 'const isUnknown = isFollowUp(row) && !(await mayHaveBeenNotified(row))',
    replace: 'const isUnknown = isFollowUp(row) && row.id < 0 && !(await mayHaveBeenNotified(row))',
  },
  {
    name: 'sixth-attempt',
    about: 'A delivery is tried six times.',
    file: 'webhook/retry.ts',
    find: 'export const MAX_ATTEMPTS = 5',
    replace: 'export const MAX_ATTEMPTS = 6',
  },
  {
    name: 'retry-too-early',
    about: 'The pauses between attempts are too short.',
    file: 'webhook/retry.ts',
    find: 'const FIRST_PAUSE_MS = 30_000',
    replace: 'const FIRST_PAUSE_MS = 29_000 / 1.1',
  },
  {
    name: 'retry-after-4xx',
    about: 'A delivery is tried again after an answer that is final.',
    file: 'webhook/retry.ts',
    find: 'if (http_status >= 500 && http_status <= 599)',
    replace: 'if (http_status >= 404 && http_status <= 599)',
  },
  {
    name: 'lost-at-restart',
    about: 'What a dead process was about to send is never taken up again.',
    file: 'store/memory/lanes.ts',
    find: "return status === 'queued' ? due_at : (lease_until ?? 0)",
    replace: "return status === 'queued' ? due_at : lease_until === null ? 0 : Infinity",
  },
  {
    name: 'no-order',
    about: 'Notifications of one monitor overtake each other.',
    file: 'store/memory/lanes.ts',
    find: '  return monitor_id ?? -id\n',
    replace: '  return monitor_id === null ? -id : -id\n',
  },
  {
    name: 'body-changes',
    about: 'Every attempt says when it was made.',
    file: 'webhook/payload.ts',
    find: '    sent_at: iso(row.sent_at ?? 0),\n',
    replace:
      '    sent_at: iso((row.sent_at ?? 0) + (row as unknown as { claims: number }).claims),\n',
  },
  {
    name: 'ids-used-again',
    about: 'The id of a row that was pruned or cancelled is given away again.',
    file: 'store/memory/tables.ts',
    find: '      const id = (last.get(kind) ?? 0) + 1\n',
    replace:
      "      const id = (last.get(kind) ?? 0) + (kind === 'notification' && (last.get(kind) ?? 0) % 50 === 49 ? 0 : 1)\n",
  },
]
