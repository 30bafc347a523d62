/** Who was told of a failure learns its end. */
import type { Rule } from './rule.ts'

export const ENDING_RULES: readonly Rule[] = [
  {
    name: 'silent-end',
    about: 'An incident that a pause, a change or a removal ends is not told.',
    file: 'engine/rounds/plan-change.ts',
    find: '    ...(closed !== undefined && incident !== undefined\n',
    replace: "    ...(closed?.reason === 'recovered' && incident !== undefined\n",
  },
  {
    name: 'doubt-is-silence',
    about: 'A failure that was given up after timeouts counts as never told.',
    file: 'webhook/retry.ts',
    find: 'if (http_status !== null) return http_status < 300 || http_status > 499\n  return error === null ||',
    replace: 'if (http_status !== null) return http_status < 300\n  return error === null &&',
  },
  {
    name: 'removal-takes-the-end',
    about: 'A monitor that is removed takes with it what it still owes.',
    file: 'store/memory/commit.ts',
    find: "if (scope === 'later' ? !later : row.event === 'up') continue",
    replace: "if (scope === 'later' && !later) continue",
  },
  {
    name: 'former-contacts-are-forgotten',
    about: 'A contact that was taken off a monitor never hears of the end.',
    file: 'engine/rounds/plan-change.ts',
    find: 'planUp({ core, cached, contacts: known, at: event.at }, incident, closed)',
    replace: 'planUp({ core, cached, contacts, at: event.at }, incident, closed)',
  },
  {
    name: 'two-ends',
    about: 'The end of an incident is told twice.',
    file: 'engine/rounds/plan-change.ts',
    find: '    ...planNotices(context, fresh),\n',
    replace: `    ...(closed !== undefined && incident !== undefined
      ? planUp({ core, cached, contacts: known, at: event.at }, incident, closed)
      : []),
    ...planNotices(context, fresh),
`,
  },
]
