import { expect, it } from 'vitest'
import { defineChecker, down } from '../../src/checkers/checker.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'

const quoting = (answer: string) =>
  defineChecker({
    type: 'quoting',
    title: 'Quotes',
    description: 'Repeats what a server said',
    fields: {},
    causes: { wrong_answer: { text: 'The answer is wrong' } },
    target: () => 'quoting',
    run: () => Promise.resolve(down('wrong_answer', `Got "${answer}"`)),
  })

it.each([
  ['\u0000\u0007', '\\u{0}\\u{7}'],
  ['\u001b[31m', '\\u{1b}[31m'],
  ['two\r\nlines', 'two\\r\\nlines'],
  ['\u202eright to left', '\\u{202e}right to left'],
  ['grüße, ключ, 鍵', 'grüße, ключ, 鍵'],
])('a cause quotes %j on one line, without what could steer a terminal', async (said, shown) => {
  expect(await runCheck(quoting(said), {})).toMatchObject({ cause_text: `Got "${shown}"` })
})
