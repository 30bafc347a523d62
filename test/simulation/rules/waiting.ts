/** What waits for the end of quiet hours, or of a window. */
import type { Rule } from './rule.ts'

export const WAITING_RULES: readonly Rule[] = [
  {
    name: 'night-is-day',
    about: 'A failure is told within quiet hours.',
    file: 'engine/delivery/quiet-hours.ts',
    find: 'const until = quiet === null ? null :',
    replace: "const until = quiet === null || row.event === 'down' ? null :",
  },
  {
    name: 'exceptions-wait',
    about: 'A tag that is an exception of quiet hours is not looked at.',
    file: 'engine/delivery/quiet-hours.ts',
    find: 'if (monitor_id === null || except_tags.length === 0) return false',
    replace: 'if (monitor_id === null || except_tags.length < 99) return false',
  },
  {
    name: 'waits-too-long',
    about: 'What quiet hours hold comes an hour after their end.',
    file: 'engine/delivery/quiet-hours.ts',
    find: 'due_at: until,',
    replace: 'due_at: until + 3_600_000,',
  },
  {
    name: 'night-is-told-twice',
    about: 'An outage that ended within quiet hours is told as a failure and a recovery.',
    file: 'engine/delivery/quiet-hours.ts',
    find: "return ended === 'skip' || isFollowed ? notSent",
    replace: "return ended === 'skip' && isFollowed ? notSent",
  },
  {
    name: 'night-is-forgotten',
    about: 'An outage that ended within quiet hours is not told at their end.',
    file: 'engine/delivery/decision.ts',
    find: 'const isOutage = isUnknown && (await quietHours.endedQuietly(row))',
    replace: 'const isOutage = isUnknown && row.id < 0 && (await quietHours.endedQuietly(row))',
  },
  {
    name: 'digest-repeats-itself',
    about: 'A digest has one of its notifications twice.',
    file: 'webhook/digest.ts',
    find: 'const items = rows.toSorted((a, b) => a.id - b.id).map(itemOf)',
    replace:
      'const items = [...rows, ...rows.slice(1, 2)].toSorted((a, b) => a.id - b.id).map(itemOf)',
  },
  {
    name: 'digest-names-the-last',
    about: 'A digest names what began last as what began first.',
    file: 'webhook/digest.ts',
    find: "textAt(a, 'started_at').localeCompare(textAt(b, 'started_at'), 'en')",
    replace: "textAt(b, 'started_at').localeCompare(textAt(a, 'started_at'), 'en')",
  },
  {
    name: 'digest-counts-the-ends',
    about: 'The most frequent cause of a digest counts what has ended as well.',
    file: 'webhook/digest.ts',
    find: "const failing = items.filter((item) => isJsonObject(item['incident']) && !isEnd(item))",
    replace: "const failing = items.filter((item) => isJsonObject(item['incident']))",
  },
  {
    name: 'no-window',
    about: 'Nothing waits for the end of a window.',
    file: 'engine/delivery/grouping.ts',
    find: "if (group_window_sec === 0 || row.event === 'test' || hasWaited(row)) return undefined",
    replace:
      "if (group_window_sec >= 0 || row.event === 'test' || hasWaited(row)) return undefined",
  },
  {
    name: 'window-off-the-grid',
    about: 'A window begins with the first notification in it.',
    file: 'engine/delivery/grouping.ts',
    find: 'return (Math.floor((at - offset) / window_ms) + 1) * window_ms + offset',
    replace: 'return at + window_ms + 0 * offset',
  },
  {
    name: 'one-by-one',
    about: 'What has waited for a window goes out one by one.',
    file: 'engine/delivery/grouping.ts',
    find: 'const key = joinsGroup(row, grouped) ?',
    replace: 'const key = joinsGroup(row, grouped) && row.id < 0 ?',
  },
  {
    name: 'outbox-oversleeps',
    about: 'What is due is called five minutes late, unless something else wakes the outbox.',
    file: 'engine/delivery/claiming.ts',
    find: 'sleepFor(Math.min(wait_ms, store.shared ? POLL_MS : POLL_ALONE_MS))',
    replace: 'sleepFor(Math.min(wait_ms + 300_000, store.shared ? POLL_MS : 10 * POLL_ALONE_MS))',
  },
  {
    name: 'every-end-is-an-outage',
    about: 'The end of a failure that was told is told as an outage of which nobody was told.',
    file: 'engine/delivery/decision.ts',
    find: 'if (isUnknown && !isOutage) return',
    replace:
      "if (!isUnknown && row.event === 'up') row = outageOf(row)\n    if (isUnknown && !isOutage) return",
  },
  {
    name: 'held-is-lost',
    about: 'An outage that ended within quiet hours is taken back although no end of it is told.',
    file: 'engine/delivery/quiet-hours.ts',
    find: "const isFollowed = waiting.some(({ event }) => event === 'up')",
    replace: 'const isFollowed = waiting.length >= 0',
  },
  {
    name: 'digests-for-all',
    about: 'A contact without a window gets what failed at the same time in one message.',
    file: 'engine/delivery/grouping.ts',
    find: 'const key = joinsGroup(row, grouped) ?',
    replace: "const key = row.event !== 'test' ?",
  },
  {
    name: 'repeated-one-by-one',
    about: 'What failed in one message is repeated in one each.',
    file: 'engine/delivery/grouping.ts',
    find: '`${row.contact_id} ${row.sent_at}`',
    replace: '`${row.contact_id} ${row.sent_at} ${row.attempts === 0 ? 0 : row.id}`',
  },
]
